import { isEntitled } from '@tradepost/contract/subscriptions'
import { findUsername } from '../../accounts/accounts.queries.ts'
import { lockTraderSequence } from '../../events/trader-sequence.ts'
import { queueMail } from '../../mail/outbox/queue-mail.ts'
import type { Queryable } from '../../platform/database/queryable.ts'
import { type EndReason, isLive, type Pair } from '../../stripe/subscriptions.ts'
import { hasCountedCode, settleCheckout } from '../checkouts/checkouts.queries.ts'
import { oweDebt } from '../debts/debts.queries.ts'
import { writeInvoice } from '../debts/write-invoice.ts'
import { changeStatus, recordSubscription } from '../entitlements/entitlement.ts'
import { settlePrice, storeKnown } from '../entitlements/followed-prices.queries.ts'
import { storeStripeOnlyFacts } from '../entitlements/pair.queries.ts'
import { nextCharge } from '../prices/next-charge.ts'
import { alertOperator } from '../provider/alert-operator.ts'
import { hadFollowerBefore } from './followers.queries.ts'
import { type Judged, pastDueSince } from './judge-subscription.ts'
import { acknowledgeEnd, mailsOf } from './money-mail-causes.ts'

/**
 * Writes what was found at Stripe of a pair and what was decided about it, and owes the mails and the acts at Stripe that
 * follow from it, in the transaction that holds the pair's lock. The ended ones are written first, so that the one that
 * lives finds the pair's place free.
 */
export async function writePair(tx: Queryable, pair: Pair, judged: Judged[], now: Date): Promise<void> {
  const trader = (await findUsername(tx, pair.traderId)) ?? ''
  // Before the debts, as every end locks.
  if (judged.some(({ owes }) => owes.length > 0)) await lockTraderSequence(tx, pair.traderId)
  for (const one of judged.toSorted((one, other) => Number(isLive(one)) - Number(isLive(other)))) {
    const isNew = []
    for (const debt of one.owes) isNew.push(await oweDebt(tx, pair, debt, now))
    // The database refuses a subscription to oneself; its money goes back.
    if (pair.traderId === pair.subscriberId) {
      if (isNew.includes(true))
        await alertOperator(tx, 'a subscription to oneself was ended', one.subscription.id, now)
      continue
    }
    const subscriptionId = await writeSubscription(tx, pair, one, now)
    for (const invoice of one.invoices) await writeInvoice(tx, { ...pair, subscriptionId }, invoice, now)
    if (begins(one)) await announceFollower(tx, pair, { ...one, trader, id: subscriptionId }, now)
    for (const mail of mailsOf(pair, trader, one)) await queueMail(tx, mail, now)
    if (!isLive(one)) continue
    const before = { ...pair, id: subscriptionId, cancelAt: one.row?.cancelAt ?? null }
    await acknowledgeEnd(tx, before, one.subscription, { trader, isPressed: false, now })
  }
}

/** @returns its id here */
async function writeSubscription(tx: Queryable, pair: Pair, one: Judged, now: Date): Promise<string> {
  const { reason, row, status, subscription } = one
  const { traderId } = pair
  const facts = {
    status,
    currentPeriodEnd: subscription.currentPeriodEnd,
    cancelAt: subscription.cancelAt,
  }
  const { checkoutId, currency, priceCents } = subscription
  const id =
    row?.id ??
    (await recordSubscription(
      tx,
      { ...pair, ...facts, currency, priceCents, stripeSubscriptionId: subscription.id },
      now,
    ))
  if (row) await changeStatus(tx, { traderId, id }, facts, now)
  if (row && !isLive(row) && isLive({ status }))
    await alertOperator(tx, 'a subscription that ended here lives at Stripe', subscription.id, now)
  const endReason = reason
  const since = status === 'past_due' ? (pastDueSince(one) ?? now) : null
  const more = {
    endReason,
    pastDueSince: since,
    nextCharge: isLive({ status }) ? nextCharge(subscription, promisedBy(one)) : null,
  }
  await storeStripeOnlyFacts(tx, { traderId, id }, { ...subscription, ...more }, now)
  const { price } = one
  if (price?.isCharged && row) await settlePrice(tx, { traderId, id }, row.price)
  if (price && price.knownCents !== null) await storeKnown(tx, { traderId, id }, price.knownCents)
  if (checkoutId) await settle(tx, { traderId, id: checkoutId }, reason, now)
  return id
}

/**
 * Settles the checkout of a subscription. One whose free days were refused has used no code, so that its person can pay with it. A code of so
 * many uses has lost one all the same: Stripe has counted it, and takes no count back (ADR 0128).
 */
async function settle(
  tx: Queryable,
  key: { traderId: string; id: string },
  reason: EndReason | null,
  now: Date,
): Promise<void> {
  const isUnused = reason === 'trial_used' && !(await hasCountedCode(tx, key))
  await settleCheckout(tx, key, isUnused ? 'expired' : 'completed', now)
}

/** Discounts that an invoice has which asks for money: one for once takes nothing off the next. */
function promisedBy({ invoices }: Judged): ReadonlySet<string> {
  const asking = invoices.filter(({ status }) => status === 'draft' || status === 'open')
  return new Set(asking.flatMap(({ discountIds }) => discountIds))
}

/** Whether a subscription begins to give access now: it did not by its row, which is not one that has ended here. */
function begins({ row, status }: Pick<Judged, 'row' | 'status'>): boolean {
  return isEntitled(status) && (row === null || (isLive(row) && !isEntitled(row.status)))
}

/**
 * Owes the mails of a subscription that begins to give access: to the follower what the trader holds already, once for each
 * subscription, so that somebody who returns after an end gets it again; to the trader, once ever, that they have a first
 * follower. Call it after the subscription was written, in that transaction: it holds the lock of the trader's head, so of two
 * that begin at once one is the first.
 * @param trader how they spell their name
 * @param id of the subscription here
 */
async function announceFollower(
  tx: Queryable,
  { traderId, subscriberId }: Pair,
  { trader, id, subscription }: { trader: string; id: string } & Pick<Judged, 'subscription'>,
  now: Date,
): Promise<void> {
  await queueMail(
    tx,
    {
      kind: 'subscription_started',
      userId: subscriberId,
      cause: id,
      facts: { trader, traderId, subscriptionId: id },
    },
    now,
  )
  if (await hadFollowerBefore(tx, traderId)) return
  const { priceCents: amountCents, currency, interval, feePercent } = subscription
  await queueMail(
    tx,
    {
      kind: 'first_follower',
      userId: traderId,
      cause: 'first',
      facts: { trader, amountCents, currency, interval, feePercent },
    },
    now,
  )
}
