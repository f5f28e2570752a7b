import { type RawBuilder, type Selectable, sql } from 'kysely'
import { compiledQuery, type Queryable } from '../../platform/database/queryable.ts'
import type { OtpChallenges } from '../../platform/database/schema.ts'
import type { IdentityRow, UserRow } from './users.queries.ts'

/** A session to be opened, its user and identity if they are not there, and the entry of the audit log. JSON is text. */
export type NewSession = {
  now: Date
  userId: string
  userMetadata: string
  identityId: string
  sessionId: string
  amr: string
  ip: string
  userAgent: string | null
  entryId: string
  action: string
  method: string
}

/** A user's columns with those of their identity and whether they have factors, as `personOf` takes it apart. */
export type AccountRow = UserRow & {
  identity_id: string | null
  identity_data: IdentityRow['identity_data']
  identity_signed_in_at: Date | null
  identity_created_at: Date
  identity_updated_at: Date
  has_factors: boolean
  /** Of a change of address that was asked for; one that nobody finished may be over. Null for none. */
  new_email: string | null
  email_change_sent_at: Date | null
  email_change_expires_at: Date | null
}

/** The columns of an `AccountRow`, from `account`, the user, `identity`, and `change`, the change of address. */
const ACCOUNT_COLUMNS = sql`account.*, identity.id as identity_id, identity.identity_data,
  identity.last_sign_in_at as identity_signed_in_at, identity.created_at as identity_created_at,
  identity.updated_at as identity_updated_at, exists (select from mfa_factors where user_id = account.id) as has_factors,
  change.new_email, change.asked_at as email_change_sent_at, change.expires_at as email_change_expires_at`

export async function findAccount(db: Queryable, userId: string): Promise<AccountRow | undefined> {
  const [row] = await selectAccount(db, { userId })
  return row
}

const selectAccount = compiledQuery(
  (_db, { userId }: { userId: string }) => sql<AccountRow>`
    select ${ACCOUNT_COLUMNS} from users account left join identities identity on identity.user_id = account.id
    left join email_changes change on change.user_id = account.id
    where account.id = ${userId}`,
)

/**
 * Of a suspended user everything is null: nothing was changed then, but for the proof.
 * @property suppressed mails to the address are given up, and not for a complaint
 */
export type StoredSession = ({ [Column in keyof AccountRow]: null } | AccountRow) & { suppressed: boolean }

/** A mailed code that was compared and found right. */
type RightCode = { email: string; challengeId: string; codeHmac: Buffer }
/** @property sha256 of the link's secret */
type MailedLink = { sha256: Buffer; purpose: string }

/**
 * Uses a code up, with whatever else was mailed to the address before, and gives back the try that turned out right; in the same
 * statement opens the session. The address is locked first, always before its challenges, as requests do.
 * @returns undefined when the code has been used, replaced or has expired meanwhile; nothing is changed then
 */
export async function signInByCode(
  db: Queryable,
  code: RightCode & { isKnownDevice: boolean },
  session: NewSession,
): Promise<StoredSession | undefined> {
  const { isKnownDevice, ...proof } = code
  const signIn = isKnownDevice ? signInFromKnownDevice : signInFromAnywhere
  const [stored] = await signIn(db, { ...session, ...proof })
  return stored
}

/** The same by a link. @returns undefined when there is no live one of that hash */
export async function signInByLink(
  db: Queryable,
  link: MailedLink,
  session: NewSession,
): Promise<StoredSession | undefined> {
  const [stored] = await signInByProvenLink(db, { ...session, ...link })
  return stored
}

/** Opens a session for an address that was proved in the same transaction. */
export async function insertOpenedSession(
  tx: Queryable,
  email: string,
  session: NewSession,
): Promise<StoredSession> {
  const [stored] = await openProven(tx, { ...session, email })
  if (!stored) throw new Error('a proved address opened no session')
  return stored
}

/** Uses a link up and opens no session. @returns undefined when there is no live one of that hash */
export async function consumeLink(
  tx: Queryable,
  link: MailedLink,
  now: Date,
): Promise<Selectable<OtpChallenges> | undefined> {
  const { rows } = await sql<Selectable<OtpChallenges>>`with ${linkProof({ ...link, now })}
    select * from proof`.execute(tx)
  return rows[0]
}

function codeProof(
  of: RightCode & { now: Date },
  column: 'known_wrong_at' | 'wrong_at',
): RawBuilder<unknown> {
  const wrongAt = sql.ref(`address.${column}`)
  return sql`
    locked as (select from sign_in_addresses where email = ${of.email} for update),
    ${usedUp(
      sql`challenge.id = ${of.challengeId} and challenge.code_hmac = ${of.codeHmac} and challenge.code_expires_at > ${of.now}`,
      of,
    )},
    returned as (
      update sign_in_addresses address set ${sql.ref(column)} = ${wrongAt}[:cardinality(${wrongAt}) - 1]
      from proof where address.email = proof.email)`
}

function linkProof(of: MailedLink & { now: Date }): RawBuilder<unknown> {
  return sql`
    locked as (
      select from sign_in_addresses
      where email = (select email from otp_challenges where link_sha256 = ${of.sha256}) for update),
    ${usedUp(
      sql`challenge.link_sha256 = ${of.sha256} and challenge.purpose = ${of.purpose} and challenge.link_expires_at > ${of.now}`,
      of,
    )}`
}

/** After a sign-in nothing that was mailed to the address before works any more. */
function usedUp(isProved: RawBuilder<unknown>, { now }: { now: Date }): RawBuilder<unknown> {
  return sql`
    proof as (
      update otp_challenges challenge set consumed_at = ${now}
      where (select count(*) from locked) >= 0 and ${isProved} and challenge.consumed_at is null
      returning challenge.*),
    others as (
      update otp_challenges other set consumed_at = ${now} from proof
      where other.email = proof.email and other.id <> proof.id and other.consumed_at is null)`
}

/** @param proof a list of queries, of which `proof` answers the proved address, or nothing */
function opening(proof: RawBuilder<unknown>, of: NewSession): RawBuilder<StoredSession> {
  return sql<StoredSession>`
    with ${proof}, account as (
      insert into users (id, email, user_metadata, email_confirmed_at, created_at, updated_at, last_sign_in_at)
      select ${of.userId}::uuid, email, ${of.userMetadata}::jsonb, ${of.now}::timestamptz, ${of.now}, ${of.now}, ${of.now} from proof
      on conflict (lower(email)) do update
      set email_confirmed_at = coalesce(users.email_confirmed_at, excluded.email_confirmed_at),
        last_sign_in_at = excluded.last_sign_in_at, updated_at = excluded.updated_at
      where users.inactive_since is null
      returning *),
    identity as (
      insert into identities as known
        (id, user_id, provider, provider_id, identity_data, created_at, updated_at, last_sign_in_at)
      select ${of.identityId}::uuid, id, 'email', id::text,
        jsonb_build_object('sub', id, 'email', email, 'email_verified', true, 'phone_verified', false),
        ${of.now}::timestamptz, ${of.now}, ${of.now}
      from account
      on conflict (provider, provider_id) do update
      set last_sign_in_at = excluded.last_sign_in_at, updated_at = excluded.updated_at
      returning *),
    -- The first token has no parent whose replay would have to be judged.
    session as (
      insert into sessions
        (id, user_id, aal, amr, refresh_counter, successor_seen, created_at, refreshed_at, ip, user_agent)
      select ${of.sessionId}::uuid, id, 'aal1', ${of.amr}::jsonb, 0, true, ${of.now}::timestamptz, ${of.now}, ${of.ip}::inet,
        ${of.userAgent}
      from account),
    entry as (
      insert into audit_log (id, at, action, user_id, session_id, detail, ip, user_agent)
      select ${of.entryId}::uuid, ${of.now}::timestamptz, ${of.action}, id, ${of.sessionId}::uuid, ${of.method}, ${of.ip}::inet,
        ${of.userAgent}
      from account)
    select ${ACCOUNT_COLUMNS},
      exists (select from suppressions where user_id = account.id and cause <> 'complained') as suppressed
    from proof left join account on true left join identity on true left join email_changes change on change.user_id = account.id`
}

const signInFromKnownDevice = compiledQuery((_db, of: NewSession & RightCode) =>
  opening(codeProof(of, 'known_wrong_at'), of),
)
const signInFromAnywhere = compiledQuery((_db, of: NewSession & RightCode) =>
  opening(codeProof(of, 'wrong_at'), of),
)
const signInByProvenLink = compiledQuery((_db, of: NewSession & MailedLink) => opening(linkProof(of), of))
const openProven = compiledQuery((_db, of: NewSession & { email: string }) =>
  opening(sql`proof as (select ${of.email}::text as email)`, of),
)
