import { refusalMessage } from '@tradepost/contract/errors'
import { REJECTED_FOLLOWERS, REJECTED_REASON } from '@tradepost/contract/payments'

/** The payout account was rejected for good: there is nothing to do here or at Stripe (decision G-56). */
export function PayoutsRejected() {
  return (
    <>
      <p className="font-medium">{refusalMessage('payouts_rejected')}</p>
      <p className="text-muted-foreground">{REJECTED_FOLLOWERS}</p>
      <p className="text-muted-foreground">{REJECTED_REASON}</p>
    </>
  )
}
