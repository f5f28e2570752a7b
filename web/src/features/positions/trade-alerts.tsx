import { nextMarketChange } from '@tradepost/contract/market-hours'
import { webPaths } from '@tradepost/contract/web-paths'
import { CircleAlert, Clock } from 'lucide-react'
import { formatFrom } from '../../lib/format.ts'
import { Link } from '../../lib/router.tsx'
import { serverNow } from '../../lib/server-time.ts'
import { noteWayBack } from '../../lib/way-back.ts'
import { Alert, AlertDescription, AlertTitle } from '../../ui/alert.tsx'

/** The reasons why a person cannot open a position, before they type anything; username first (rule G-67). */
export function TradeAlerts({ username, marketOpen }: { username: string; marketOpen: boolean }) {
  return (
    <>
      {username === '' && (
        <Alert>
          <CircleAlert aria-hidden="true" />
          <AlertTitle>Username required</AlertTitle>
          <AlertDescription>
            <Link
              to={webPaths.account}
              className="font-medium underline underline-offset-4"
              onClick={() => noteWayBack(webPaths.trade)}
            >
              Set up a username
            </Link>
            <span>{' before opening a position.'}</span>
          </AlertDescription>
        </Alert>
      )}
      {!marketOpen && (
        <Alert>
          <Clock aria-hidden="true" />
          <AlertTitle>Market Closed</AlertTitle>
          <AlertDescription>
            The market is currently closed. Please wait until market open to alert on a new position.
          </AlertDescription>
          <AlertDescription>
            {`It opens ${opensAt(serverNow())}. What you write is kept in this tab until then.`}
          </AlertDescription>
        </Alert>
      )}
    </>
  )
}

/** When the next session begins, for a moment outside of one. */
function opensAt(now: Date): string {
  return formatFrom(nextMarketChange(now), now)
}
