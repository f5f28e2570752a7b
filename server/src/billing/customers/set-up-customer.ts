import { findUser } from '../../auth/users/users.queries.ts'
import { createCustomer, customerExists } from '../../stripe/customers.ts'
import type { BillingDeps } from '../provider/billing-deps.ts'
import { callStripe } from '../provider/call-stripe.ts'
import { FIRST_RETRY_MS, makeOnce } from '../provider/make-once.ts'
import {
  findCustomer,
  findUserOfCustomer,
  forgetCustomer,
  raiseCustomerGeneration,
  requestCustomer,
  storeCustomer,
} from './customers.queries.ts'

/**
 * Makes the person a customer at Stripe (rule G-30). Safe to repeat and to race (`makeOnce`). A set-up that is
 * left undone is tried again automatically.
 * @returns the customer's id at Stripe
 * @throws payment_refused, payment_provider_error; the row stays pending
 */
export async function setUpCustomer(
  deps: BillingDeps,
  person: { userId: string },
  now: Date,
): Promise<string> {
  const retryAt = new Date(now.getTime() + FIRST_RETRY_MS)
  const { generation, stripeCustomerId } = await requestCustomer(deps.db, person.userId, retryAt, now)
  return stripeCustomerId ?? finish(deps, { userId: person.userId, generation }, now)
}

/** Finishes a set-up that was begun; nothing happens when nobody waits for it. @throws as `setUpCustomer` */
export async function finishCustomerSetUp(deps: BillingDeps, userId: string, now: Date): Promise<void> {
  const customer = await findCustomer(deps.db, userId)
  if (customer?.state === 'pending' && customer.retryAt)
    await finish(deps, { userId, generation: customer.generation }, now)
}

type Wanted = { userId: string; generation: number }

function finish(deps: BillingDeps, wanted: Wanted, now: Date): Promise<string> {
  const { db } = deps
  const { userId } = wanted
  return callStripe(deps, now, () =>
    makeOnce({
      async create() {
        const user = await findUser(db, userId)
        return createCustomer(deps, { ...wanted, email: user?.email ?? '' })
      },
      store: (stripeCustomerId) => storeCustomer(db, { ...wanted, stripeCustomerId }),
      raiseGeneration: () => raiseCustomerGeneration(db, wanted),
      read: async () => (await findCustomer(db, userId))?.stripeCustomerId ?? null,
    }),
  )
}

/**
 * Looks whether a customer still exists, and forgets one that does not: what a `customer.deleted` asks for.
 * @returns whose customer it is or was; null when it is nobody's here
 */
export async function syncCustomer(
  deps: BillingDeps,
  stripeCustomerId: string,
  now: Date,
): Promise<{ userId: string; exists: boolean } | null> {
  const userId = await findUserOfCustomer(deps.db, stripeCustomerId)
  if (userId === null) return null
  const exists = await customerExists(deps, stripeCustomerId)
  if (!exists) await forgetCustomer(deps.db, userId, stripeCustomerId, now)
  return { userId, exists }
}
