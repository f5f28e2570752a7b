import { findUser } from '../../auth/users/users.queries.ts'
import { updateCustomerEmail } from '../../stripe/customers.ts'
import { isMissing } from '../../stripe/stripe-errors.ts'
import type { BillingDeps } from '../provider/billing-deps.ts'
import { callStripe } from '../provider/call-stripe.ts'
import { findCustomer, forgetCustomer } from './customers.queries.ts'

/**
 * Tells Stripe the present address of a person who has changed it, if they are a customer (rule G-119). Payout accounts keep theirs: traders give
 * it to Stripe themselves. Safe to repeat.
 * @throws payment_provider_error; and while a customer is being made, with an address from before perhaps
 */
export async function followEmail(deps: BillingDeps, userId: string, now: Date): Promise<void> {
  const { db } = deps
  const customer = await findCustomer(db, userId)
  if (customer?.state === 'pending' && customer.retryAt) throw new Error('the customer is still being made')
  const user = await findUser(db, userId)
  if (!customer?.stripeCustomerId || !user) return
  const { stripeCustomerId: id } = customer
  await callStripe(deps, now, async () => {
    try {
      await updateCustomerEmail(deps, { id, email: user.email })
    } catch (error) {
      if (!isMissing(error)) throw error
      await forgetCustomer(db, userId, id, now)
    }
  })
}
