import type { PaymentsDeps } from '../payments/payments-deps.ts'
import { findPayoutAccount } from '../payments/payout-accounts.queries.ts'
import type { Queryable } from '../platform/database.ts'
import type { Debt, DebtKind, NewDebt } from './debts.queries.ts'
import { centsToTakeBack, oweDebt, refundDebt } from './debts.ts'
import { endAtStripe, switchCollection } from './end-at-stripe.ts'
import { isCollected, isReturnedWhole } from './judge-subscription.ts'
import { oweCollectionMails } from './money-mail-causes.ts'
import { type EndReason, findRowOfStripe, findSuspended, storeStripeOnlyFacts } from './pair.queries.ts'
import { isCode, returnPayment, unusedOf } from './return-payment.ts'
import { passOnAgain, takeBack } from './settle-dispute.ts'
import {
  eachPaidInvoice,
  fetchInvoice,
  listUnpaidInvoices,
  type StripeInvoice,
  type UnpaidInvoice,
  voidInvoice,
} from './stripe-invoice.ts'
import { isLive, retrieveSubscription, type StripeSubscription } from './stripe-subscription.ts'
import { writeInvoice } from './write-invoice.ts'

/** `cents` that were moved, null where none move; `waits`: it can be settled neither now nor by asking again soon. */
export type Outcome = { cents: number | null } | 'waits'

type Act = (deps: PaymentsDeps, tx: Queryable, debt: Debt, now: Date) => Promise<Outcome>

const ACTS: Record<DebtKind, Act> = {
  end,
  void: voidWhatIsAsked,
  refund,
  reversal,
  transfer,
  collection,
}

/**
 * Does at Stripe what a debt says, and writes what that changed. Every act looks first whether an earlier run has done it.
 * Call it under the pair's lock.
 * @throws what Stripe throws
 */
export function settleDebt(deps: PaymentsDeps, tx: Queryable, debt: Debt, now: Date): Promise<Outcome> {
  return ACTS[debt.kind](deps, tx, debt, now)
}

/** Ends a subscription, and owes what of its payments goes back: that depends on when Stripe ended it. */
async function end(deps: PaymentsDeps, tx: Queryable, debt: Debt, now: Date): Promise<Outcome> {
  const found = await retrieveSubscription(deps, debt.subject)
  const reason = debt.cause as EndReason
  const ended = isLive(found) ? await endAtStripe(deps, found, reason) : found
  for (const owed of await returnsOf(deps, ended, debt, now)) await oweDebt(tx, debt, owed, now)
  await writeFacts(tx, debt, ended, now)
  return { cents: null }
}

/** What goes back of what was paid for a subscription that has ended. */
async function returnsOf(
  deps: PaymentsDeps,
  ended: StripeSubscription,
  debt: Debt,
  now: Date,
): Promise<NewDebt[]> {
  const reason = debt.cause as EndReason
  // How much later than decided it ended, should Stripe have refused to end it.
  const lateMs = debt.tries > 0 ? now.getTime() - debt.createdAt.getTime() : 0
  if (reason === 'dispute' && lateMs === 0) return []
  const returns: NewDebt[] = []
  for await (const invoice of eachPaidInvoice(deps, ended.id)) {
    const cents = centsToReturn(reason, invoice, ended.endedAt, lateMs)
    if (cents > 0) returns.push(refundDebt(ended, invoice.id, reason, cents))
    if (!isReturnedWhole(reason) && (cents === 0 || lateMs === 0)) break
  }
  return returns
}

/** Where the bank has the money of the months before, only what was charged after the end goes back. */
function centsToReturn(
  reason: EndReason,
  invoice: StripeInvoice,
  endedAt: Date | null,
  lateMs: number,
): number {
  const { payment, periodStart } = invoice
  if (!payment) return 0
  if (isReturnedWhole(reason)) return payment.paidCents - payment.refundedCents
  const decidedAt = (endedAt?.getTime() ?? 0) - lateMs
  const isBefore = payment.disputed || (periodStart?.getTime() ?? 0) <= decidedAt
  if (endedAt === null || (reason === 'dispute' && isBefore)) return 0
  return unusedOf(invoice, new Date(decidedAt))
}

/** What only Stripe knows of it, once something was changed there; nothing for one that has no row. */
async function writeFacts(
  tx: Queryable,
  debt: Debt,
  subscription: StripeSubscription,
  now: Date,
): Promise<void> {
  const row = await findRowOfStripe(tx, debt)
  if (!row) return
  const key = { traderId: debt.traderId, id: row.id }
  await storeStripeOnlyFacts(tx, key, { ...subscription, pastDueSince: row.pastDueSince }, now)
}

/**
 * A renewal that began just before the pause is a draft for an hour, and would be charged all the same: nobody pays for a
 * month of waiting (decision G-56).
 */
async function voidDrafts(deps: PaymentsDeps, tx: Queryable, debt: Debt, now: Date): Promise<void> {
  for (const unpaid of await listUnpaidInvoices(deps, debt.subject)) {
    if (unpaid.status === 'draft') await voidOne(deps, tx, debt, unpaid, now)
  }
}

async function voidOne(
  deps: PaymentsDeps,
  tx: Queryable,
  debt: Debt,
  unpaid: UnpaidInvoice,
  now: Date,
): Promise<void> {
  await voidInvoice(deps, unpaid)
  await writeAgain(deps, tx, debt, unpaid.id, now)
}

async function voidWhatIsAsked(deps: PaymentsDeps, tx: Queryable, debt: Debt, now: Date): Promise<Outcome> {
  for (const unpaid of await listUnpaidInvoices(deps, debt.subject))
    await voidOne(deps, tx, debt, unpaid, now)
  return { cents: null }
}

async function refund(deps: PaymentsDeps, tx: Queryable, debt: Debt, now: Date): Promise<Outcome> {
  const invoice = await readInvoice(deps, debt, true)
  if (!invoice?.payment) return { cents: 0 }
  const atMost = isReturnedWhole(debt.cause as EndReason) ? null : debt.amountCents
  try {
    const cents = await returnPayment(deps, invoice.payment, atMost, debt.cause)
    await writeAgain(deps, tx, debt, invoice.id, now)
    return { cents }
  } catch (error) {
    // The bank has taken the payment back. Once it has decided there is nothing to return, or all of it.
    if (!isCode(error, 'charge_disputed')) throw error
    return invoice.dispute?.status === 'lost' ? { cents: 0 } : 'waits'
  }
}

async function reversal(deps: PaymentsDeps, tx: Queryable, debt: Debt, now: Date): Promise<Outcome> {
  const invoice = await readInvoice(deps, debt, true)
  const { dispute, payment } = invoice ?? {}
  const transfer = payment?.transfer
  if (!invoice || !transfer || dispute?.id !== debt.subject || dispute.status === 'won') return { cents: 0 }
  const cents = await takeBack(deps, { ...payment, transfer }, centsToTakeBack(transfer, dispute), dispute)
  await writeAgain(deps, tx, debt, invoice.id, now)
  return { cents }
}

/** The invoice is written by the caller that closes the debt, since what it adds to it counts once it is settled. */
async function transfer(deps: PaymentsDeps, _tx: Queryable, debt: Debt): Promise<Outcome> {
  const { dispute, payment } = (await readInvoice(deps, debt, true)) ?? {}
  if (!payment?.transfer || dispute?.id !== debt.subject) return { cents: 0 }
  return { cents: await passOnAgain(deps, payment, payment.transfer, dispute) }
}

/** Whatever it was when it was owed, what is right now is done. */
async function collection(deps: PaymentsDeps, tx: Queryable, debt: Debt, now: Date): Promise<Outcome> {
  const found = await retrieveSubscription(deps, debt.subject)
  if (!isLive(found)) return { cents: null }
  const payouts = await findPayoutAccount(tx, debt.traderId)
  const suspended = await findSuspended(tx, debt)
  const collected = isCollected(payouts, suspended)
  await writeFacts(tx, debt, await switchCollection(deps, found, collected), now)
  if (!collected) await voidDrafts(deps, tx, debt, now)
  await oweCollectionMails(tx, debt, now, { collected, payouts, suspended })
  return { cents: null }
}

function readInvoice(
  deps: PaymentsDeps,
  { invoiceId }: Debt,
  maybeDisputed: boolean,
): Promise<StripeInvoice | null> {
  return invoiceId === null ? Promise.resolve(null) : fetchInvoice(deps, invoiceId, { maybeDisputed })
}

/** Reads an invoice whose money moved, and writes it. */
export async function writeAgain(
  deps: PaymentsDeps,
  tx: Queryable,
  debt: Pick<Debt, 'traderId' | 'subscriptionId'>,
  invoiceId: string,
  now: Date,
): Promise<void> {
  const row = await findRowOfStripe(tx, debt)
  const invoice = row && (await fetchInvoice(deps, invoiceId, { maybeDisputed: true }))
  if (!invoice) return
  await writeInvoice(tx, { traderId: debt.traderId, subscriptionId: row.id }, invoice, now)
}
