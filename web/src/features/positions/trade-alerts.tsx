import { webPaths } from '@tradepost/contract/web-paths'
import { CircleAlert, Clock } from 'lucide-react'
import { Link } from '../../lib/router.tsx'
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
            <Link to={webPaths.account} className="font-medium text-primary underline underline-offset-4">
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
        </Alert>
      )}
    </>
  )
}
