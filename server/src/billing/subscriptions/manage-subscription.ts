import * as z from 'zod'
import type { Queryable } from '../../platform/database/queryable.ts'
import { refusal } from '../../platform/http/refusal.ts'
import { openPortal } from '../customers/open-portal.ts'
import type { BillingDeps } from '../provider/billing-deps.ts'
import { findOwn, type OwnSubscription, switchMail } from './own-subscriptions.queries.ts'

const uuid = z.uuid()

/**
 * A way into the billing portal for one of the caller's subscriptions (rule G-08): to its end while it renews and is
 * paid, else to the portal's first page, where a card can be changed or an end taken back.
 * @throws subscription_not_found, customer_required, payment_refused, payment_provider_error
 */
export async function manageSubscription(
  deps: BillingDeps,
  caller: { userId: string },
  id: string,
  now: Date,
): Promise<string> {
  const own = await requireOwn(deps.db, caller, id)
  const { stripeSubscriptionId: bought } = own
  const renews = own.cancelAt === null && (own.status === 'active' || own.status === 'trialing')
  return openPortal(deps, caller, now, bought && renews ? { cancelSubscription: bought } : {})
}

/**
 * Turns the mails about a trader's positions on or off; the subscription goes on. The link in each mail writes the same
 * field (rule G-63).
 * @returns whether they are on
 * @throws subscription_not_found
 */
export async function switchSubscriptionMail(
  db: Queryable,
  caller: { userId: string },
  id: string,
  enabled: boolean,
  now: Date,
): Promise<boolean> {
  await switchMail(db, await requireOwn(db, caller, id), enabled, now)
  return enabled
}

/** One of the caller's. @throws subscription_not_found */
export async function requireOwn(
  db: Queryable,
  caller: { userId: string },
  id: string,
): Promise<OwnSubscription> {
  const own = uuid.safeParse(id).success ? await findOwn(db, caller.userId, id) : null
  if (!own) throw refusal('subscription_not_found')
  return own
}
