import { asWritten } from '@tradepost/contract/shown-as-written'
import { isEntitled, SUBSCRIPTION_STATUSES, type SubscriptionItem } from '@tradepost/contract/subscriptions'
import { formatDate } from '../../lib/format.ts'
import { noteNewerVersion } from '../../lib/newer-version.ts'

/** Whether it is over: nothing of it can be managed or mailed any more. */
export function isEnded({ status }: Pick<SubscriptionItem, 'status'>): boolean {
  return status === 'canceled'
}

/** Whether the payment needs somebody's hand, be access still given (past due) or not (rules G-05 and G-27). */
export function hasPaymentProblem({ status }: Pick<SubscriptionItem, 'status'>): boolean {
  return isKnown(status) && !isEnded({ status }) && (status === 'past_due' || !isEntitled(status))
}

/** A newer version may name a state that this page does not know. */
function isKnown(status: string): boolean {
  return SUBSCRIPTION_STATUSES.some((known) => known === status)
}

/** The state of a subscription in words (rule G-05); one of a newer version as it is written. */
export function statusText(
  subscription: Pick<SubscriptionItem, 'status' | 'endsAt' | 'withdrawnAt'>,
): string {
  if (!isKnown(subscription.status)) {
    noteNewerVersion()
    return asWritten(subscription.status)
  }
  if (isEnded(subscription))
    return subscription.withdrawnAt ? `Withdrawn on ${formatDate(subscription.withdrawnAt)}` : 'Ended'
  if (hasPaymentProblem(subscription)) return 'Payment problem'
  return subscription.endsAt === null ? 'Active' : `Ends on ${formatDate(subscription.endsAt)}`
}

/**
 * The day of the next payment as the viewer's local date; in words, that nothing is charged because the trader cannot be
 * paid (rule G-56); null where none is coming.
 */
export function renewalText(
  subscription: Pick<SubscriptionItem, 'status' | 'endsAt' | 'currentPeriodEnd'>,
): string | null {
  if (statusText(subscription) !== 'Active') return null
  if (subscription.currentPeriodEnd === null) return 'Not charged for now'
  return formatDate(subscription.currentPeriodEnd)
}
