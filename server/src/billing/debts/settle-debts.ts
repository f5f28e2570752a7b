import { DAY_MS } from '@tradepost/contract/trading-day'
import { findUsername } from '../../accounts/accounts.queries.ts'
import { queueMail } from '../../mail/outbox/queue-mail.ts'
import type { Queryable } from '../../platform/database/queryable.ts'
import { overLimit } from '../../platform/rate-limit.ts'
import { endAtStripe, switchCollection } from '../../stripe/end-subscription.ts'
import {
  type InvoiceDispute,
  type InvoicePayment,
  isTaxed,
  leftOf,
  listUnpaidInvoices,
  type UnpaidInvoice,
  voidInvoice,
} from '../../stripe/invoices.ts'
import {
  describeStripeError,
  errorCode,
  healsByItself,
  isStripeError,
  type StripeError,
} from '../../stripe/stripe-errors.ts'
import {
  type EndReason,
  isLive,
  type Pair,
  retrieveSubscription,
  type StripeSubscription,
} from '../../stripe/subscriptions.ts'
import { findReversal, reverseTransfer, type Transfer, transferAgain } from '../../stripe/transfers.ts'
import { backOff } from '../../work/back-off.ts'
import {
  findClosed,
  findRowOfStripe,
  findSuspended,
  storeStripeOnlyFacts,
} from '../entitlements/pair.queries.ts'
import { findPayoutAccount } from '../payouts/payout-accounts.queries.ts'
import { alertOperator } from '../provider/alert-operator.ts'
import type { BillingDeps } from '../provider/billing-deps.ts'
import { pairLock, withProviderLock, type withProviderLockIfFree } from '../provider/provider-lock.ts'
import { oweCollectionMails } from './collection-mails.ts'
import {
  type Act,
  BANK_DECIDES,
  type DebtOutcome,
  NO_MONEY_MOVES,
  NOTHING_LEFT,
  type Waits,
} from './debt-outcome.ts'
import {
  closeDebt,
  type Debt,
  findDueDebt,
  findOpenRefunds,
  listReturns,
  noteDebtFailure,
  oweDebt,
  type Return,
} from './debts.queries.ts'
import { type DebtKind, isCollected, NOT_AGREED, returnsAll } from './debts.ts'
import { listWarned } from './invoices.queries.ts'
import { readInvoice, returnOf, writeAgain } from './return-payment.ts'
import { returnsOf } from './returns-of-end.ts'
import { emptyMonth } from './settle-empty-month.ts'
import { price } from './settle-price.ts'
import { tax } from './settle-tax.ts'
import { centsToTakeBack, heldOf, shareOfTrader } from './trader-share.ts'

/**
 * Pauses between tries of a debt that may succeed without help. The longest is also the one after a refusal: a person may have
 * removed the cause by then.
 */
const PAUSES = { firstMs: 10_000, longestMs: 6 * 3_600_000 }
/** After so many tries a debt that should succeed without help has failed for about 40 minutes. */
const TRIES_BEFORE_ALERT = 9
/** With an API key that Stripe no longer accepts every call is refused: after so many mails the operator's list holds the rest. */
const ALERTS_AN_HOUR = 20

/**
 * Does what is owed at Stripe for a pair and is due, each debt in a separate transaction: one that fails holds up
 * nothing but itself, keeps its reason, and is tried again. The operator is mailed at the first answer that will not heal
 * without help.
 * @param lock of the pair; one that gives up where somebody else deals with the pair leaves the debts to them
 */
export async function settleDebts(
  deps: BillingDeps,
  pair: Pair,
  now: Date,
  lock: typeof withProviderLockIfFree = withProviderLock,
): Promise<void> {
  const tried: string[] = []
  for (;;) {
    const id = await lock(deps.db, pairLock(pair), async (tx) => {
      const debt = await findDueDebt(tx, pair, tried, now)
      if (debt) await tryDebt(deps, tx, debt, now)
      return debt?.id ?? null
    })
    if (id === null) return
    tried.push(id)
  }
}

async function tryDebt(deps: BillingDeps, tx: Queryable, debt: Debt, now: Date): Promise<void> {
  try {
    const outcome = await settleDebt(deps, tx, debt, now)
    if (outcome.kind === 'waits') return await putOff(tx, debt, outcome, now)
    await closeDebt(tx, debt, outcome.cents, now)
    if (debt.kind === 'transfer' && debt.invoiceId) await writeAgain(deps, tx, debt, debt.invoiceId, now)
  } catch (error) {
    if (!isStripeError(error)) throw error
    deps.log.warn({ ...describeStripeError(error), debt: debt.id, kind: debt.kind }, 'a debt stays open')
    await keepOwing(tx, debt, error, now)
  }
  await oweReturnMails(tx, debt, now)
}

async function putOff(tx: Queryable, debt: Debt, waits: Waits, now: Date): Promise<void> {
  const dueAt = new Date(now.getTime() + waits.pauseMs)
  await noteDebtFailure(tx, debt, { ...debt, error: waits.error, dueAt })
}

async function keepOwing(tx: Queryable, debt: Debt, error: StripeError, now: Date): Promise<void> {
  const tries = debt.tries + 1
  const heals = healsByItself(error)
  const pause = heals ? backOff(PAUSES, tries) : PAUSES.longestMs
  const needsPerson = !heals || tries >= TRIES_BEFORE_ALERT
  const alerts = needsPerson && debt.alertedAt === null && (await mayAlert(tx, now))
  if (alerts)
    await alertOperator(tx, `Stripe ${heals ? 'fails at' : 'refused'} ${WORDS[debt.kind]}`, debt.subject, now)
  await noteDebtFailure(tx, debt, {
    tries,
    error: errorCode(error),
    refusedAt: heals ? null : (debt.refusedAt ?? now),
    alertedAt: alerts ? now : debt.alertedAt,
    dueAt: new Date(now.getTime() + pause),
  })
}

async function mayAlert(tx: Queryable, now: Date): Promise<boolean> {
  const limit = { key: 'alert:debts', max: ALERTS_AN_HOUR, windowSeconds: 3600 }
  return (await overLimit(tx, limit, now)) === null
}

const WORDS: Record<DebtKind, string> = {
  end: 'the end of a subscription',
  void: 'to void what an ended subscription asks for',
  refund: 'a refund',
  reversal: "a trader's return of a disputed payment",
  transfer: "a trader's share of a dispute that was won",
  collection: 'to stop or resume a collection',
  price: 'another price of a subscription',
  empty_month: 'to return a month in which nothing was published',
  tax: 'to settle the tax of a payment with its trader',
}

/**
 * Queues the mails about money that went back, once a subscription's end and refunds are settled. A refund that
 * Stripe refuses does not keep the mail from a subscriber that their trader is gone.
 * @param debt the one that was just settled or refused
 */
async function oweReturnMails(
  tx: Queryable,
  debt: Pick<Debt, 'traderId' | 'subscriberId' | 'subscriptionId' | 'currency'>,
  now: Date,
): Promise<void> {
  const { currency, subscriberId, subscriptionId: cause, traderId } = debt
  const returns = (await listReturns(tx, debt)).filter(({ cause: why }) => why !== NOT_AGREED)
  const reason = returns.find(({ kind }) => kind === 'end')?.cause
  const unsettled = returns.filter(({ state }) => state === 'open')
  if (unsettled.some(({ kind, refused }) => kind === 'end' || !refused)) return
  const refunds = returns.filter(({ kind, state }) => kind === 'refund' && state !== 'dropped')
  const amountCents = refunds.reduce((sum, refund) => sum + (refund.amountCents ?? 0), 0)
  const facts = { trader: (await findUsername(tx, traderId)) ?? '', amountCents, currency }
  if (reason === 'trader_unavailable') {
    const left = (await findClosed(tx, { traderId, subscriberId })).trader === 'always'
    const more = { ...paidFor(refunds), ...(left && { left }) }
    await queueMail(
      tx,
      { kind: 'trader_unavailable', userId: subscriberId, cause, facts: { ...facts, ...more } },
      now,
    )
  }
  if (reason !== 'double' || unsettled.length > 0 || amountCents === 0) return
  for (const to of ['subscriber', 'trader'] as const) {
    const userId = to === 'trader' ? traderId : subscriberId
    await queueMail(tx, { kind: 'double_payment_returned', userId, cause, facts: { ...facts, to } }, now)
  }
}

/**
 * The payment of which something goes back at an end, and the days that it goes back for: by the amount, which Stripe's clock has decided.
 * No days where all that was left goes back.
 */
function paidFor(refunds: Return[]): { paidCents?: number; daysLeft?: number | null } {
  const [refund] = refunds
  const { cents = 0, periodEnd = null, periodStart = null, refundedCents = 0 } = refund?.paid ?? {}
  if (refunds.length !== 1 || !refund?.amountCents || !periodStart || !periodEnd) return {}
  if (refundedCents >= cents) return { paidCents: cents, daysLeft: null }
  // The amount was rounded up to the cent.
  const left = ((refund.amountCents - 1) / cents) * (periodEnd.getTime() - periodStart.getTime())
  return { paidCents: cents, daysLeft: Math.ceil(left / DAY_MS) }
}

const ACTS: Record<DebtKind, Act> = {
  end,
  void: voidWhatIsAsked,
  refund,
  reversal,
  transfer,
  collection,
  price,
  empty_month: emptyMonth,
  tax,
}

/**
 * Does at Stripe what is owed and writes what that changed. Each kind of debt first looks whether an earlier run did
 * it already, so a repetition moves no money twice. Call it under the pair's lock.
 * @throws what Stripe throws
 */
function settleDebt(deps: BillingDeps, tx: Queryable, debt: Debt, now: Date): Promise<DebtOutcome> {
  return ACTS[debt.kind](deps, tx, debt, now)
}

/** Ends a subscription and writes the refunds as new debts, whose amounts depend on when Stripe ended it. */
async function end(deps: BillingDeps, tx: Queryable, debt: Debt, now: Date): Promise<DebtOutcome> {
  const found = await retrieveSubscription(deps, debt.subject)
  const reason = debt.cause as EndReason
  const ended = isLive(found) ? await endAtStripe(deps, found, reason) : found
  const warned = await listWarned(tx, debt)
  for (const owed of await returnsOf(deps, ended, { ...debt, warned }, now))
    await oweDebt(tx, debt, owed, now)
  await writeFacts(tx, debt, ended, now)
  return NO_MONEY_MOVES
}

/** Writes the facts of a subscription that only Stripe knows, after a change there; does nothing when it has no row. */
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
 * Voids the drafts of a subscription whose collection has just been paused. A renewal is a draft for an hour and would be
 * charged in spite of the pause (rule G-56, ADR 0032).
 */
async function voidDrafts(deps: BillingDeps, tx: Queryable, debt: Debt, now: Date): Promise<void> {
  for (const unpaid of await listUnpaidInvoices(deps, debt.subject)) {
    if (unpaid.status === 'draft') await voidOne(deps, tx, debt, unpaid, now)
  }
}

async function voidOne(
  deps: BillingDeps,
  tx: Queryable,
  debt: Debt,
  unpaid: UnpaidInvoice,
  now: Date,
): Promise<void> {
  await voidInvoice(deps, unpaid)
  await writeAgain(deps, tx, debt, unpaid.id, now)
}

async function voidWhatIsAsked(
  deps: BillingDeps,
  tx: Queryable,
  debt: Debt,
  now: Date,
): Promise<DebtOutcome> {
  for (const unpaid of await listUnpaidInvoices(deps, debt.subject))
    await voidOne(deps, tx, debt, unpaid, now)
  return NO_MONEY_MOVES
}

async function refund(deps: BillingDeps, tx: Queryable, debt: Debt, now: Date): Promise<DebtOutcome> {
  const invoice = await readInvoice(deps, debt)
  const atMost = returnsAll(debt.cause) ? null : debt.amountCents
  return invoice === null ? NOTHING_LEFT : returnOf(deps, tx, debt, { invoice, atMost }, now)
}

async function reversal(deps: BillingDeps, tx: Queryable, debt: Debt, now: Date): Promise<DebtOutcome> {
  const invoice = await readInvoice(deps, debt)
  const { dispute, payment } = invoice ?? {}
  const transfer = payment?.transfer
  if (!invoice || !transfer || dispute?.id !== debt.subject || dispute.status === 'won') return NOTHING_LEFT
  const amountCents = centsToTakeBack(payment, dispute)
  const cents = await takeBack(deps, { ...payment, transfer }, amountCents, dispute)
  await writeAgain(deps, tx, debt, invoice.id, now)
  return { kind: 'settled', cents }
}

/**
 * Pays the trader again after a dispute was won. Does not write the invoice: the caller does so once it has settled this
 * debt, since only settled debts count in the invoice's sums.
 */
async function transfer(deps: BillingDeps, tx: Queryable, debt: Debt, now: Date): Promise<DebtOutcome> {
  const refunds =
    debt.invoiceId === null
      ? 'none'
      : await findOpenRefunds(tx, { ...debt, invoiceId: debt.invoiceId }, BANK_DECIDES.error, now)
  // Paid first, the trader would keep their share of what goes back: a refund takes it from the first transfer alone.
  if (refunds !== 'none')
    return { kind: 'waits', error: 'refund_first', pauseMs: refunds === 'due' ? 60_000 : PAUSES.longestMs }
  const { dispute, payment } = (await readInvoice(deps, debt)) ?? {}
  if (!payment?.transfer || dispute?.id !== debt.subject) return NOTHING_LEFT
  return { kind: 'settled', cents: await passOnAgain(deps, payment, payment.transfer, dispute) }
}

/** Pauses or resumes collection, whichever the present state asks for; the debt is the same for both. */
async function collection(deps: BillingDeps, tx: Queryable, debt: Debt, now: Date): Promise<DebtOutcome> {
  const found = await retrieveSubscription(deps, debt.subject)
  if (!isLive(found)) return NO_MONEY_MOVES
  const payouts = await findPayoutAccount(tx, debt.traderId)
  const suspended = await findSuspended(tx, debt)
  const collected = isCollected(payouts, suspended)
  await writeFacts(tx, debt, await switchCollection(deps, found, collected), now)
  if (!collected) await voidDrafts(deps, tx, debt, now)
  await oweCollectionMails(tx, debt, now, { collected, payouts, suspended })
  return NO_MONEY_MOVES
}

/**
 * The disputed amount comes back from the trader, and the platform gives up its fee on it. Safe to repeat: it looks at
 * what was done for this dispute before.
 * @param amountCents that are still with the trader of it
 * @returns cents that were taken back for this dispute, now or before
 * @throws what Stripe throws
 */
async function takeBack(
  deps: BillingDeps,
  payment: InvoicePayment & { transfer: Transfer },
  amountCents: number,
  dispute: InvoiceDispute,
): Promise<number> {
  const { id } = payment.transfer
  const reason = { dispute: dispute.id }
  if (amountCents <= 0) return (await findReversal(deps, id, reason))?.amountCents ?? 0
  const refundFee = !isTaxed(payment) && payment.feeCents > payment.feeRefundedCents
  return reverseTransfer(deps, id, { amountCents, refundFee, reason })
}

/**
 * The bank gave the money back: the trader gets what they are short of. Safe to repeat.
 * @returns cents that went to the trader again
 * @throws what Stripe throws
 */
async function passOnAgain(
  deps: BillingDeps,
  payment: InvoicePayment,
  transfer: Transfer,
  dispute: InvoiceDispute,
): Promise<number> {
  const reversal = await findReversal(deps, transfer.id, { dispute: dispute.id })
  if (!reversal || dispute.status !== 'won') return 0
  // Of a payment that has gone back since, only what is kept counts.
  const short = shareOfTrader(payment, leftOf(payment)) - heldOf({ ...payment, transfer })
  // Of a taxed payment no fee went back with the reversal, which was the trader's share itself.
  const reversed = isTaxed(payment) ? reversal.amountCents : shareOfTrader(payment, reversal.amountCents)
  const amountCents = Math.min(reversed, short)
  const { destination } = transfer
  return transferAgain(deps, { ...reversal, amountCents, destination, disputeId: dispute.id })
}
