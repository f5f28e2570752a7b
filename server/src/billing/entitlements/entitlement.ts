import { isEntitled, type SubscriptionStatus } from '@tradepost/contract/subscriptions'
import { drawMailNo, lockTraderSequence } from '../../events/trader-sequence.ts'
import type { Queryable } from '../../platform/database/queryable.ts'
import { newId, newSecret } from '../../platform/ids.ts'
import { enqueue } from '../../work/jobs.ts'
import { followingBegan } from './entitlements.jobs.ts'
import {
  type Entitlement,
  findEntitlement,
  findPeriod,
  insertSubscription,
  type StatusChange,
  updateEntitlement,
  updatePeriod,
} from './subscriptions.queries.ts'

/** 128 random bits: nobody guesses their way into another's unsubscribe link. */
const UNSUBSCRIBE_TOKEN_BYTES = 16

/** The state of a subscription at Stripe, as far as the product keeps it. */
export type SubscriptionFacts = {
  status: SubscriptionStatus
  currentPeriodEnd: Date | null
  /** Scheduled end; access lasts until the status changes. */
  cancelAt: Date | null
}

/**
 * Writes a new subscription in the caller's transaction. It receives events that commit after it: the trader's head is
 * locked to the end of the transaction, so no event can slip between.
 * @param subscription.priceCents a month, in cents of `currency`
 * @returns its id
 * @throws a unique violation when the pair has a live subscription
 */
export async function recordSubscription(
  tx: Queryable,
  subscription: SubscriptionFacts & {
    traderId: string
    subscriberId: string
    priceCents: number
    currency: string
    stripeSubscriptionId: string | null
  },
  now: Date,
): Promise<string> {
  const { mailNo, lastEventNo } = await drawMailNo(tx, subscription.traderId)
  const id = newId()
  const entitled = isEntitled(subscription.status)
  await insertSubscription(tx, {
    ...subscription,
    id,
    mailNo,
    entitledFromEvent: entitled ? lastEventNo : null,
    unsubscribeToken: newSecret(UNSUBSCRIBE_TOKEN_BYTES),
    startedAt: now,
    endedAt: subscription.status === 'canceled' ? now : null,
  })
  if (entitled) await noteBeginning(tx, subscription, lastEventNo, now)
  return id
}

/**
 * Writes what is now true of a subscription in the caller's transaction, and moves its entitlement with it. Safe to
 * repeat. A row that was canceled stays canceled: a new start is a new row.
 * @param key.id an existing subscription of `key.traderId`
 * @returns whether anybody gained or lost access
 */
export async function changeStatus(
  tx: Queryable,
  key: { traderId: string; id: string },
  facts: SubscriptionFacts,
  now: Date,
): Promise<boolean> {
  const lastEventNo = await lockTraderSequence(tx, key.traderId)
  const before = await findEntitlement(tx, key)
  if (before.status === 'canceled') {
    // Ended here before Stripe was read (`endHere`): its dates become those of Stripe, and nothing else changes.
    if (facts.status === 'canceled') await updatePeriod(tx, key, facts)
    return false
  }
  await updateEntitlement(tx, key, { ...facts, ...moveWindow(before, facts.status, lastEventNo) }, now)
  const changed = isEntitled(before.status) !== isEntitled(facts.status)
  if (changed && isEntitled(facts.status))
    await noteBeginning(tx, { traderId: key.traderId, subscriberId: before.subscriberId }, lastEventNo, now)
  return changed
}

/** Has the prices of that moment noted behind the transaction, which waits for none. */
function noteBeginning(
  tx: Queryable,
  { subscriberId, traderId }: { traderId: string; subscriberId: string },
  afterEvent: number,
  now: Date,
): Promise<void> {
  return enqueue(tx, followingBegan, { traderId, subscriberId, afterEvent, at: now.toISOString() })
}

/**
 * Ends a subscription here by the product's own decision, whatever its state at Stripe; the rest stays as it was last known.
 * @param key.id an existing subscription of `key.traderId`
 */
export async function endHere(
  tx: Queryable,
  key: { traderId: string; id: string },
  now: Date,
): Promise<void> {
  const { cancelAt, currentPeriodEnd } = await findPeriod(tx, key)
  await changeStatus(tx, key, { status: 'canceled', currentPeriodEnd, cancelAt }, now)
}

/**
 * The windows after a change of status. Leaving ends the window with the last event that was committed: mails of that
 * one and of those before are still owed, later ones are not. Coming back opens a new window and keeps the old one,
 * because mails of its events may still be on their way.
 * @param lastEventNo of the trader, read under the head's lock
 */
function moveWindow(
  before: Entitlement,
  status: SubscriptionStatus,
  lastEventNo: number,
): Pick<StatusChange, 'from' | 'until' | 'closedWindow'> {
  const { from, until } = before
  const open = from !== null && until === null
  if (isEntitled(status) === open) return { from, until, closedWindow: null }
  if (open) return { from, until: lastEventNo, closedWindow: null }
  if (from === null || until === null) return { from: lastEventNo, until: null, closedWindow: null }
  return { from: lastEventNo, until: null, closedWindow: { from, until } }
}
