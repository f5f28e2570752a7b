import { findUsername } from '../../accounts/accounts.queries.ts'
import { lockTraderSequence } from '../../events/trader-sequence.ts'
import { queueMail } from '../../mail/outbox/queue-mail.ts'
import { withTransaction } from '../../platform/database/queryable.ts'
import { refusal } from '../../platform/http/refusal.ts'
import { endWithPeriod, renewAgain } from '../../stripe/end-subscription.ts'
import { isLive, retrieveSubscription, type StripeSubscription } from '../../stripe/subscriptions.ts'
import { updatePeriod } from '../entitlements/subscriptions.queries.ts'
import type { BillingDeps } from '../provider/billing-deps.ts'
import { callStripe } from '../provider/call-stripe.ts'
import { endRow } from '../subscriptions/end-without-asking.ts'
import { requireOwn } from '../subscriptions/manage-subscription.ts'
import { acknowledgeEnd, leftMail } from '../subscriptions/money-mail-causes.ts'
import { enqueueSubscription } from '../subscriptions/subscriptions.jobs.ts'
import { findLeaver, type Leaver } from './leaving.queries.ts'

/**
 * Plans the end of one of the caller's subscriptions for the end of its trial: nothing is ever charged, and access stays until then (rule
 * G-123). Repeating it changes nothing; `keepSubscription` takes it back.
 * @returns when it ends, ISO 8601 UTC
 * @throws subscription_not_found, trial_over, payment_refused, payment_provider_error
 */
export async function endTrial(
  deps: BillingDeps,
  caller: { userId: string },
  id: string,
  now: Date,
): Promise<{ endsAt: string }> {
  const { cancelAt, status, stripeSubscriptionId: bought, ...own } = await requireOwn(deps.db, caller, id)
  if (bought === null || status !== 'trialing') throw refusal('trial_over')
  if (cancelAt) return { endsAt: cancelAt.toISOString() }
  const isInTrial = (found: StripeSubscription) => found.status === 'trialing'
  const found = await callStripe(deps, now, () => planEnd(deps, bought, isInTrial))
  const before = { traderId: own.traderId, subscriberId: caller.userId, id: own.id, cancelAt }
  await noteEnd(deps, before, found, now)
  if (!isInTrial(found) || found.cancelAt === null) throw refusal('trial_over')
  return { endsAt: found.cancelAt.toISOString() }
}

/**
 * Ends a subscription with the time that is paid (rule G-126). Where none is, since its payment is due, it ends at once and nothing more is
 * charged. Repeating it changes nothing.
 * @returns when it ends, ISO 8601 UTC
 * @throws subscription_over, payment_refused, payment_provider_error
 */
export async function cancelSubscription(
  deps: BillingDeps,
  leaver: Leaver,
  now: Date,
): Promise<{ endsAt: string }> {
  const { stripeId } = leaver
  if (stripeId === null || !isLive(leaver)) throw refusal('subscription_over')
  if (!isPaid(leaver)) return endUnpaid(deps, leaver, now)
  if (leaver.cancelAt) return { endsAt: leaver.cancelAt.toISOString() }
  const found = await callStripe(deps, now, () => planEnd(deps, stripeId, isPaid))
  await noteEnd(deps, leaver, found, now)
  if (!isLive(found)) throw refusal('subscription_over')
  if (found.cancelAt === null) return endUnpaid(deps, leaver, now)
  return { endsAt: found.cancelAt.toISOString() }
}

/**
 * Takes back that a subscription ends with the time that is paid. Repeating it changes nothing.
 * @returns when it renews, ISO 8601 UTC; null while nothing is charged
 * @throws subscription_over, payment_refused, payment_provider_error
 */
export async function keepSubscription(
  deps: BillingDeps,
  leaver: Leaver,
  now: Date,
): Promise<{ currentPeriodEnd: string | null }> {
  const { stripeId } = leaver
  if (stripeId === null || !isLive(leaver)) throw refusal('subscription_over')
  const { before, found } = await callStripe(deps, now, async () => {
    const before = await retrieveSubscription(deps, stripeId)
    const isEnding = isLive(before) && before.cancelAt !== null
    return { before, found: isEnding ? await renewAgain(deps, stripeId) : before }
  })
  // A cancellation at Stripe may not be known here, and one that Stripe has taken back already still is.
  await noteEnd(deps, { ...leaver, cancelAt: leaver.cancelAt ?? before.cancelAt }, found, now)
  if (!isLive(found)) throw refusal('subscription_over')
  return { currentPeriodEnd: found.paused ? null : (found.currentPeriodEnd?.toISOString() ?? null) }
}

/** Whether some time is paid, or free. Of one whose payment is due none is: its end would only come after further tries of the card. */
export function isPaid({ status }: { status: string }): boolean {
  return status === 'active' || status === 'trialing'
}

/** The state may have changed since Stripe was read last: then nothing is planned. */
async function planEnd(
  deps: BillingDeps,
  id: string,
  mayPlan: (found: StripeSubscription) => boolean,
): Promise<StripeSubscription> {
  const found = await retrieveSubscription(deps, id)
  return mayPlan(found) && found.cancelAt === null ? endWithPeriod(deps, id) : found
}

/**
 * The list shows it at once, and a cancellation is acknowledged, or that it was taken back. A job reads what else has changed at Stripe behind the answer, under the lock
 * of the pair; it acknowledges what was cut off before this.
 */
async function noteEnd(
  { db }: BillingDeps,
  own: Pick<Leaver, 'traderId' | 'subscriberId' | 'id' | 'cancelAt'>,
  found: StripeSubscription,
  now: Date,
): Promise<void> {
  await withTransaction(db, async (tx) => {
    if (isPaid(found)) await updatePeriod(tx, own, found)
    const trader = (await findUsername(tx, own.traderId)) ?? ''
    await acknowledgeEnd(tx, own, found, { trader, isPressed: true, now })
    await enqueueSubscription(tx, found.id)
  })
}

/** Asks nothing at Stripe: access ends here, debts do the rest (ADR 0026). */
function endUnpaid({ db }: BillingDeps, leaver: Leaver, now: Date): Promise<{ endsAt: string }> {
  return withTransaction(db, async (tx) => {
    await lockTraderSequence(tx, leaver.traderId)
    const fresh = (await findLeaver(tx, leaver)) ?? leaver
    if (await endRow(tx, leaver, fresh, 'left', now))
      await queueMail(tx, leftMail(leaver, leaver.username, leaver.stripeId ?? ''), now)
    return { endsAt: (fresh.endedAt ?? now).toISOString() }
  })
}
