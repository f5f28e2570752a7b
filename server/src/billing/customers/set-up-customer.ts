import { findUser } from '../../auth/users/users.queries.ts'
import { type Queryable, withTransaction } from '../../platform/database.ts'
import { refusal } from '../../platform/http/refusal.ts'
import { createCustomer, customerExists } from '../../stripe/customers.ts'
import { isKeySpent } from '../../stripe/stripe-errors.ts'
import { askStripe } from '../provider/ask-stripe.ts'
import type { PaymentsDeps } from '../provider/payments-deps.ts'
import { FIRST_RETRY_MS } from '../provider/retry-times.ts'
import {
  clearCustomer,
  findCustomer,
  findUserOfCustomer,
  insertFormerCustomer,
  raiseCustomerGeneration,
  requestCustomer,
  storeCustomer,
} from './customers.queries.ts'

/**
 * Makes the person a customer at Stripe (decision G-30). Safe to repeat and to race: a row says so before Stripe is
 * asked, and the idempotency key leads every call of a generation to the one customer. What is left undone is tried
 * again automatically.
 * @returns the customer's id at Stripe
 * @throws payment_refused, payment_provider_error; the row stays pending
 */
export async function setUpCustomer(
  deps: PaymentsDeps,
  person: { userId: string },
  now: Date,
): Promise<string> {
  const retryAt = new Date(now.getTime() + FIRST_RETRY_MS)
  const { generation, stripeCustomerId } = await requestCustomer(deps.db, person.userId, retryAt, now)
  return stripeCustomerId ?? finish(deps, { userId: person.userId, generation }, now)
}

/** Finishes a set-up that was begun; nothing happens when nobody waits for it. @throws as `setUpCustomer` */
export async function finishCustomerSetUp(deps: PaymentsDeps, userId: string, now: Date): Promise<void> {
  const customer = await findCustomer(deps.db, userId)
  if (customer?.state === 'pending' && customer.retryAt)
    await finish(deps, { userId, generation: customer.generation }, now)
}

type Wanted = { userId: string; generation: number }

async function finish(deps: PaymentsDeps, wanted: Wanted, now: Date): Promise<string> {
  const made = await askStripe(deps, now, () => create(deps, wanted))
  await storeCustomer(deps.db, { ...wanted, stripeCustomerId: made })
  const stored = await findCustomer(deps.db, wanted.userId)
  // Forgotten again in between: the next try makes another one.
  if (!stored?.stripeCustomerId) throw refusal('payment_provider_error')
  return stored.stripeCustomerId
}

async function create(deps: PaymentsDeps, wanted: Wanted): Promise<string> {
  const user = await findUser(deps.db, wanted.userId)
  try {
    return await createCustomer(deps, { ...wanted, email: user?.email ?? '' })
  } catch (error) {
    if (isKeySpent(error)) await raiseCustomerGeneration(deps.db, wanted)
    throw error
  }
}

/**
 * Forgets a customer of whom Stripe said that there is none; who they were stays known. Nobody makes a new one until
 * the person asks for it. Safe to repeat.
 */
export function forgetCustomer(
  db: Queryable,
  userId: string,
  stripeCustomerId: string,
  now: Date,
): Promise<void> {
  return withTransaction(db, async (tx) => {
    if (await clearCustomer(tx, userId, stripeCustomerId))
      await insertFormerCustomer(tx, { userId, stripeCustomerId }, now)
  })
}

/**
 * Looks whether a customer still exists, and forgets one that does not: what a `customer.deleted` asks for.
 * @returns whose customer it is or was; null when it is nobody's here
 */
export async function syncCustomer(
  deps: PaymentsDeps,
  stripeCustomerId: string,
  now: Date,
): Promise<{ userId: string; exists: boolean } | null> {
  const userId = await findUserOfCustomer(deps.db, stripeCustomerId)
  if (userId === null) return null
  const exists = await customerExists(deps, stripeCustomerId)
  if (!exists) await forgetCustomer(deps.db, userId, stripeCustomerId, now)
  return { userId, exists }
}
