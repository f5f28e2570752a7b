import { findUsername } from '../accounts/accounts.queries.ts'
import type { Queryable } from '../platform/database.ts'
import { alertOperator } from './alert-operator.ts'
import { settleCheckout } from './checkout-sessions.queries.ts'
import { changeStatus, recordSubscription } from './entitlement.ts'
import { type MoneyMail, oweMoneyMail } from './money-mails.ts'
import { findDisputed, putInvoice, storeStripeOnlyFacts } from './pair.queries.ts'
import type { Settled } from './settle-subscription.ts'
import type { StripeInvoice } from './stripe-invoice.ts'
import { isLive, type Pair } from './stripe-subscription.ts'

/**
 * Writes what was found at Stripe of a pair, and owes the mails that follow from it, in the transaction that holds the
 * pair's lock. What has ended is written first, so that the one that lives finds the pair's place free.
 */
export async function writePair(tx: Queryable, pair: Pair, settled: Settled[], now: Date): Promise<void> {
  const trader = (await findUsername(tx, pair.traderId)) ?? ''
  const inOrder = settled.toSorted(
    (one, other) => Number(isLive(one.subscription)) - Number(isLive(other.subscription)),
  )
  for (const one of inOrder) {
    // The database refuses a subscription to oneself; its money has gone back.
    if (pair.traderId === pair.subscriberId) {
      await alertOperator(tx, 'a subscription to oneself was ended', one.subscription.id)
      continue
    }
    const id = await writeSubscription(tx, pair, one, now)
    for (const invoice of one.invoices) await writeInvoice(tx, pair, id, one, invoice, now)
    for (const mail of mailsOf(pair, trader, one)) await oweMoneyMail(tx, mail, now)
  }
}

/** @returns its id here */
async function writeSubscription(tx: Queryable, pair: Pair, one: Settled, now: Date): Promise<string> {
  const { invoices, row, subscription } = one
  const { traderId } = pair
  const facts = {
    status: subscription.status,
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
  if (row && !isLive(row) && isLive(subscription))
    await alertOperator(tx, 'a subscription that ended here lives at Stripe', subscription.id)
  const owed = invoices.find((invoice) => invoice.id === subscription.latestInvoiceId)
  await storeStripeOnlyFacts(
    tx,
    { traderId, id },
    {
      ...subscription,
      // Stripe does not say it; the invoice that is owed was made when it should have been paid.
      pastDueSince: subscription.status === 'past_due' ? (owed?.createdAt ?? now) : null,
    },
    now,
  )
  if (checkoutId) await settleCheckout(tx, { traderId, id: checkoutId }, 'completed', now)
  return id
}

async function writeInvoice(
  tx: Queryable,
  { traderId }: Pair,
  subscriptionId: string,
  { passedAgain }: Settled,
  invoice: StripeInvoice,
  now: Date,
): Promise<void> {
  const { dispute, payment } = invoice
  const transfer = payment?.transfer
  if (dispute && (await findDisputed(tx, { traderId, invoiceId: invoice.id })) !== true)
    await alertOperator(tx, `a payment is disputed (${dispute.status})`, dispute.id)
  await putInvoice(
    tx,
    {
      traderId,
      invoiceId: invoice.id,
      subscriptionId,
      status: invoice.status,
      amountDueCents: invoice.amountDueCents,
      amountPaidCents: invoice.amountPaidCents,
      refundedCents: payment?.refundedCents ?? 0,
      transferredCents: (transfer?.amountCents ?? 0) + (passedAgain.get(invoice.id) ?? 0),
      reversedCents: transfer?.reversedCents ?? 0,
      feeCents: payment?.feeCents ?? 0,
      feeRefundedCents: payment?.feeRefundedCents ?? 0,
      currency: invoice.currency,
      periodStart: invoice.periodStart,
      periodEnd: invoice.periodEnd,
      chargeId: payment?.chargeId ?? null,
      paymentIntentId: payment?.paymentIntentId ?? null,
      disputedAt: dispute?.createdAt ?? null,
      disputeStatus: dispute?.status ?? null,
      createdAt: invoice.createdAt,
    },
    now,
  )
}

type OwedMail = MoneyMail & { userId: string; cause: string }

/** Each cause is Stripe's and mails once, however often it is written. */
function mailsOf(pair: Pair, trader: string, one: Settled): OwedMail[] {
  const { invoices, subscription } = one
  const userId = pair.subscriberId
  if (!isLive(subscription)) return subscription.neverBegan ? [] : endingMails(pair, trader, one)
  return invoices.flatMap((invoice): OwedMail[] => {
    if (!invoice.isRenewal || invoice.problem === null) return []
    const money = { amountCents: invoice.amountDueCents, currency: invoice.currency }
    const facts = { trader, ...money, problem: invoice.problem }
    return [{ kind: 'payment_problem', userId, cause: `${invoice.id}:${invoice.attempts}`, facts }]
  })
}

function endingMails(pair: Pair, trader: string, ended: Settled): OwedMail[] {
  const { invoices, subscription } = ended
  const cause = subscription.id
  const userId = pair.subscriberId
  const returned = invoices.reduce((sum, { payment }) => sum + (payment?.refundedCents ?? 0), 0)
  const money = { amountCents: returned, currency: subscription.currency }
  switch (subscription.endReason) {
    case 'double':
      return [
        { kind: 'double_payment_returned', userId, cause, facts: { trader, ...money, to: 'subscriber' } },
        {
          kind: 'double_payment_returned',
          userId: pair.traderId,
          cause,
          facts: { trader, ...money, to: 'trader' },
        },
      ]
    case 'trader_unavailable':
      return [
        { kind: 'trader_unavailable', userId, cause, facts: { trader, ...money } },
        ...lossMails(pair, trader, ended),
      ]
    case 'dispute':
      return [{ kind: 'subscription_ended', userId, cause, facts: { trader, why: 'disputed' } }]
    default:
      return [
        {
          kind: 'subscription_ended',
          userId,
          cause,
          facts: { trader, why: subscription.endedUnpaid ? 'unpaid' : 'canceled' },
        },
      ]
  }
}

/** One loss ends many subscriptions, and is told to the trader when the first of them ends. */
function lossMails({ traderId }: Pair, trader: string, { payouts, row, subscription }: Settled): OwedMail[] {
  // Written again later, it is no news, and the loss may be over.
  if (row && !isLive(row)) return []
  const waited = payouts !== null && !payouts.closedAt && subscription.destination === payouts.stripeAccountId
  const since = (payouts?.lostAt ?? payouts?.closedAt)?.toISOString() ?? 'gone'
  return [
    {
      kind: 'payouts_lost',
      userId: traderId,
      cause: `${subscription.destination ?? traderId}:${since}`,
      facts: { trader, after: waited ? 'waiting' : 'account_closed' },
    },
  ]
}
