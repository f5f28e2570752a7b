import { setTimeout as pause } from 'node:timers/promises'
import type { BillingInterval } from '@tradepost/contract/billing-interval'
import type { TaxLiable } from '@tradepost/contract/tax'
import type { TrialDays } from '@tradepost/contract/trial'
import { readUsername } from '@tradepost/contract/typed-name'
import { isUsername } from '@tradepost/contract/username'
import { findByUsername } from '../../accounts/accounts.queries.ts'
import { isUniqueViolation } from '../../platform/database/database-errors.ts'
import { type Queryable, withTransaction } from '../../platform/database/queryable.ts'
import { refusal } from '../../platform/http/refusal.ts'
import { newId } from '../../platform/ids.ts'
import { fetchCheckout, openCheckoutPage } from '../../stripe/checkouts.ts'
import type { Amount } from '../../stripe/prices.ts'
import {
  isCode,
  isCurrencyConflict,
  isInvalidRequest,
  isMissing,
  isTermsAddressMissing,
  type StripeError,
} from '../../stripe/stripe-errors.ts'
import type { Pair } from '../../stripe/subscriptions.ts'
import { findCustomer, forgetCustomer } from '../customers/customers.queries.ts'
import { setUpCustomer } from '../customers/set-up-customer.ts'
import { findCode, type StoredCode } from '../discounts/discount-codes.queries.ts'
import { findDiscount } from '../discounts/find-discount.ts'
import { ensurePromotionCode } from '../discounts/promotion-code.ts'
import { readRelationship } from '../entitlements/may-subscribe.ts'
import { findPayoutAccount } from '../payouts/payout-accounts.queries.ts'
import { lookAtPayoutAccount } from '../payouts/payouts.jobs.ts'
import { lockPrices } from '../prices/own-prices.queries.ts'
import { ensureTraderPrice, findAmount, forgetTraderPrice } from '../prices/trader-price.ts'
import type { BillingDeps } from '../provider/billing-deps.ts'
import { callStripe, notifyOfRefusal } from '../provider/call-stripe.ts'
import { noteTermsRefused, noteTermsTaken } from '../provider/platform.queries.ts'
import { findTrial } from '../trials/find-trial.ts'
import { CUT_OFF_MS, lookAtCheckout } from './checkouts.jobs.ts'
import {
  type Checkout,
  failCheckout,
  findOpenCheckout,
  insertCheckout,
  listOpenCheckoutsBy,
  settleCheckout,
  storeCheckoutPage,
} from './checkouts.queries.ts'
import { endCheckout, isAt } from './sync-checkout.ts'

/** One to find a checkout that is over, one to begin again, and some for what another tab does meanwhile. */
const ROUNDS = 5
const ROUND_PAUSE_MS = 250

/** The customer who pays and the account that is paid, at Stripe, the trader's name, and the code that leads back from the page. */
type Parties = { customer: string; destination: string; trader: string; code: string | null }

/** Stripe ends a checkout after a day and sends an event; one that was lost is missed an hour later. */
const LOOK_AFTER_MS = 25 * 3_600_000

/**
 * Leads a person to the page on which they pay a subscription to a trader (docs/specification.md section 7). A checkout of the pair
 * that is still open is taken up again, so two clicks lead to one page (G-53); one for other terms is ended. No connection to the
 * database is kept while Stripe thinks.
 * @param wanted.username the trader's, in any case
 * @returns the page's address
 * @throws user_not_found, self_subscription, already_subscribed, not_subscribable, yearly_not_offered, subscription_price_changed,
 * discount_code_not_found, trial_not_offered, customer_required, currency_conflict, payment_refused, payment_provider_error
 */
export function startSubscription(
  deps: BillingDeps,
  caller: { userId: string },
  wanted: Wanted,
  now: Date,
): Promise<string> {
  return callStripe(deps, now, () => findPage(deps, caller, wanted, now))
}

/**
 * @property priceCents what the person was shown; not given by a client that shows no price
 * @property trialDays the free days that the person was shown and wants; none unless given (rule G-123)
 */
type Wanted = {
  username: string
  interval?: BillingInterval | undefined
  discountCode?: string | undefined
  priceCents?: number | undefined
  trialDays?: TrialDays | undefined
}

/**
 * The amount and how often it is paid, the code that takes something off it, the free days before (null for none of each), the version of
 * the terms that one agrees to, and who owes the tax.
 */
type Terms = Amount & {
  discount: StoredCode | null
  trialDays: TrialDays | null
  termsVersion: string
  taxLiable: TaxLiable | null
}

async function findPage(
  deps: BillingDeps,
  caller: { userId: string },
  { discountCode, interval = 'month', priceCents, trialDays: asked, username }: Wanted,
  now: Date,
): Promise<string> {
  const name = readUsername(username)
  const trader = isUsername(name) ? await findByUsername(deps.db, name) : null
  if (!trader) throw refusal('user_not_found')
  const pair = { traderId: trader.userId, subscriberId: caller.userId }
  for (let round = 0; round < ROUNDS; round += 1) {
    if (round > 1) await pause(ROUND_PAUSE_MS)
    await checkMaySubscribe(deps, pair)
    const amount = await findAmount(deps, trader.userId, interval)
    if (!amount) throw refusal('yearly_not_offered')
    if (priceCents !== undefined && priceCents !== amount.priceCents)
      throw refusal('subscription_price_changed')
    const discount =
      discountCode === undefined ? null : await findDiscountOf(deps, pair, amount, discountCode, now)
    const trialDays = asked ?? null
    if (trialDays !== null && (await findTrial(deps, pair, now)) !== trialDays)
      throw refusal('trial_not_offered')
    const { taxLiable, terms: published } = deps.settings
    const terms = { ...amount, discount, trialDays, termsVersion: published.version, taxLiable }
    const names = { trader: trader.username, code: discount?.code ?? null }
    const parties = { ...(await findParties(deps.db, pair)), ...names }
    const open = await findOpenCheckout(deps.db, pair)
    if (open && !isAt(open, terms)) {
      if (await endCheckout(deps, open, now)) continue
      throw refusal('already_subscribed')
    }
    const checkout = open ?? (await beginCheckout(deps, pair, { trader, terms }, now))
    const url = checkout && (await followCheckout(deps, checkout, parties, now))
    if (url) return url
  }
  throw refusal('payment_provider_error')
}

/** Codes are for a month's price: of a year the first month would be the whole year. @throws discount_code_not_found */
function findDiscountOf(
  deps: BillingDeps,
  pair: Pair,
  { interval }: Amount,
  code: string,
  now: Date,
): Promise<StoredCode> {
  if (interval !== 'month') throw refusal('discount_code_not_found')
  return findDiscount(deps, pair, code, now)
}

/** @throws self_subscription, already_subscribed, not_subscribable */
async function checkMaySubscribe(
  deps: Pick<BillingDeps, 'db' | 'settings'>,
  { subscriberId, traderId }: Pair,
): Promise<void> {
  const relationship = await readRelationship(deps, subscriberId, traderId)
  if (relationship.isSelf) throw refusal('self_subscription')
  if (relationship.isSubscribed) throw refusal('already_subscribed')
  if (!relationship.canSubscribe) throw refusal('not_subscribable')
}

/** The customer who pays and the account that is paid, at Stripe. @throws customer_required */
async function findParties(db: Queryable, pair: Pair): Promise<Pick<Parties, 'customer' | 'destination'>> {
  const customer = await findCustomer(db, pair.subscriberId)
  if (!customer?.stripeCustomerId) throw refusal('customer_required')
  const account = await findPayoutAccount(db, pair.traderId)
  if (!account?.stripeAccountId) throw refusal('not_subscribable')
  return { customer: customer.stripeCustomerId, destination: account.stripeAccountId }
}

/** @returns null when somebody else began one in this moment, or the trader named another price or other free days */
async function beginCheckout(
  deps: BillingDeps,
  pair: Pair,
  { terms, trader }: { trader: { userId: string; username: string }; terms: Terms },
  now: Date,
): Promise<Checkout | null> {
  const { discount, interval, ...more } = terms
  const { trialDays } = more
  const price = await ensureTraderPrice(deps, trader, interval, now)
  if (!price) return null
  const promotionCode = discount && (await ensurePromotionCode(deps, trader, discount))
  const checkout: Checkout = {
    ...pair,
    ...price,
    discountCodeId: discount?.id ?? null,
    stripePromotionCodeId: promotionCode,
    trialDays,
    termsVersion: more.termsVersion,
    taxLiable: more.taxLiable,
    id: newId(),
    stripeId: null,
    url: null,
    feePercent: deps.settings.platformFeePercent.toFixed(2),
    createdAt: now,
  }
  try {
    return await withTransaction(deps.db, async (tx) => {
      // Whoever names another price waits for this, and ends the checkout behind it.
      await lockPrices(tx, pair.traderId, 'share')
      const amount = await findAmount({ ...deps, db: tx }, pair.traderId, interval)
      if (!amount || !isAt(checkout, { ...terms, ...amount })) return null
      if (discount && !(await findCode(tx, pair.traderId, discount.code))) return null
      if (trialDays !== null && (await findTrial({ ...deps, db: tx }, pair, now)) !== trialDays) return null
      await insertCheckout(tx, checkout, new Date(now.getTime() + CUT_OFF_MS))
      // Asked once the pair's place is taken: a payment that came in meanwhile gave the place free and is seen here.
      await checkMaySubscribe({ ...deps, db: tx }, pair)
      return checkout
    })
  } catch (error) {
    if (isUniqueViolation(error, 'checkout_sessions_one_open_a_pair')) return null
    throw error
  }
}

/**
 * Finds the page of an open checkout.
 * @returns its address; null when this checkout leads nowhere any more and another one may be begun
 * @throws already_subscribed when it has been paid, not_subscribable, and what Stripe throws
 */
async function followCheckout(
  deps: BillingDeps,
  checkout: Checkout,
  parties: Parties,
  now: Date,
): Promise<string | null> {
  if (checkout.stripeId !== null) return resume(deps, checkout, checkout.stripeId, now)
  if (now.getTime() - checkout.createdAt.getTime() < CUT_OFF_MS) return open(deps, checkout, parties, now)
  await failCheckout(deps.db, checkout, now)
  return null
}

async function resume(
  deps: BillingDeps,
  checkout: Checkout,
  stripeId: string,
  now: Date,
): Promise<string | null> {
  const found = await fetchCheckout(deps, stripeId)
  if (found?.status === 'open' && found.url) return found.url
  if (found?.status === 'complete') {
    await lookAtCheckout(deps.db, checkout, now)
    throw refusal('already_subscribed')
  }
  await settleCheckout(deps.db, checkout, 'expired', now)
  return null
}

async function open(
  deps: BillingDeps,
  checkout: Checkout,
  parties: Parties,
  now: Date,
): Promise<string | null> {
  try {
    const { id, url } = await openCheckoutPage(deps, checkout, parties)
    await noteTermsTaken(deps.db)
    if (!url) throw new Error('a checkout at Stripe has no page')
    const lookAt = new Date(now.getTime() + LOOK_AFTER_MS)
    return (await storeCheckoutPage(deps.db, checkout, { stripeId: id, url }, lookAt)) ? url : null
  } catch (error) {
    // The other of two clicks is about to get the page.
    if (isCode(error, 'idempotency_key_in_use')) return null
    // Stripe may have opened a page: nobody knows its address, so nobody can pay there.
    await failCheckout(deps.db, checkout, now)
    if (await mend(deps, checkout, parties, error, now)) return null
    throw error
  }
}

/**
 * Forgets what Stripe has lost, so that it is made again, and makes way for another currency.
 * @returns whether another try has a chance
 * @throws not_subscribable when the trader cannot be paid, discount_code_not_found, currency_conflict, payment_refused
 */
async function mend(
  deps: BillingDeps,
  checkout: Checkout,
  parties: Parties,
  error: unknown,
  now: Date,
): Promise<boolean> {
  if (!isInvalidRequest(error)) return false
  const { db } = deps
  const { subscriberId: userId, traderId } = checkout
  if (isMissing(error, 'customer')) {
    await forgetCustomer(db, userId, parties.customer, now)
    await setUpCustomer(deps, { userId }, now)
    return true
  }
  if (error.param?.startsWith('line_items')) {
    await forgetTraderPrice(db, traderId, checkout.stripePriceId, now)
    return true
  }
  // Its last use was taken, or its last day ended, while the page was opened.
  if (error.param?.startsWith('discounts')) throw refusal('discount_code_not_found')
  if (isTermsAddressMissing(error)) {
    await noteTermsRefused(db, now)
    await notifyOfRefusal(db, error, now, 'Stripe asks for the address of the terms in its public details')
    throw refusal('payment_refused')
  }
  if (error.code === 'stripe_tax_inactive') return refuseUntaxed(deps, checkout, error, now)
  if (isCurrencyConflict(error)) return makeWay(deps, checkout, error, now)
  const namesTrader = error.param?.startsWith('subscription_data[transfer_data]') === true
  if (!namesTrader && error.code !== 'insufficient_capabilities_for_transfer') return false
  // Stripe knows better than what is stored here about the trader's account.
  await lookAtPayoutAccount(db, traderId, now)
  throw refusal('not_subscribable')
}

/** Tax settings at Stripe are incomplete: of the trader, who takes no subscribers then, or the platform's own. */
async function refuseUntaxed(
  { db }: BillingDeps,
  { taxLiable, traderId }: Checkout,
  error: StripeError,
  now: Date,
): Promise<never> {
  if (taxLiable === 'platform') {
    await notifyOfRefusal(db, error, now, 'Stripe Tax is not set up')
    throw refusal('payment_refused')
  }
  await lookAtPayoutAccount(db, traderId, now)
  throw refusal('not_subscribable')
}

/**
 * Ends the person's other checkouts that wait in another currency, since Stripe takes none beside them.
 * @returns true: one was ended
 * @throws currency_conflict when none was, so that a subscription is in the way; the operator is mailed
 */
async function makeWay(
  deps: BillingDeps,
  { currency, subscriberId }: Checkout,
  error: StripeError,
  now: Date,
): Promise<boolean> {
  const open = await listOpenCheckoutsBy(deps.db, subscriberId)
  let ended = false
  for (const one of open.filter((other) => other.currency !== currency))
    if (await endCheckout(deps, one, now)) ended = true
  if (ended) return true
  await notifyOfRefusal(deps.db, error, now, 'Stripe takes no second currency from a customer')
  throw refusal('currency_conflict')
}
