import { sql } from 'kysely'
import type { Queryable } from '../platform/database/queryable.ts'

/** In the place of words that a person or an operator wrote, where the schema asks for some. */
const ERASED = '(erased)'

/** The person whose traces go. @property emails theirs, also earlier ones @property emailHmacs the forms of the present one in the audit log */
export type Erased = { userId: string; emails: string[]; emailHmacs: string[] }

/** Makes worthless whatever was mailed to sign in with, or to change how one signs in. */
export async function voidSignIns(
  tx: Queryable,
  { emails, userId }: { userId: string; emails: string[] },
): Promise<void> {
  await tx.deleteFrom('otp_challenges').where('email', 'in', emails).execute()
  await tx.deleteFrom('auth_codes').where('email', 'in', emails).execute()
  await tx.deleteFrom('account_codes').where('user_id', '=', userId).execute()
  await tx.deleteFrom('email_changes').where('user_id', '=', userId).execute()
}

/** Tables whose rows are a person's alone, with the column that names them. Rows that hang on these go with them. */
const OWN = {
  identities: 'user_id',
  suspensions: 'user_id',
  account_codes: 'user_id',
  factor_undos: 'user_id',
  email_undos: 'user_id',
  recovery_codes: 'user_id',
  sessions: 'user_id',
  mfa_factors: 'user_id',
  push_devices: 'user_id',
  exports: 'user_id',
  feedback: 'user_id',
  activity_reads: 'user_id',
  suppressions: 'user_id',
  mail_refusals: 'user_id',
  mail_reports: 'user_id',
  renewal_mails: 'user_id',
  leave_requests: 'subscriber_id',
  outbox: 'user_id',
  customers: 'user_id',
  former_customers: 'user_id',
  price_previews: 'trader_id',
  discount_codes: 'trader_id',
} as const

/** Deletes what is the person's alone. */
export async function deleteOwnRows(tx: Queryable, userId: string): Promise<void> {
  for (const [table, column] of Object.entries(OWN))
    await sql`delete from ${sql.table(table)} where ${sql.ref(column)} = ${userId}`.execute(tx)
}

/** Deletes the person's checkouts. A use of a discount code stays counted: it says no more than its subscription, which stays too. */
export async function deleteCheckouts(tx: Queryable, userId: string): Promise<void> {
  const isUse = sql<boolean>`(state = 'completed' and discount_code_id is not null)`
  await tx
    .deleteFrom('checkout_sessions')
    .where('subscriber_id', '=', userId)
    .where(sql<boolean>`not ${isUse}`)
    .execute()
  await tx
    .updateTable('checkout_sessions')
    .set({ stripe_session_id: null, url: null })
    .where('subscriber_id', '=', userId)
    .execute()
}

/** The person's address, and those of changes that can be taken back still, as far as they are nobody else's by now. */
export async function listAddresses(tx: Queryable, userId: string): Promise<string[]> {
  const { rows } = await sql<{ email: string }>`
    select distinct address.email from users person
    left join email_undos undo on undo.user_id = person.id
    cross join lateral unnest(array[person.email, undo.old_email, undo.new_email]) address (email)
    where person.id = ${userId} and address.email is not null
      and not exists (select from users other where lower(other.email) = address.email and other.id <> ${userId})`.execute(
    tx,
  )
  return rows.map(({ email }) => email)
}

/** Deletes what is known of the person's address. Entries of others who named it are theirs. */
export async function deleteAddress(tx: Queryable, { emailHmacs, emails, userId }: Erased): Promise<void> {
  await voidSignIns(tx, { emails, userId })
  await tx.deleteFrom('sign_in_addresses').where('email', 'in', emails).execute()
  // Of an earlier address up to its change: from then on it may be somebody else's.
  await sql`delete from audit_log entry using audit_log changed
    where changed.user_id = ${userId} and changed.action = 'email_changed'
      and entry.user_id is null and entry.email_hmac = changed.email_hmac and entry.at <= changed.at`.execute(
    tx,
  )
  await sql`delete from audit_log
    where user_id = ${userId} or user_id is null and email_hmac = any(${emailHmacs}::text[])`.execute(tx)
}

/** Ids of the person's customers at Stripe, also earlier ones. */
export async function listCustomerIds(tx: Queryable, userId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select stripe_customer_id as id from customers where user_id = ${userId} and stripe_customer_id is not null
    union select stripe_customer_id from former_customers where user_id = ${userId}`.execute(tx)
  return rows.map(({ id }) => id)
}

/** Takes the words out of what stays: figures of positions. */
export async function emptyWords(tx: Queryable, userId: string): Promise<void> {
  await tx
    .updateTable('positions')
    .set({
      open_notes: ERASED,
      close_notes: sql`case when close_notes is not null then ${ERASED} end`,
      struck_reason: sql`case when struck_reason is not null then ${ERASED} end`,
    })
    .where('trader_id', '=', userId)
    .execute()
  await tx
    .updateTable('position_adjustments')
    .set({ explained: ERASED })
    .where('trader_id', '=', userId)
    .where('explained', 'is not', null)
    .execute()
}

/** Payments stay; the account that they went to says no more than its id. */
export async function emptyPayments(tx: Queryable, userId: string, now: Date): Promise<void> {
  await tx
    .updateTable('payout_accounts')
    .set((eb) => ({
      // A closed one is read no more, whatever Stripe tells of it.
      state: 'closed',
      closed_at: eb.fn.coalesce('closed_at', eb.val(now)),
      country: null,
      reason: null,
      terms_version: null,
      terms_accepted_at: null,
      look_at: null,
    }))
    .where('user_id', '=', userId)
    .execute()
  await sql`delete from unsubscribe_tokens token using subscriptions subscription
    where subscription.subscriber_id = ${userId} and token.trader_id = subscription.trader_id
      and token.subscription_id = subscription.id`.execute(tx)
  await tx
    .updateTable('subscriptions')
    .set({ unsubscribe_token: sql`'erased:' || id` })
    .where('subscriber_id', '=', userId)
    .execute()
}

/** Lets nobody who followed the person read their events any more: these would be of somebody without a name. */
export async function endReading(db: Queryable, userId: string): Promise<void> {
  await sql`update subscriptions set entitled_from_event = entitled_until_event, earlier_windows = '{}'
    where trader_id = ${userId} and entitled_until_event is not null`.execute(db)
}

/** Takes the name out of what others were or are to be mailed. */
export async function removeNameFromMails(tx: Queryable, username: string): Promise<void> {
  await sql`update outbox set facts = facts || '{"trader": ""}' where facts ->> 'trader' = ${username}`.execute(
    tx,
  )
  // Operators' notices are text; the purge of ended mails leaves them so too.
  await sql`update outbox set facts = '{}' where ended_at is not null and exists (
    select from jsonb_path_query(facts, '$.** ? (@.type() == "string")') word
    where word #>> '{}' ~* ('(^|[^a-z0-9_-])' || ${username} || '($|[^a-z0-9_-])'))`.execute(tx)
}

export async function emptyUser(tx: Queryable, userId: string, now: Date): Promise<void> {
  await tx
    .updateTable('users')
    .set({
      email: null,
      user_metadata: '{}',
      email_confirmed_at: null,
      last_sign_in_at: null,
      factor_tries_told_at: null,
      position_mails_off_at: null,
      suspended_at: null,
      updated_at: now,
      erased_at: now,
    })
    .where('id', '=', userId)
    .execute()
  await tx
    .updateTable('accounts')
    .set({
      username: null,
      username_set_at: null,
      about: null,
      followers_shown: false,
      public_page_since: null,
    })
    .where('user_id', '=', userId)
    .execute()
}

/**
 * Has the planner forget samples of what was erased: until the next analysis its statistics quote texts.
 * @param db no transaction
 */
export async function forgetSamples(db: Queryable): Promise<void> {
  for (const table of SAMPLED) await sql`analyze ${sql.table(table)}`.execute(db)
}

/** Tables of which something is erased and rows stay. */
const SAMPLED = [
  ...Object.keys(OWN),
  'checkout_sessions',
  'users',
  'accounts',
  'positions',
  'position_adjustments',
  'subscriptions',
  'unsubscribe_tokens',
  'payout_accounts',
  'otp_challenges',
  'auth_codes',
  'sign_in_addresses',
  'audit_log',
  'closings',
  'records',
  'record_texts',
]
