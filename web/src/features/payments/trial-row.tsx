import type { SubscriptionItem } from '@tradepost/contract/subscriptions'
import { formatDay } from '../../lib/format.ts'
import { serverNow } from '../../lib/server-time.ts'
import { renewalWords } from './renewal-price.tsx'

/** Until when a subscription is in its trial; null for one that is in none. */
export function trialEndOf({ status, trialEndsAt }: SubscriptionItem): string | null {
  return status === 'trialing' ? (trialEndsAt ?? null) : null
}

/** The state of a trial in the list: until when, and what is behind it (rule G-123). */
export function TrialStatus({ endsAt, subscription }: { endsAt: string; subscription: SubscriptionItem }) {
  const after = subscription.endsAt === null ? renewalWords(subscription) : 'it ends'
  return (
    <>
      <span className="lg:block">{`Trial until ${formatDay(endsAt, serverNow())}, `}</span>
      <span className="lg:block">{`then ${after}`}</span>
    </>
  )
}
