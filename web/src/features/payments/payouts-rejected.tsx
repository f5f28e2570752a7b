import { refusalMessage } from '@tradepost/contract/errors'
import { REJECTED_REASON, rejectedFollowers } from '@tradepost/contract/payments'

/**
 * The payout account was rejected for good: there is nothing to do here or at Stripe (decision G-56).
 * @param isFollowed whether somebody still pays to follow the trader
 */
export function PayoutsRejected({ isFollowed }: { isFollowed: boolean }) {
  return (
    <>
      <p className="font-medium">{refusalMessage('payouts_rejected')}</p>
      <p className="text-muted-foreground">{rejectedFollowers(isFollowed)}</p>
      <p className="text-muted-foreground">{REJECTED_REASON}</p>
    </>
  )
}
