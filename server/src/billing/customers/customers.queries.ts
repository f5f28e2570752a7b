import type { Queryable } from '../../platform/database/queryable.ts'

export type CustomerRow = {
  stripeCustomerId: string | null
  state: 'pending' | 'ready'
  /** Part of the idempotency key; raised when Stripe has to make another customer than the last one (ADR 0013). */
  generation: number
  /** When the set-up is tried again (UTC); null when it is done, or nobody has asked for it. */
  retryAt: Date | null
}

export async function findCustomer(db: Queryable, userId: string): Promise<CustomerRow | null> {
  const row = await db
    .selectFrom('customers')
    .select(['stripe_customer_id', 'state', 'generation', 'retry_at'])
    .where('user_id', '=', userId)
    .executeTakeFirst()
  if (!row) return null
  const state = row.state === 'ready' ? 'ready' : 'pending'
  return {
    stripeCustomerId: row.stripe_customer_id,
    state,
    generation: row.generation,
    retryAt: row.retry_at,
  }
}

/** The id of the user whose customer this is or was, since events about a deleted customer still come; null for nobody's. */
export async function findUserOfCustomer(db: Queryable, stripeCustomerId: string): Promise<string | null> {
  const row = await db
    .selectFrom('customers')
    .select('user_id')
    .where('stripe_customer_id', '=', stripeCustomerId)
    .unionAll(
      db.selectFrom('former_customers').select('user_id').where('stripe_customer_id', '=', stripeCustomerId),
    )
    .executeTakeFirst()
  return row?.user_id ?? null
}

/**
 * Stores that a person sets up billing, before Stripe is asked (ADR 0013). Changes nothing when the set-up is done.
 * @param retryAt when it is tried again if this request does not finish it
 * @returns the row as it is now
 */
export async function requestCustomer(
  db: Queryable,
  userId: string,
  retryAt: Date,
  now: Date,
): Promise<CustomerRow> {
  await db
    .insertInto('customers')
    .values({ user_id: userId, state: 'pending', retry_at: retryAt, created_at: now })
    .onConflict((conflict) =>
      conflict
        .column('user_id')
        .doUpdateSet({ retry_at: retryAt, tries: 0 })
        .where('customers.state', '=', 'pending'),
    )
    .execute()
  const row = await findCustomer(db, userId)
  if (!row) throw new Error('the customer is gone')
  return row
}

/** Stores the customer that Stripe made. Does nothing when another call was faster, or a newer generation has begun. */
export async function storeCustomer(
  db: Queryable,
  customer: { userId: string; generation: number; stripeCustomerId: string },
): Promise<void> {
  await db
    .updateTable('customers')
    .set({ state: 'ready', stripe_customer_id: customer.stripeCustomerId, retry_at: null, tries: 0 })
    .where('user_id', '=', customer.userId)
    .where('generation', '=', customer.generation)
    .where('state', '=', 'pending')
    .execute()
}

/** Raises the generation, so that the next try asks Stripe for a new customer. Does nothing when that was done already. */
export async function raiseCustomerGeneration(
  db: Queryable,
  customer: { userId: string; generation: number },
): Promise<void> {
  await db
    .updateTable('customers')
    .set({ generation: customer.generation + 1 })
    .where('user_id', '=', customer.userId)
    .where('generation', '=', customer.generation)
    .where('state', '=', 'pending')
    .execute()
}

/**
 * Forgets a customer whom Stripe does not have; the id is kept as a former customer. No new one is made until the person asks for it. Does
 * nothing when the person has another customer by now.
 */
export async function forgetCustomer(
  db: Queryable,
  userId: string,
  stripeCustomerId: string,
  now: Date,
): Promise<void> {
  await db
    .with('forgotten', (forgotten) =>
      forgotten
        .updateTable('customers')
        .set((eb) => ({
          state: 'pending',
          stripe_customer_id: null,
          generation: eb('generation', '+', 1),
          retry_at: null,
          tries: 0,
        }))
        .where('user_id', '=', userId)
        .where('stripe_customer_id', '=', stripeCustomerId)
        .returning(['user_id']),
    )
    .insertInto('former_customers')
    .columns(['user_id', 'stripe_customer_id', 'forgotten_at'])
    .expression((eb) =>
      eb
        .selectFrom('forgotten')
        .select((row) => [
          'user_id',
          row.val(stripeCustomerId).as('stripe_customer_id'),
          row.val(now).as('forgotten_at'),
        ]),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
