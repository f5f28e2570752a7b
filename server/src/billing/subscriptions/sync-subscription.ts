import type { Queryable } from '../../platform/database/queryable.ts'
import { fetchInvoice, fetchOwedSince, type StripeInvoice } from '../../stripe/invoices.ts'
import { isStripeError, type StripeError } from '../../stripe/stripe-errors.ts'
import {
  fetchSubscription,
  isLive,
  listSubscriptionsOf,
  type Pair,
  type StripeSubscription,
} from '../../stripe/subscriptions.ts'
import { keepConsents } from '../checkouts/keep-consents.ts'
import { findCustomer, findUserOfCustomer } from '../customers/customers.queries.ts'
import { findStoredDispute } from '../debts/invoices.queries.ts'
import { settleDebts } from '../debts/settle-debts.ts'
import {
  arePeople,
  findClosed,
  findPairOfSubscription,
  findSuspended,
  listPairRows,
  type PairRow,
} from '../entitlements/pair.queries.ts'
import { findPayoutAccount } from '../payouts/payout-accounts.queries.ts'
import { presentPrice } from '../prices/followers-price.ts'
import { findDatedPrices } from '../prices/own-prices.queries.ts'
import { alertOperator } from '../provider/alert-operator.ts'
import type { BillingDeps, Read } from '../provider/billing-deps.ts'
import { pairLock, withProviderLock } from '../provider/provider-lock.ts'
import { claimTrials } from './claim-trials.ts'
import { endWithoutStripe } from './end-without-asking.ts'
import { judgeSubscription, type Owed } from './judge-subscription.ts'
import { writePair } from './write-pair.ts'

/** `ignored`: it is another product's or deployment's, or is not what its mark claims. */
export type SyncOutcome = 'done' | 'ignored'

/**
 * Brings a subscription, its pair and its payments in line with Stripe (`syncPair`).
 * @param id Stripe's
 * @param hint an invoice that an event was about, if any
 * @throws what Stripe throws; `syncPair` names what has been written then
 */
export async function syncSubscription(
  deps: BillingDeps,
  id: string,
  hint: Omit<Hint, 'subscriptionId'>,
  now: Date,
): Promise<SyncOutcome> {
  const pair = (await findPairOfSubscription(deps.db, id)) ?? (await findPairAtStripe(deps, id, now))
  if (!pair) return 'ignored'
  await syncPair(deps, pair, { ...hint, subscriptionId: id }, now)
  return 'done'
}

/** The pair of a subscription that is not stored here yet; null when it is none of ours. */
async function findPairAtStripe(deps: BillingDeps, id: string, now: Date): Promise<Pair | null> {
  const subscription = await fetchSubscription(deps, id)
  if (!subscription) return null
  const { pair } = subscription
  if (pair && (await isOwnersOwn(deps, subscription, pair))) return pair
  await alertOperator(deps.db, 'a subscription bears our mark and is none of ours', id, now)
  return null
}

/** Metadata can be copied; the customer whose card pays cannot. */
async function isOwnersOwn(
  { db }: BillingDeps,
  subscription: StripeSubscription,
  pair: Pair,
): Promise<boolean> {
  const payer = await findUserOfCustomer(db, subscription.customerId)
  return payer === pair.subscriberId && (await arePeople(db, pair))
}

/** The subject of an event or a job, by Stripe's ids: it is read at Stripe besides all live subscriptions of the pair. */
type Hint = {
  subscriptionId?: string
  invoiceId?: string
  /** Asks Stripe for a dispute of that invoice's payment, even where the charge is not marked as disputed. */
  disputed?: boolean
}

/**
 * Brings everything that the database holds of a pair (trader and subscriber) in line with Stripe, in two steps (ADR
 * 0026). The first reads Stripe and writes access, debts and mails in one transaction; what Stripe does not answer is left
 * for the next run. The second settles each debt separately, so that one refused call delays neither access nor the other
 * debts. Every run writes absolute state, so it may run at any time, in any order and any number of times.
 * @param now UTC
 * @throws the first error of Stripe among the reads, after everything else has been written. Failed debts do not throw:
 *   their rows have the time of the next try.
 */
async function syncPair(deps: BillingDeps, pair: Pair, hint: Hint, now: Date): Promise<void> {
  await endWithoutStripe(deps, pair, now)
  const unread = await withProviderLock(deps.db, pairLock(pair), (tx) => look(deps, tx, pair, hint, now))
  await settleDebts(deps, pair, now)
  if (unread) throw unread
}

/**
 * Reads the pair at Stripe, applies the rules and writes the result.
 * @returns the first error of Stripe among the reads; null when everything was read
 */
async function look(
  deps: BillingDeps,
  tx: Queryable,
  pair: Pair,
  hint: Hint,
  now: Date,
): Promise<StripeError | null> {
  const rows = await listPairRows(tx, pair)
  const payouts = await findPayoutAccount(tx, pair.traderId)
  const suspended = await findSuspended(tx, pair)
  const closed = await findClosed(tx, pair)
  const named = await findDatedPrices(tx, pair.traderId)
  const faults: StripeError[] = []
  const found = await findSubscriptions(deps, tx, pair, rows, hint, faults, now)
  const claimed = await claimTrials(deps, tx, pair, { found, rows, now }, (read) => tryToRead(faults, read))
  const judged = []
  for (const subscription of claimed.known) {
    const invoices = await fetchInvoices(deps, tx, pair, subscription, hint, faults)
    const row = rows.find(({ stripeId }) => stripeId === subscription.id) ?? null
    const isDouble = claimed.doubles.has(subscription.id)
    const isTrialRefused = claimed.refused.has(subscription.id)
    const { pastDueDays } = deps.settings
    const owed =
      subscription.status === 'past_due'
        ? await fetchOwed(deps, subscription.id, faults)
        : ({ kind: 'nothing' } as const)
    const facts = {
      subscription,
      invoices,
      row,
      isDouble,
      isTrialRefused,
      pair,
      payouts,
      suspended,
      closed,
      pastDueDays,
      owed,
      present: presentPrice(named, subscription, deps.settings),
    }
    judged.push(judgeSubscription(facts, now))
  }
  await writePair(tx, pair, judged, now)
  const stored = new Set(rows.map(({ stripeId }) => stripeId))
  await keepConsents(deps, tx, pair, { known: claimed.known, stored, now }, (read) => tryToRead(faults, read))
  return faults[0] ?? null
}

/**
 * Reads at Stripe, and collects an error of Stripe instead of throwing it.
 * @param faults errors so far; a new one is appended
 * @throws every other error
 */
async function tryToRead<T>(faults: StripeError[], read: () => Promise<T>): Promise<Read<T>> {
  try {
    return { kind: 'read', value: await read() }
  } catch (error) {
    if (!isStripeError(error)) throw error
    faults.push(error)
    return { kind: 'unread' }
  }
}

async function fetchOwed(deps: BillingDeps, subscriptionId: string, faults: StripeError[]): Promise<Owed> {
  const since = await tryToRead(faults, () => fetchOwedSince(deps, subscriptionId))
  if (since.kind === 'unread') return { kind: 'unread' }
  return since.value === null ? { kind: 'nothing' } : { kind: 'since', instant: since.value }
}

/**
 * The pair's subscriptions that are live at Stripe or in the database, and the one that the hint names; the oldest first.
 * When a read fails, only those that the database already knows: without all of them nobody knows whether a new one is
 * the second of two.
 */
async function findSubscriptions(
  deps: BillingDeps,
  tx: Queryable,
  pair: Pair,
  rows: PairRow[],
  hint: Hint,
  faults: StripeError[],
  now: Date,
): Promise<StripeSubscription[]> {
  const customer = await findCustomer(tx, pair.subscriberId)
  const customerId = customer?.stripeCustomerId
  const listed = await tryToRead(faults, async () =>
    customerId ? listSubscriptionsOf(deps, customerId) : [],
  )
  const listedOnes = listed.kind === 'read' ? listed.value : []
  const found = new Map(listedOnes.filter(isOf(pair)).map((one) => [one.id, one] as const))
  const living = rows.filter(isLive).flatMap(({ stripeId }) => stripeId ?? [])
  for (const id of new Set([...living, ...(hint.subscriptionId ? [hint.subscriptionId] : [])])) {
    if (found.has(id)) continue
    const subscription = await tryToRead(faults, () => fetchSubscription(deps, id))
    if (subscription.kind === 'unread') continue
    if (subscription.value && isOf(pair)(subscription.value)) found.set(id, subscription.value)
    else if (living.includes(id))
      await alertOperator(tx, 'a subscription that lives here is not at Stripe', id, now)
  }
  const whole = faults.length === 0
  const known = [...found.values()].filter(({ id }) => whole || rows.some(({ stripeId }) => stripeId === id))
  return known.sort(byAge)
}

const isOf = (pair: Pair) => (subscription: StripeSubscription) =>
  subscription.pair?.traderId === pair.traderId && subscription.pair.subscriberId === pair.subscriberId

/** Stripe dates in whole seconds; within one second the id decides. */
function byAge(one: StripeSubscription, other: StripeSubscription): number {
  return one.createdAt.getTime() - other.createdAt.getTime() || (one.id < other.id ? -1 : 1)
}

/** The subscription's newest invoice and the one that the hint names, without those that could not be read. */
async function fetchInvoices(
  deps: BillingDeps,
  tx: Queryable,
  { traderId }: Pair,
  subscription: StripeSubscription,
  hint: Hint,
  faults: StripeError[],
): Promise<StripeInvoice[]> {
  const hinted = hint.subscriptionId === subscription.id ? hint.invoiceId : undefined
  const ids = new Set([subscription.latestInvoiceId, hinted].flatMap((id) => id ?? []))
  const invoices: StripeInvoice[] = []
  for (const id of ids) {
    const wasDisputed = (await findStoredDispute(tx, { traderId, invoiceId: id })) !== null
    const maybeDisputed = wasDisputed || (id === hinted && hint.disputed === true)
    const invoice = await tryToRead(faults, () => fetchInvoice(deps, id, { maybeDisputed }))
    if (invoice.kind === 'read' && invoice.value?.subscriptionId === subscription.id)
      invoices.push(invoice.value)
  }
  return invoices
}
