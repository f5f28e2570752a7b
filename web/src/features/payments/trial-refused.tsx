import { webPaths } from '@tradepost/contract/web-paths'
import { Link } from '../../lib/router.tsx'
import { buttonLook } from '../../ui/button.tsx'

/** In place of what a payment leads to, for somebody whose free days were refused once their card was known (rule G-123). */
export function TrialRefused({ username }: { username: string }) {
  return (
    <>
      <h1 className="text-2xl font-semibold tracking-tight">The free days were not granted.</h1>
      <p role="status" className="text-muted-foreground wrap-anywhere">
        {`Nothing was charged, and you do not follow @${username}. With this account, address or card there have been free days before: each person gets one trial of a trader, and one in 30 days.`}
      </p>
      <Link to={webPaths.subscribeAtThePrice(username)} {...buttonLook({})}>
        Subscribe at the price
      </Link>
    </>
  )
}
