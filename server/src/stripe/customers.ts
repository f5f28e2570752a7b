import { sdkOf } from './sdk.ts'
import { isOurs, type StripeDeps, stripeMark } from './stripe-client.ts'
import { isMissing } from './stripe-errors.ts'

/**
 * Makes a person a customer. Sends the same at every try of a generation, as the idempotency key demands: no name, which may come later.
 * @returns the customer's id
 * @throws what Stripe throws
 */
export async function createCustomer(
  deps: StripeDeps,
  { email, generation, userId }: { userId: string; email: string; generation: number },
): Promise<string> {
  const mark = stripeMark(deps.settings)
  const { id } = await sdkOf(deps).customers.create(
    { email, metadata: { ...mark, user_id: userId } },
    { idempotencyKey: `cus:${mark.env}:${userId}:${generation}` },
  )
  return id
}

/** Tells a customer's present address. @throws what Stripe throws */
export async function updateCustomerEmail(
  deps: StripeDeps,
  { email, id }: { id: string; email: string },
): Promise<void> {
  await sdkOf(deps).customers.update(id, { email })
}

/** Stripe still answers for a deleted customer, with little more than that it is deleted. @throws what Stripe throws */
export async function customerExists(deps: StripeDeps, id: string): Promise<boolean> {
  try {
    const customer = await sdkOf(deps).customers.retrieve(id)
    return customer.deleted !== true
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}

/**
 * Deletes a customer with address, cards and whatever still runs; invoices stay as Stripe keeps them. One that is gone already is gone.
 * @throws what Stripe throws
 */
export async function deleteCustomer(deps: StripeDeps, id: string): Promise<void> {
  try {
    await sdkOf(deps).customers.del(id)
  } catch (error) {
    if (!isMissing(error)) throw error
  }
}

/** Ours with the person whose they are, newest first. @param since the first that is too old ends the list */
export async function* eachCustomer(
  deps: StripeDeps,
  since: Date,
): AsyncGenerator<{ id: string; userId: string }> {
  for await (const { created, id, metadata } of sdkOf(deps).customers.list({ limit: 100 })) {
    if (created * 1000 < since.getTime()) return
    if (metadata.user_id && isOurs(deps.settings, metadata)) yield { id, userId: metadata.user_id }
  }
}
