import { sql } from 'kysely'
import { batchedLookup, compiledQuery, type Queryable } from '../platform/database/queryable.ts'
import { foldedName } from './folded-name.ts'

export type AccountRow = {
  username: string | null
  trader: boolean
  customer: boolean
  publicPage: boolean
  about: string | null
  followersShown: boolean
}

/** The account with what the payment tables hold about it, or null before its first look. */
export async function findAccount(db: Queryable, userId: string): Promise<AccountRow | null> {
  return (await lookUpAccount(db, userId)) ?? null
}

const lookUpAccount = batchedLookup(async (db, userIds: string[]) => {
  const rows = await selectAccounts(db, { userIds })
  return new Map(
    rows.map(
      ({
        user_id,
        username,
        about,
        followers_shown,
        public_page_since,
        stripe_account_id,
        stripe_customer_id,
      }) => [
        user_id,
        {
          username,
          trader: stripe_account_id !== null,
          customer: stripe_customer_id !== null,
          publicPage: public_page_since !== null,
          about,
          followersShown: followers_shown,
        },
      ],
    ),
  )
})

const selectAccounts = compiledQuery((db, { userIds }: { userIds: string[] }) =>
  db
    .selectFrom('accounts')
    .leftJoin('payout_accounts', 'payout_accounts.user_id', 'accounts.user_id')
    .leftJoin('customers', 'customers.user_id', 'accounts.user_id')
    .select([
      'accounts.user_id',
      'accounts.username',
      'accounts.public_page_since',
      'accounts.about',
      'accounts.followers_shown',
      'payout_accounts.stripe_account_id',
      'customers.stripe_customer_id',
    ])
    .where('accounts.user_id', '=', sql<string>`any(${userIds}::uuid[])`),
)

/** Makes the account; harmless when it exists. */
export async function insertAccount(db: Queryable, userId: string, now: Date): Promise<void> {
  await db
    .insertInto('accounts')
    .values({ user_id: userId, created_at: now })
    .onConflict((conflict) => conflict.column('user_id').doNothing())
    .execute()
}

/** A trader with fewer followers keeps nobody from a name that resembles theirs. */
const MUCH_FOLLOWED = 3

/** Whether a username can be taken for that of a trader whom many follow; `username_skeleton` is the same when two look alike. */
export async function looksLikeATrader(
  tx: Queryable,
  { userId, username }: { userId: string; username: string },
): Promise<boolean> {
  const { rows } = await sql`select from accounts known
    where username_skeleton(known.username) = username_skeleton(${username}) and known.user_id <> ${userId} and (
      select count(*) from subscriptions
      where trader_id = known.user_id and entitled_from_event is not null and entitled_until_event is null
    ) >= ${MUCH_FOLLOWED} limit 1`.execute(tx)
  return rows.length > 0
}

/** Sets the username of an account that has none yet. @returns whether it had none @throws a unique violation when the name is taken */
export async function updateUsername(
  db: Queryable,
  userId: string,
  username: string,
  now: Date,
): Promise<boolean> {
  const result = await db
    .updateTable('accounts')
    .set({ username, username_set_at: now })
    .where('user_id', '=', userId)
    .where('username', 'is', null)
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

/**
 * Turns the public page of a name on, where it keeps since when it is on already, or off.
 * @returns whether the account has a name
 */
export async function updatePublicPage(
  db: Queryable,
  userId: string,
  enabled: boolean,
  now: Date,
): Promise<boolean> {
  const since = enabled ? sql<Date>`coalesce(public_page_since, ${now})` : null
  const result = await db
    .updateTable('accounts')
    .set({ public_page_since: since })
    .where('user_id', '=', userId)
    .where('username', 'is not', null)
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

/** @returns of these people, those whose public page is on */
export async function listPublicPages(db: Queryable, userIds: readonly string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('accounts')
    .select('user_id')
    .where('user_id', '=', sql<string>`any(${userIds}::uuid[])`)
    .where('public_page_since', 'is not', null)
    .execute()
  return rows.map(({ user_id }) => user_id)
}

/** Changes what stands on the profile of a name. @returns whether the account has a name */
export async function updateProfile(
  db: Queryable,
  userId: string,
  change: { about: string | null } | { followers_shown: boolean },
): Promise<boolean> {
  const result = await db
    .updateTable('accounts')
    .set(change)
    .where('user_id', '=', userId)
    .where('username', 'is not', null)
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

/** Takes the words of somebody about themselves off their profile. @returns the words; null where there were none */
export async function takeAbout(tx: Queryable, userId: string): Promise<string | null> {
  const before = await tx
    .selectFrom('accounts')
    .select('about')
    .where('user_id', '=', userId)
    .forUpdate()
    .executeTakeFirst()
  if (!before?.about) return null
  await tx.updateTable('accounts').set({ about: null }).where('user_id', '=', userId).execute()
  return before.about
}

/** Turns somebody's mails about positions of all traders on, or off: the first time that they were turned off counts. */
export async function updatePositionMails(
  db: Queryable,
  userId: string,
  enabled: boolean,
  now: Date,
): Promise<void> {
  await db
    .updateTable('users')
    .set({ position_mails_off_at: enabled ? null : sql<Date>`coalesce(position_mails_off_at, ${now})` })
    .where('id', '=', userId)
    .execute()
}

/** Null without an account or before the username is set. */
export async function findUsername(db: Queryable, userId: string): Promise<string | null> {
  const [row] = await selectUsername(db, { userId })
  return row?.username ?? null
}

const selectUsername = compiledQuery((db, { userId }: { userId: string }) =>
  db.selectFrom('accounts').select('username').where('user_id', '=', userId),
)

/** By exact username without regard to case; `username` as they spell it. Null when nobody has it. */
export async function findByUsername(
  db: Queryable,
  username: string,
): Promise<{ userId: string; username: string } | null> {
  const [row] = await selectByUsername(db, { name: username.toLowerCase() })
  return row?.username ? { userId: row.user_id, username: row.username } : null
}

const selectByUsername = compiledQuery((db, { name }: { name: string }) =>
  db.selectFrom('accounts').select(['user_id', 'username']).where(foldedName('username'), '=', name),
)

/** Whether the person is suspended or their account closed; true also when there is no such person. */
export async function isInactive(db: Queryable, userId: string): Promise<boolean> {
  const row = await db
    .selectFrom('users')
    .select('inactive_since')
    .where('id', '=', userId)
    .executeTakeFirst()
  return row === undefined || row.inactive_since !== null
}
