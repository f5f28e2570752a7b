import type { TaxLiable } from '@tradepost/contract/tax'
import type { TrialDays } from '@tradepost/contract/trial'
import {
  closeCheckout,
  fetchCheckout,
  retrieveCheckout,
  type StripeCheckout,
} from '../../stripe/checkouts.ts'
import type { Amount } from '../../stripe/prices.ts'
import type { BillingDeps } from '../provider/billing-deps.ts'
import { CUT_OFF_MS, lookAtCheckout } from './checkouts.jobs.ts'
import { type Checkout, failCheckout, findCheckout, settleCheckout } from './checkouts.queries.ts'

/**
 * The state of a checkout after a sync. `paid`: the subscription that was bought, by Stripe's id, which the caller syncs; it names its
 * checkout and settles it with what is written of it. `ignored`: it is another product's or deployment's.
 */
export type CheckoutOutcome = { paid: string } | 'done' | 'ignored'

/**
 * Reads a checkout at Stripe, by its id there, and settles it here where it can be paid no more.
 * @throws what Stripe throws; nothing is written then
 */
export async function syncCheckoutByStripeId(
  deps: BillingDeps,
  stripeId: string,
  now: Date,
): Promise<CheckoutOutcome> {
  const found = await retrieveCheckout(deps, stripeId)
  return found.isOurs ? settleAs(deps, found, now) : 'ignored'
}

async function settleAs(
  { db }: BillingDeps,
  { key, status, subscriptionId }: StripeCheckout,
  now: Date,
): Promise<CheckoutOutcome> {
  if (status === 'complete' && subscriptionId) return { paid: subscriptionId }
  if (status === 'expired' && key) await settleCheckout(db, key, 'expired', now)
  return 'done'
}

/**
 * The same for an open checkout that is stored here. One that was cut off before it had a page is given up, and one whose page names no
 * terms, or other ones than those of now, is ended.
 */
export async function syncCheckout(
  deps: BillingDeps,
  key: { traderId: string; id: string },
  now: Date,
): Promise<CheckoutOutcome> {
  const { db } = deps
  const checkout = await findCheckout(db, key)
  if (!checkout) return 'done'
  if (checkout.stripeId === null) {
    if (now.getTime() - checkout.createdAt.getTime() >= CUT_OFF_MS) await failCheckout(db, key, now)
    return 'done'
  }
  const read = checkout.termsVersion === null ? closeCheckout : fetchCheckout
  const found = await read(deps, checkout.stripeId)
  if (found) return settleAs(deps, found, now)
  await settleCheckout(db, key, 'expired', now)
  return 'done'
}

/** Whether a checkout is for an amount, at the same interval, with the same code, after the same free days and under the same terms. */
export function isAt(
  checkout: Checkout,
  terms: Amount & {
    discount: { id: string } | null
    trialDays: TrialDays | null
    termsVersion: string | null
    taxLiable: TaxLiable | null
  },
): boolean {
  return (
    checkout.priceCents === terms.priceCents &&
    checkout.currency === terms.currency &&
    checkout.interval === terms.interval &&
    checkout.discountCodeId === (terms.discount?.id ?? null) &&
    checkout.trialDays === terms.trialDays &&
    checkout.termsVersion === terms.termsVersion &&
    checkout.taxLiable === terms.taxLiable
  )
}

/**
 * Makes sure that nobody can pay a checkout any more, and settles it. One that has been paid is made due, so that a worker
 * syncs its subscription.
 * @returns false when it has been paid
 * @throws what Stripe throws
 */
export async function endCheckout(deps: BillingDeps, checkout: Checkout, now: Date): Promise<boolean> {
  const { db } = deps
  if (checkout.stripeId === null) {
    await failCheckout(db, checkout, now)
    return true
  }
  const found = await closeCheckout(deps, checkout.stripeId)
  if (found?.status === 'complete') {
    await lookAtCheckout(db, checkout, now)
    return false
  }
  if (found) await settleAs(deps, found, now)
  else await settleCheckout(db, checkout, 'expired', now)
  return true
}
