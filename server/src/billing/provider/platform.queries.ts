import type { Queryable } from '../../platform/database/queryable.ts'

/** The Stripe account that this database belongs to. */
export type StripePlatform = {
  accountId: string
  livemode: boolean
  portalConfigurationId: string | null
}

/** Null before the set-up. */
export async function findPlatform(db: Queryable): Promise<StripePlatform | null> {
  const row = await db
    .selectFrom('stripe_platform')
    .select(['account_id', 'livemode', 'portal_configuration_id'])
    .executeTakeFirst()
  if (!row) return null
  return {
    accountId: row.account_id,
    livemode: row.livemode,
    portalConfigurationId: row.portal_configuration_id,
  }
}

/** The first account stays. */
export async function insertPlatform(
  db: Queryable,
  platform: Pick<StripePlatform, 'accountId' | 'livemode'>,
  now: Date,
): Promise<void> {
  await db
    .insertInto('stripe_platform')
    .values({ account_id: platform.accountId, livemode: platform.livemode, created_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function storePortalConfiguration(db: Queryable, id: string): Promise<void> {
  await db.updateTable('stripe_platform').set({ portal_configuration_id: id }).execute()
}

/** Until when Stripe's own list of events has been looked through; null before the set-up. */
export async function findEventsSeenUntil(db: Queryable): Promise<Date | null> {
  const row = await db
    .selectFrom('stripe_platform')
    .select(['events_seen_until', 'created_at'])
    .executeTakeFirst()
  return row ? (row.events_seen_until ?? row.created_at) : null
}

export async function storeEventsSeenUntil(db: Queryable, instant: Date): Promise<void> {
  await db.updateTable('stripe_platform').set({ events_seen_until: instant }).execute()
}

/** Stripe opens no checkout, since its account has no address of the terms; the first refusal stays. */
export async function noteTermsRefused(db: Queryable, now: Date): Promise<void> {
  await db
    .updateTable('stripe_platform')
    .set({ terms_refused_at: now })
    .where('terms_refused_at', 'is', null)
    .execute()
}

/** It opened one. */
export async function noteTermsTaken(db: Queryable): Promise<void> {
  await db
    .updateTable('stripe_platform')
    .set({ terms_refused_at: null })
    .where('terms_refused_at', 'is not', null)
    .execute()
}

/** Since when Stripe opens no checkout for want of that address; null while it does, and before the set-up. */
export async function findTermsRefused(db: Queryable): Promise<Date | null> {
  const row = await db.selectFrom('stripe_platform').select('terms_refused_at').executeTakeFirst()
  return row?.terms_refused_at ?? null
}
