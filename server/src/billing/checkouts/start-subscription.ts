import { setTimeout as pause } from 'node:timers/promises'
import { readUsername } from '@tradepost/contract/typed-name'
import { isUsername } from '@tradepost/contract/username'
import { findByUsername } from '../../accounts/accounts.queries.ts'
import { isUniqueViolation, type Queryable, withTransaction } from '../../platform/database.ts'
import { refusal } from '../../platform/http/refusal.ts'
import { newId } from '../../platform/ids.ts'
import type { Pair } from '../../stripe/subscriptions.ts'
import { findCustomer } from '../customers/customers.queries.ts'
import { readRelationship } from '../entitlements/may-subscribe.ts'
import { findPayoutAccount } from '../payouts/payout-accounts.queries.ts'
import { ensureTraderPrice } from '../prices/trader-price.ts'
import { askStripe } from '../provider/ask-stripe.ts'
import type { PaymentsDeps } from '../provider/payments-deps.ts'
import { type Checkout, findOpenCheckout, insertCheckout } from './checkout-sessions.queries.ts'
import { CUT_OFF_MS } from './checkouts.jobs.ts'
import { followCheckout, type Parties } from './follow-checkout.ts'

/** One to find a checkout that is over, one to begin again, and some for what another tab does meanwhile. */
const ROUNDS = 5
const ROUND_PAUSE_MS = 250

/**
 * Leads a person to the page on which they pay a monthly subscription to a trader (docs/specification.md section 7). A checkout
 * of the pair that is still open is taken up again, so two clicks lead to one page (G-53). No connection to the database is
 * held while Stripe thinks.
 * @param username the trader's, in any case
 * @returns the page's address
 * @throws user_not_found, self_subscription, already_subscribed, not_subscribable, customer_required, currency_conflict,
 * payment_refused, payment_provider_error
 */
export function startSubscription(
  deps: PaymentsDeps,
  caller: { userId: string },
  username: string,
  now: Date,
): Promise<string> {
  return askStripe(deps, now, () => findPage(deps, caller, username, now))
}

async function findPage(
  deps: PaymentsDeps,
  caller: { userId: string },
  username: string,
  now: Date,
): Promise<string> {
  const name = readUsername(username)
  const trader = isUsername(name) ? await findByUsername(deps.db, name) : null
  if (!trader) throw refusal('user_not_found')
  const pair = { traderId: trader.userId, subscriberId: caller.userId }
  for (let round = 0; round < ROUNDS; round += 1) {
    if (round > 1) await pause(ROUND_PAUSE_MS)
    await checkMaySubscribe(deps.db, pair)
    const parties = { ...(await findParties(deps.db, pair)), trader: trader.username }
    const checkout = (await findOpenCheckout(deps.db, pair)) ?? (await beginCheckout(deps, pair, trader, now))
    const url = checkout && (await followCheckout(deps, checkout, parties, now))
    if (url) return url
  }
  throw refusal('payment_provider_error')
}

/** @throws self_subscription, already_subscribed, not_subscribable */
async function checkMaySubscribe(db: Queryable, { subscriberId, traderId }: Pair): Promise<void> {
  const relationship = await readRelationship(db, subscriberId, traderId)
  if (relationship.isSelf) throw refusal('self_subscription')
  if (relationship.isSubscribed) throw refusal('already_subscribed')
  if (!relationship.canSubscribe) throw refusal('not_subscribable')
}

/** Who pays and who is paid, at Stripe. @throws customer_required */
async function findParties(db: Queryable, pair: Pair): Promise<Omit<Parties, 'trader'>> {
  const customer = await findCustomer(db, pair.subscriberId)
  if (!customer?.stripeCustomerId) throw refusal('customer_required')
  const account = await findPayoutAccount(db, pair.traderId)
  if (!account?.stripeAccountId) throw refusal('not_subscribable')
  return { customer: customer.stripeCustomerId, destination: account.stripeAccountId }
}

/** @returns null when somebody else began one in this moment */
async function beginCheckout(
  deps: PaymentsDeps,
  pair: Pair,
  trader: { userId: string; username: string },
  now: Date,
): Promise<Checkout | null> {
  const price = await ensureTraderPrice(deps, trader, now)
  const checkout: Checkout = {
    ...pair,
    ...price,
    id: newId(),
    stripeSessionId: null,
    url: null,
    feePercent: deps.settings.platformFeePercent.toFixed(2),
    createdAt: now,
  }
  try {
    await withTransaction(deps.db, async (tx) => {
      await insertCheckout(tx, checkout, new Date(now.getTime() + CUT_OFF_MS))
      // Asked once the pair's place is taken: a payment that came in meanwhile gave the place free and is seen here.
      await checkMaySubscribe(tx, pair)
    })
    return checkout
  } catch (error) {
    if (isUniqueViolation(error, 'checkout_sessions_one_open_a_pair')) return null
    throw error
  }
}
