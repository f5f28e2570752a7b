import { isEntitled, SUBSCRIPTION_STATUSES, type SubscriptionStatus } from '@tradepost/contract/subscriptions'
import { isOnboardComplete } from '../payments/payout-status.ts'
import type { Queryable } from '../platform/database.ts'
import { findLiveStatus, isSuspended } from './subscriptions.queries.ts'

/** The states that give access, as lists for the database. */
export const ENTITLED_STATUSES: readonly SubscriptionStatus[] = SUBSCRIPTION_STATUSES.filter(isEntitled)

/** What a viewer is to a trader. All three false: the viewer cannot subscribe. */
export type Relationship = { isSelf: boolean; isSubscribed: boolean; canSubscribe: boolean }

/** @param liveStatus of the pair's live subscription, null without one */
function relationshipOf(facts: {
  isSelf: boolean
  payoutsComplete: boolean
  suspended: boolean
  liveStatus: SubscriptionStatus | null
}): Relationship {
  const { isSelf, payoutsComplete, suspended, liveStatus } = facts
  return {
    isSelf,
    isSubscribed: liveStatus !== null && isEntitled(liveStatus),
    canSubscribe: payoutsComplete && !suspended && !isSelf && liveStatus === null,
  }
}

/**
 * The one rule of who may subscribe and who is subscribed (docs/specification.md section 6, decisions G-27 and G-33).
 * @param traderId an account with a username
 */
export async function readRelationship(
  db: Queryable,
  viewerId: string,
  traderId: string,
): Promise<Relationship> {
  const isSelf = viewerId === traderId
  return relationshipOf({
    isSelf,
    payoutsComplete: await isOnboardComplete(db, traderId),
    suspended: await isSuspended(db, traderId),
    liveStatus: isSelf ? null : await findLiveStatus(db, { traderId, subscriberId: viewerId }),
  })
}
