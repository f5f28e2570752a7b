import type { Queryable } from '../../platform/database/queryable.ts'

/** Raises the reading's version, so that a reading that has begun earlier writes nothing. */
export async function raisePayoutRevision(db: Queryable, userId: string): Promise<void> {
  await db
    .updateTable('payout_accounts')
    .set((eb) => ({ revision: eb('revision', '+', 1) }))
    .where('user_id', '=', userId)
    .execute()
}

/**
 * Notes that somebody wants to be paid, before Stripe is asked, and the terms they agreed to at the first call. An
 * account that was closed makes room for a new one.
 * @param lookAt when it is tried again if nobody finishes it
 */
export async function requestPayoutAccount(
  db: Queryable,
  request: { userId: string; termsVersion: string; lookAt: Date },
  now: Date,
): Promise<void> {
  const agreed = { terms_version: request.termsVersion, terms_accepted_at: now }
  await db
    .insertInto('payout_accounts')
    .values({ user_id: request.userId, look_at: request.lookAt, created_at: now, ...agreed })
    .onConflict((conflict) =>
      conflict
        .column('user_id')
        .doUpdateSet({ look_at: request.lookAt, tries: 0 })
        .where('payout_accounts.stripe_account_id', 'is', null),
    )
    .execute()
}

/** Makes room for a new account in the place of one that was closed. Nothing happens when that was done already. */
export async function replaceClosedAccount(
  tx: Queryable,
  closed: { userId: string; generation: number; revision: number },
  lookAt: Date,
): Promise<void> {
  await tx
    .updateTable('payout_accounts')
    .set({
      stripe_account_id: null,
      generation: closed.generation + 1,
      state: 'incomplete',
      transfers_status: 'pending',
      reason: null,
      complete_at: null,
      lost_at: null,
      closed_at: null,
      rejected_at: null,
      synced_at: null,
      look_at: lookAt,
      tries: 0,
      revision: closed.revision + 1,
    })
    .where('user_id', '=', closed.userId)
    .where('generation', '=', closed.generation)
    .where('closed_at', 'is not', null)
    .execute()
}

/** The first country stays: it is part of what is sent to Stripe under one idempotency key. */
export async function storeCountry(db: Queryable, userId: string, country: string): Promise<void> {
  await db
    .updateTable('payout_accounts')
    .set({ country })
    .where('user_id', '=', userId)
    .where('country', 'is', null)
    .execute()
}

/** Nothing happens when another call was faster or a newer generation has begun. */
export async function storePayoutAccount(
  db: Queryable,
  account: { userId: string; generation: number; stripeAccountId: string },
  lookAt: Date,
): Promise<void> {
  await db
    .updateTable('payout_accounts')
    .set({ stripe_account_id: account.stripeAccountId, look_at: lookAt, tries: 0 })
    .where('user_id', '=', account.userId)
    .where('generation', '=', account.generation)
    .where('stripe_account_id', 'is', null)
    .execute()
}

/** Gives the next try another idempotency key; nothing happens when that was done already. */
export async function raisePayoutGeneration(
  db: Queryable,
  account: { userId: string; generation: number },
): Promise<void> {
  await db
    .updateTable('payout_accounts')
    .set({ generation: account.generation + 1 })
    .where('user_id', '=', account.userId)
    .where('generation', '=', account.generation)
    .where('stripe_account_id', 'is', null)
    .execute()
}

/** Whether somebody still pays to this trader's account through Stripe. */
export async function hasPayingSubscribers(db: Queryable, traderId: string): Promise<boolean> {
  const row = await db
    .selectFrom('subscriptions')
    .select('id')
    .where('trader_id', '=', traderId)
    .where('status', '<>', 'canceled')
    .where('stripe_subscription_id', 'is not', null)
    .executeTakeFirst()
  return row !== undefined
}
