import { findCustomer } from '../payments/customers.queries.ts'
import type { PaymentsDeps } from '../payments/payments-deps.ts'
import { findPayoutAccount, type PayoutAccount } from '../payments/payout-accounts.queries.ts'
import { withProviderLock } from '../payments/provider-lock.ts'
import type { Queryable } from '../platform/database.ts'
import { findDisputed, listPairRows, type PairRow } from './pair.queries.ts'
import { settleSubscription } from './settle-subscription.ts'
import { fetchInvoice, type StripeInvoice } from './stripe-invoice.ts'
import {
  fetchSubscription,
  isLive,
  listSubscriptionsOf,
  type Pair,
  type StripeSubscription,
} from './stripe-subscription.ts'
import { writePair } from './write-pair.ts'

/** What gave reason to look, beside all of the pair that lives. */
export type Hint = {
  subscriptionId?: string
  invoiceId?: string
  /** Look for a dispute of that invoice, although its charge may say nothing of it. */
  disputed?: boolean
}

/** A pair as it stands here, read under its lock. */
export type PairHere = {
  rows: PairRow[]
  payouts: PayoutAccount | null
}

/**
 * Brings everything that stands here of a pair in line with Stripe: reads what is there while it holds the pair's lock,
 * does what the rules of money ask for (a second subscription returned, a dispute, payouts lost) and writes what is then
 * true. It does not matter what set it off, in which order, or how often: it looks, and never adds up.
 * @throws what Stripe throws; nothing is written then, and the next run goes on from what was done there
 */
export async function syncPair(deps: PaymentsDeps, pair: Pair, hint: Hint, now: Date): Promise<void> {
  await withProviderLock(deps.db, `pair:${pair.traderId}:${pair.subscriberId}`, async (tx) => {
    const here: PairHere = {
      rows: await listPairRows(tx, pair),
      payouts: await findPayoutAccount(tx, pair.traderId),
    }
    const found = await findSubscriptions(deps, tx, pair, here, hint)
    const kept = chooseKept(pair, found, here.rows)
    const settled = []
    for (const subscription of found) {
      const invoices = await fetchInvoices(deps, tx, pair, subscription, hint)
      const row = here.rows.find(({ stripeId }) => stripeId === subscription.id) ?? null
      const isDouble = kept !== null && isLive(subscription) && subscription.id !== kept
      const facts = { subscription, invoices, row, isDouble, pair, payouts: here.payouts }
      settled.push(await settleSubscription(deps, facts, now))
    }
    await writePair(tx, pair, settled, now)
  })
}

/** Everything of the pair that lives at Stripe or here, and what the hint names. */
async function findSubscriptions(
  deps: PaymentsDeps,
  tx: Queryable,
  pair: Pair,
  here: PairHere,
  hint: Hint,
): Promise<StripeSubscription[]> {
  const customer = await findCustomer(tx, pair.subscriberId)
  const listed = customer?.stripeCustomerId ? await listSubscriptionsOf(deps, customer.stripeCustomerId) : []
  const found = new Map(listed.filter(isOf(pair)).map((one) => [one.id, one]))
  const named = here.rows.filter(isLive).flatMap(({ stripeId }) => stripeId ?? [])
  if (hint.subscriptionId) named.push(hint.subscriptionId)
  for (const id of named) {
    if (found.has(id)) continue
    const subscription = await fetchSubscription(deps, id)
    if (subscription && isOf(pair)(subscription)) found.set(id, subscription)
  }
  return [...found.values()].sort(byAge)
}

const isOf = (pair: Pair) => (subscription: StripeSubscription) =>
  subscription.pair?.traderId === pair.traderId && subscription.pair.subscriberId === pair.subscriberId

/** The id decides between those of one second. */
function byAge(one: StripeSubscription, other: StripeSubscription): number {
  return one.createdAt.getTime() - other.createdAt.getTime() || (one.id < other.id ? -1 : 1)
}

/**
 * Which of the living may stay: the oldest that the product has not begun to end. One that stands here without Stripe's
 * having sold it comes first.
 * @returns its id, an empty text when none may stay, or null when none lives
 */
function chooseKept(pair: Pair, byAge: StripeSubscription[], rows: PairRow[]): string | null {
  const living = byAge.filter(isLive)
  if (living.length === 0 || pair.traderId === pair.subscriberId) return null
  if (rows.some((row) => isLive(row) && row.stripeId === null)) return ''
  return (living.find(({ endReason }) => endReason === null) ?? living[0])?.id ?? null
}

/** The newest invoice, and the one that the hint names. */
async function fetchInvoices(
  deps: PaymentsDeps,
  tx: Queryable,
  { traderId }: Pair,
  subscription: StripeSubscription,
  hint: Hint,
): Promise<StripeInvoice[]> {
  const hinted = hint.subscriptionId === subscription.id ? hint.invoiceId : undefined
  const ids = new Set([subscription.latestInvoiceId, hinted].flatMap((id) => id ?? []))
  const invoices: StripeInvoice[] = []
  for (const id of ids) {
    const known = await findDisputed(tx, { traderId, invoiceId: id })
    const maybeDisputed = known === true || (id === hinted && hint.disputed === true)
    const invoice = await fetchInvoice(deps, id, { maybeDisputed })
    if (invoice?.subscriptionId === subscription.id) invoices.push(invoice)
  }
  return invoices
}
