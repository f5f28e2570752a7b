import { refusal } from '../../platform/http/refusal.ts'
import { fetchCheckout, openCheckoutPage } from '../../stripe/checkouts.ts'
import {
  isCode,
  isCurrencyConflict,
  isInvalidRequest,
  isMissing,
  type StripeError,
} from '../../stripe/stripe-errors.ts'
import { forgetCustomer, setUpCustomer } from '../customers/set-up-customer.ts'
import { lookAtPayoutAccount } from '../payouts/payouts.jobs.ts'
import { forgetTraderPrice } from '../prices/trader-price.ts'
import { tellOfRefusal } from '../provider/ask-stripe.ts'
import type { PaymentsDeps } from '../provider/payments-deps.ts'
import {
  type Checkout,
  failCheckout,
  listOpenCheckoutsBy,
  settleCheckout,
  storeCheckoutPage,
} from './checkout-sessions.queries.ts'
import { CUT_OFF_MS, lookAtCheckout } from './checkouts.jobs.ts'
import { endCheckout } from './end-checkout.ts'

/** Who pays and who is paid, at Stripe, and what the trader is called. */
export type Parties = { customer: string; destination: string; trader: string }

/** Stripe ends a checkout after a day and says so; a word that was lost is missed an hour later. */
const LOOK_AFTER_MS = 25 * 3_600_000

/**
 * Finds the page of an open checkout.
 * @returns its address; null when this checkout leads nowhere any more and another one may be begun
 * @throws already_subscribed when it has been paid, not_subscribable, and what Stripe throws
 */
export async function followCheckout(
  deps: PaymentsDeps,
  checkout: Checkout,
  parties: Parties,
  now: Date,
): Promise<string | null> {
  if (checkout.stripeSessionId !== null) return resume(deps, checkout, checkout.stripeSessionId, now)
  if (now.getTime() - checkout.createdAt.getTime() < CUT_OFF_MS) return open(deps, checkout, parties, now)
  await failCheckout(deps.db, checkout, now)
  return null
}

async function resume(
  deps: PaymentsDeps,
  checkout: Checkout,
  sessionId: string,
  now: Date,
): Promise<string | null> {
  const session = await fetchCheckout(deps, sessionId)
  if (session?.status === 'open' && session.url) return session.url
  if (session?.status === 'complete') {
    await lookAtCheckout(deps.db, checkout, now)
    throw refusal('already_subscribed')
  }
  await settleCheckout(deps.db, checkout, 'expired', now)
  return null
}

async function open(
  deps: PaymentsDeps,
  checkout: Checkout,
  parties: Parties,
  now: Date,
): Promise<string | null> {
  try {
    const { id, url } = await openCheckoutPage(deps, checkout, parties)
    if (!url) throw new Error('a checkout at Stripe has no page')
    const lookAt = new Date(now.getTime() + LOOK_AFTER_MS)
    return (await storeCheckoutPage(deps.db, checkout, { stripeSessionId: id, url }, lookAt)) ? url : null
  } catch (error) {
    // The other of two clicks is about to get the page.
    if (isCode(error, 'idempotency_key_in_use')) return null
    // Whatever Stripe made of it: nobody knows the page, so nobody can pay there.
    await failCheckout(deps.db, checkout, now)
    if (await mend(deps, checkout, parties, error, now)) return null
    throw error
  }
}

/**
 * Forgets what Stripe has lost, so that it is made again, and makes way for another currency.
 * @returns whether another try has a chance
 * @throws not_subscribable when the trader cannot be paid, currency_conflict
 */
async function mend(
  deps: PaymentsDeps,
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
  if (isCurrencyConflict(error)) return makeWay(deps, checkout, error, now)
  const namesTrader = error.param?.startsWith('subscription_data[transfer_data]') === true
  if (!namesTrader && error.code !== 'insufficient_capabilities_for_transfer') return false
  // Stripe knows better than what is stored here about the trader's account.
  await lookAtPayoutAccount(db, traderId, now)
  throw refusal('not_subscribable')
}

/**
 * Ends the person's other checkouts that wait in another currency, since Stripe takes none beside them.
 * @returns true: one was ended
 * @throws currency_conflict when none was, so that a subscription is in the way; the operator is mailed
 */
async function makeWay(
  deps: PaymentsDeps,
  { currency, subscriberId }: Checkout,
  error: StripeError,
  now: Date,
): Promise<boolean> {
  const open = await listOpenCheckoutsBy(deps.db, subscriberId)
  let ended = false
  for (const one of open.filter((other) => other.currency !== currency))
    if (await endCheckout(deps, one, now)) ended = true
  if (ended) return true
  await tellOfRefusal(deps.db, error, now, 'Stripe takes no second currency from a customer')
  throw refusal('currency_conflict')
}
