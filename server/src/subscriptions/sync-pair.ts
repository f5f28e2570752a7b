import Stripe from 'stripe'
import { findCustomer } from '../payments/customers.queries.ts'
import type { PaymentsDeps } from '../payments/payments-deps.ts'
import { findPayoutAccount } from '../payments/payout-accounts.queries.ts'
import { withProviderLock } from '../payments/provider-lock.ts'
import type { Queryable } from '../platform/database.ts'
import { alertOperator } from './alert-operator.ts'
import { endForLostPayouts } from './end-without-asking.ts'
import { findDoubles } from './find-doubles.ts'
import { judgeSubscription } from './judge-subscription.ts'
import { findDisputed, findSuspended, listPairRows, type PairRow } from './pair.queries.ts'
import { pairLock } from './pair-lock.ts'
import { settleDebts } from './settle-debts.ts'
import { fetchInvoice, fetchOwedSince, type StripeInvoice } from './stripe-invoice.ts'
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

/**
 * Brings everything that is stored here of a pair in line with Stripe. First what is true is written: access, what is
 * to be done about money, mails; as far as Stripe lets it be read. Only then the money is dealt with, each debt
 * separately, so that a refusal of one call holds up neither access nor the others (decision record 0026). It does not
 * matter what set it off, in which order, or how often: it looks, and never adds up.
 * @throws what Stripe throws where it would not be read; the next run looks again. Failed debts are retried separately.
 */
export async function syncPair(deps: PaymentsDeps, pair: Pair, hint: Hint, now: Date): Promise<void> {
  await endForLostPayouts(deps, pair, now)
  const unread = await withProviderLock(deps.db, pairLock(pair), (tx) => look(deps, tx, pair, hint, now))
  await settleDebts(deps, pair, now)
  if (unread) throw unread
}

/** @returns why something could not be read, null when everything was */
async function look(
  deps: PaymentsDeps,
  tx: Queryable,
  pair: Pair,
  hint: Hint,
  now: Date,
): Promise<Stripe.errors.StripeError | null> {
  const rows = await listPairRows(tx, pair)
  const payouts = await findPayoutAccount(tx, pair.traderId)
  const suspended = await findSuspended(tx, pair)
  const faults: Stripe.errors.StripeError[] = []
  const found = await findSubscriptions(deps, tx, pair, rows, hint, faults)
  const doubles = findDoubles(pair, found, rows)
  const judged = []
  for (const subscription of found) {
    const invoices = await fetchInvoices(deps, tx, pair, subscription, hint, faults)
    const row = rows.find(({ stripeId }) => stripeId === subscription.id) ?? null
    const isDouble = doubles.has(subscription.id)
    const { pastDueDays } = deps.settings
    const owes = subscription.status === 'past_due'
    const owedSince = owes ? await orFault(faults, () => fetchOwedSince(deps, subscription.id), null) : null
    const facts = { subscription, invoices, row, isDouble, pair, payouts, suspended, pastDueDays, owedSince }
    judged.push(judgeSubscription(facts, now))
  }
  await writePair(tx, pair, judged, now)
  return faults[0] ?? null
}

/** Goes on without what Stripe does not tell, and remembers why. */
async function orFault<T>(
  faults: Stripe.errors.StripeError[],
  read: () => Promise<T>,
  otherwise: T,
): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error
    faults.push(error)
    return otherwise
  }
}

/**
 * Everything of the pair that lives at Stripe or here, and what the hint names, the oldest first. When Stripe does not
 * tell all of it, only what is stored here already: for the others it is unknown whether they are the second of two.
 */
async function findSubscriptions(
  deps: PaymentsDeps,
  tx: Queryable,
  pair: Pair,
  rows: PairRow[],
  hint: Hint,
  faults: Stripe.errors.StripeError[],
): Promise<StripeSubscription[]> {
  const customer = await findCustomer(tx, pair.subscriberId)
  const customerId = customer?.stripeCustomerId
  const list = async () => (customerId ? listSubscriptionsOf(deps, customerId) : [])
  const found = new Map(
    (await orFault(faults, list, [])).filter(isOf(pair)).map((one) => [one.id, one] as const),
  )
  const living = rows.filter(isLive).flatMap(({ stripeId }) => stripeId ?? [])
  for (const id of new Set([...living, ...(hint.subscriptionId ? [hint.subscriptionId] : [])])) {
    if (found.has(id)) continue
    const before = faults.length
    const subscription = await orFault(faults, () => fetchSubscription(deps, id), null)
    if (subscription && isOf(pair)(subscription)) found.set(id, subscription)
    else if (living.includes(id) && faults.length === before)
      await alertOperator(tx, 'a subscription that lives here is not at Stripe', id)
  }
  const whole = faults.length === 0
  const known = [...found.values()].filter(({ id }) => whole || rows.some(({ stripeId }) => stripeId === id))
  return known.sort(byAge)
}

const isOf = (pair: Pair) => (subscription: StripeSubscription) =>
  subscription.pair?.traderId === pair.traderId && subscription.pair.subscriberId === pair.subscriberId

/** The id decides between those of one second. */
function byAge(one: StripeSubscription, other: StripeSubscription): number {
  return one.createdAt.getTime() - other.createdAt.getTime() || (one.id < other.id ? -1 : 1)
}

/** The newest invoice, and the one that the hint names. */
async function fetchInvoices(
  deps: PaymentsDeps,
  tx: Queryable,
  { traderId }: Pair,
  subscription: StripeSubscription,
  hint: Hint,
  faults: Stripe.errors.StripeError[],
): Promise<StripeInvoice[]> {
  const hinted = hint.subscriptionId === subscription.id ? hint.invoiceId : undefined
  const ids = new Set([subscription.latestInvoiceId, hinted].flatMap((id) => id ?? []))
  const invoices: StripeInvoice[] = []
  for (const id of ids) {
    const known = await findDisputed(tx, { traderId, invoiceId: id })
    const maybeDisputed = known === true || (id === hinted && hint.disputed === true)
    const invoice = await orFault(faults, () => fetchInvoice(deps, id, { maybeDisputed }), null)
    if (invoice?.subscriptionId === subscription.id) invoices.push(invoice)
  }
  return invoices
}
