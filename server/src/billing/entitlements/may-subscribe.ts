import { isEntitled, SUBSCRIPTION_STATUSES, type SubscriptionStatus } from '@tradepost/contract/subscriptions'
import type { Queryable } from '../../platform/database/queryable.ts'
import { findPayoutAccount, type PayoutAccount } from '../payouts/payout-accounts.queries.ts'
import { isReady } from '../payouts/payout-status.ts'
import { findLiveStatus, isInactive } from './subscriptions.queries.ts'

/** The states that give access, as lists for the database. */
export const ENTITLED_STATUSES: readonly SubscriptionStatus[] = SUBSCRIPTION_STATUSES.filter(isEntitled)

/** The relationship of a viewer to a trader. All three false: the viewer cannot subscribe. */
export type Relationship = { isSelf: boolean; isSubscribed: boolean; canSubscribe: boolean }

/** The facts that decide it. */
export type RelationshipFacts = {
  /** Of the trader's payouts; null where they were never set up. */
  payouts: Pick<PayoutAccount, 'transfersStatus' | 'closedAt'> | null
  /** Whether the trader is suspended or has closed the account. */
  suspended: boolean
  /** Of the pair's live subscription, null without one. */
  liveStatus: SubscriptionStatus | null
}

/** The one rule of who may subscribe and who is subscribed (docs/specification.md section 6, rules G-27 and G-33). */
export function relationshipOf(isSelf: boolean, facts: RelationshipFacts): Relationship {
  const { payouts, suspended } = facts
  const liveStatus = isSelf ? null : facts.liveStatus
  return {
    isSelf,
    isSubscribed: liveStatus !== null && isEntitled(liveStatus),
    canSubscribe: isReady(payouts) && !suspended && !isSelf && liveStatus === null,
  }
}

/** @param traderId an account with a username */
export async function readRelationship(
  db: Queryable,
  viewerId: string,
  traderId: string,
): Promise<Relationship> {
  const isSelf = viewerId === traderId
  return relationshipOf(isSelf, {
    payouts: await findPayoutAccount(db, traderId),
    suspended: await isInactive(db, traderId),
    liveStatus: isSelf ? null : await findLiveStatus(db, { traderId, subscriberId: viewerId }),
  })
}
