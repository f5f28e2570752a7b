import { type Selectable, sql } from 'kysely'
import type { Queryable } from '../../platform/database/queryable.ts'
import type { EmailChanges } from '../../platform/database/schema.ts'
import type { LiveRequest } from '../sign-in/account-codes.queries.ts'

export type EmailChangeRow = Selectable<EmailChanges>
/** A mailbox that a change asks for, as the purposes of its codes are called. */
export type Side = 'old_email' | 'new_email'

/** Stores a change that is asked for; one that was not finished gives way to it. */
export async function storeEmailChange(
  db: Queryable,
  change: Pick<EmailChangeRow, 'user_id' | 'session_id' | 'new_email' | 'asked_at' | 'expires_at'>,
): Promise<void> {
  await db
    .insertInto('email_changes')
    .values(change)
    .onConflict((conflict) =>
      conflict.column('user_id').doUpdateSet({ ...change, old_proved_at: null, new_proved_at: null }),
    )
    .execute()
}

/** @returns whether there was one that could still be finished */
export async function deleteEmailChange(db: Queryable, userId: string, now: Date): Promise<boolean> {
  const change = await db
    .deleteFrom('email_changes')
    .where('user_id', '=', userId)
    .returning('expires_at')
    .executeTakeFirst()
  return change !== undefined && change.expires_at > now
}

/** The change of a person, kept from changing until the transaction ends. */
export function lockEmailChange(db: Queryable, userId: string): Promise<EmailChangeRow | undefined> {
  return db
    .selectFrom('email_changes')
    .selectAll()
    .where('user_id', '=', userId)
    .forUpdate()
    .executeTakeFirst()
}

/** Notes that the code of a mailbox was typed. */
export async function markProved(
  db: Queryable,
  of: { userId: string; side: Side },
  now: Date,
): Promise<void> {
  await db
    .updateTable('email_changes')
    .set(of.side === 'old_email' ? { old_proved_at: now } : { new_proved_at: now })
    .where('user_id', '=', of.userId)
    .execute()
}

export type OpenChange = Pick<
  EmailChangeRow,
  'user_id' | 'session_id' | 'new_email' | 'old_proved_at' | 'new_proved_at'
> & { old_email: string }

/** The change of whoever has an address now, while it can be finished: its session lives. */
export async function findChangeFrom(
  db: Queryable,
  oldEmail: string,
  now: Date,
): Promise<OpenChange | undefined> {
  const { rows } = await sql<OpenChange>`
    ${openChanges(now)} and lower(account.email) = ${oldEmail}`.execute(db)
  return rows[0]
}

/**
 * Changes that ask for a code of a mailbox, newest first; several people may want one address.
 * @returns at most `limit`, each with the side that the mailbox is of it
 */
export async function findChangesAsking(
  db: Queryable,
  of: { email: string; limit: number },
  now: Date,
): Promise<(OpenChange & { side: Side })[]> {
  const { rows } = await sql<OpenChange>`
    ${openChanges(now)} and (
      lower(account.email) = ${of.email} and change.old_proved_at is null
      or change.new_email = ${of.email} and change.new_proved_at is null)
    order by change.asked_at desc limit ${of.limit}`.execute(db)
  return rows.map((row) => ({ ...row, side: row.old_email === of.email ? 'old_email' : 'new_email' }))
}

function openChanges(now: Date) {
  return sql`
    select change.user_id, change.session_id, change.new_email, change.old_proved_at, change.new_proved_at,
      account.email as old_email
    from email_changes change
    join users account on account.id = change.user_id
    join sessions asker on asker.id = change.session_id
    where change.expires_at > ${now} and asker.revoked_at is null`
}

/** A live request for a code of a change. @property is_free whether the new address can become this person's */
export type LiveChangeCode = LiveRequest & {
  old_email: string
  new_email: string
  is_taken: boolean
  is_free: boolean
}

/** Selects the requests that are their holder's newest, unused and not expired, and whose change can be finished. */
export async function findLiveChangeCodes(
  db: Queryable,
  requestIds: string[],
  now: Date,
): Promise<LiveChangeCode[]> {
  const { rows } = await sql<LiveChangeCode>`
    select code.request_id, code.purpose, code.code_hmac, code.secret_key_id, account.email as old_email, change.new_email,
      ${isTaken(sql`change.new_email`, sql`change.user_id`)} as is_taken,
      not ${isTaken(sql`change.new_email`, sql`change.user_id`)} and not ${isKept(sql`change.new_email`, sql`change.user_id`, now)}
        as is_free
    from account_codes code
    join email_changes change on change.user_id = code.user_id and change.session_id = code.holder_id
    join sessions asker on asker.id = change.session_id
    join users account on account.id = change.user_id
    where code.request_id = any(${requestIds}::uuid[]) and code.purpose in ('old_email', 'new_email')
      and code.consumed_at is null and code.expires_at > ${now} and change.expires_at > ${now} and asker.revoked_at is null`.execute(
    db,
  )
  return rows
}

/** Whether nobody else has an address, nor may have it back (rule G-119). */
export async function isAddressFree(
  db: Queryable,
  of: { email: string; userId: string },
  now: Date,
): Promise<boolean> {
  const email = sql`${of.email}::text`
  const userId = sql`${of.userId}::uuid`
  const { rows } = await sql<{ free: boolean }>`
    select not ${isTaken(email, userId)} and not ${isKept(email, userId, now)} as free`.execute(db)
  return rows[0]?.free === true
}

function isTaken(email: ReturnType<typeof sql>, userId: ReturnType<typeof sql>) {
  return sql`exists (select from users other where lower(other.email) = ${email} and other.id <> ${userId})`
}

function isKept(email: ReturnType<typeof sql>, userId: ReturnType<typeof sql>, now: Date) {
  return sql`exists (
    select from email_undos undo where undo.old_email = ${email} and undo.user_id <> ${userId}
      and undo.expires_at > ${now} and undo.used_at is null and undo.overtaken_at is null)`
}

/** Forgets changes that nobody finished in time. */
export async function purgeEmailChanges(db: Queryable, now: Date): Promise<void> {
  await db.deleteFrom('email_changes').where('expires_at', '<=', now).execute()
}
