import type { PaymentsDeps } from '../payments/payments-deps.ts'
import type { PayoutAccount } from '../payments/payout-accounts.queries.ts'
import { endAtStripe, switchCollection } from './end-at-stripe.ts'
import type { PairRow } from './pair.queries.ts'
import { returnUnused, returnWhole } from './return-payment.ts'
import { isChargeback, settleDispute } from './settle-dispute.ts'
import { fetchInvoice, listPaidInvoices, type StripeInvoice, voidOpenInvoices } from './stripe-invoice.ts'
import { type EndReason, isLive, type Pair, type StripeSubscription } from './stripe-subscription.ts'

/** How long subscribers wait, without paying, for a trader who lost their payouts (decision G-56). */
const WAIT_FOR_PAYOUTS_MS = 30 * 86_400_000

export type Unsettled = {
  pair: Pair
  subscription: StripeSubscription
  invoices: StripeInvoice[]
  /** As it stands here; null when it is new. */
  row: PairRow | null
  /** An older one of the pair lives. */
  isDouble: boolean
  /** The trader's; null when there is none. */
  payouts: PayoutAccount | null
}

/** A subscription and its invoices once nothing is left to be done at Stripe. */
export type Settled = {
  subscription: StripeSubscription
  invoices: StripeInvoice[]
  row: PairRow | null
  payouts: PayoutAccount | null
  /** Cents that went to the trader a second time, after a dispute was won, by invoice. */
  passedAgain: Map<string, number>
}

/**
 * Does at Stripe what the rules of money ask for, and reads again what that changed. Every step looks first whether an
 * earlier run has done it.
 * @throws what Stripe throws
 */
export async function settleSubscription(deps: PaymentsDeps, facts: Unsettled, now: Date): Promise<Settled> {
  const { payouts, row } = facts
  const reason = facts.subscription.endReason ?? reasonToEnd(facts, now)
  let { invoices, subscription } = facts
  if (reason !== null) {
    if (isLive(subscription)) subscription = await endAtStripe(deps, subscription, reason)
    // What stands here with its reason was written after the money had been returned.
    if (row?.endReason !== reason) invoices = await returnMoney(deps, subscription, invoices, reason)
  } else if (isLive(subscription)) {
    subscription = await switchCollection(deps, subscription, payouts?.lostAt === null)
  }
  // Stripe keeps asking for what an ended subscription owes: nobody may pay for what they do not get any more.
  if (!isLive(subscription) && (row === null || isLive(row)))
    invoices = merge(invoices, await voidOpenInvoices(deps, subscription.id))
  return { subscription, row, payouts, ...(await settleDisputes(deps, invoices)) }
}

/** Whether the product has to end this subscription by itself, and why. */
function reasonToEnd({ subscription, ...facts }: Unsettled, now: Date): EndReason | null {
  if (!isLive(subscription)) return null
  if (facts.pair.traderId === facts.pair.subscriberId) return 'to_oneself'
  if (facts.isDouble) return 'double'
  if (facts.invoices.some(({ dispute }) => dispute && isChargeback(dispute))) return 'dispute'
  return isOutOfReach(facts.payouts, subscription, now) ? 'trader_unavailable' : null
}

/** Whether the trader cannot be paid for it any more: the account is closed, was replaced, or has waited too long. */
function isOutOfReach(payouts: PayoutAccount | null, subscription: StripeSubscription, now: Date): boolean {
  if (payouts === null || payouts.closedAt) return true
  if (subscription.destination !== payouts.stripeAccountId) return true
  return payouts.lostAt !== null && now.getTime() - payouts.lostAt.getTime() >= WAIT_FOR_PAYOUTS_MS
}

/** @returns the invoices as they are then, with those that were paid besides */
async function returnMoney(
  deps: PaymentsDeps,
  subscription: StripeSubscription,
  invoices: StripeInvoice[],
  reason: EndReason,
): Promise<StripeInvoice[]> {
  // What is disputed cannot be refunded: the bank has it already.
  if (reason === 'dispute') return invoices
  const { endedAt, id } = subscription
  const paid = await listPaidInvoices(deps, id, reason === 'trader_unavailable' ? 'newest' : 'all')
  for (const invoice of paid) {
    if (reason !== 'trader_unavailable') await returnWhole(deps, invoice, reason)
    else if (endedAt) await returnUnused(deps, invoice, endedAt, reason)
  }
  return merge(invoices, await Promise.all(paid.map((invoice) => readAgain(deps, invoice))))
}

/** Those that were read again stand in the place of what they were. */
function merge(invoices: StripeInvoice[], again: StripeInvoice[]): StripeInvoice[] {
  return [...invoices.filter(({ id }) => !again.some((one) => one.id === id)), ...again]
}

async function settleDisputes(
  deps: PaymentsDeps,
  invoices: StripeInvoice[],
): Promise<Pick<Settled, 'invoices' | 'passedAgain'>> {
  const settled: StripeInvoice[] = []
  const passedAgain = new Map<string, number>()
  for (const invoice of invoices) {
    const { dispute, payment } = invoice
    if (!dispute || !payment) {
      settled.push(invoice)
      continue
    }
    passedAgain.set(invoice.id, await settleDispute(deps, payment, dispute))
    settled.push(await readAgain(deps, invoice))
  }
  return { invoices: settled, passedAgain }
}

async function readAgain(deps: PaymentsDeps, invoice: StripeInvoice): Promise<StripeInvoice> {
  return (await fetchInvoice(deps, invoice.id, { maybeDisputed: invoice.dispute !== null })) ?? invoice
}
