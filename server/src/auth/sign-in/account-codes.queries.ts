import { type Selectable, sql } from 'kysely'
import type { Queryable } from '../../platform/database/queryable.ts'
import type { AccountCodes } from '../../platform/database/schema.ts'
import type { Asker } from '../users/addresses.queries.ts'

export type AccountCodeRow = Selectable<AccountCodes>

/**
 * The purpose of a mailed code. `reauthentication`: to prove the mailbox in a session; `factor_undo`: to undo a change of the
 * second factor by the link of a mail (ADR 0031); `old_email` and `new_email`: to change the address of the account (ADR 0123).
 */
type AccountCodePurpose = 'reauthentication' | 'factor_undo' | 'old_email' | 'new_email'

/** The holder of a code, who may ask for it and type it. `id`: of the session, or of the change of a factor, by `purpose`. */
export type CodeHolder = { purpose: AccountCodePurpose; id: string }

const HOUR_MS = 3_600_000
/** Where wrong tries are counted, of a code and of its holder. Only a change of address has both: anybody can try its codes. */
const COUNTS = {
  'known device': { code: 'known_wrong_tries', holder: 'known_wrong_at' },
  anybody: { code: 'wrong_tries', holder: 'wrong_at' },
} as const

/**
 * Stores a request for a code and ends the holder's earlier code, unless a limit is reached.
 * @param request.limits milliseconds between two mails, and mails in an hour; null for no limits
 * @param request.isHolder false where somebody else asks, whose mails are counted elsewhere
 * @returns false when a limit is reached; nothing is changed then
 */
export async function takeRequest(
  db: Queryable,
  request: {
    holder: CodeHolder
    id: string
    userId: string
    limits: { spacingMs: number; anHour: number } | null
    isHolder: boolean
    expiresAt: Date
  },
  now: Date,
): Promise<boolean> {
  const { holder, isHolder, limits } = request
  const sentAt = isHolder ? [now] : []
  const hourAgo = before(now, HOUR_MS)
  const { rows } = await sql`
    insert into account_codes as held (purpose, holder_id, user_id, request_id, expires_at, sent_at, updated_at)
    values (${holder.purpose}, ${holder.id}, ${request.userId}, ${request.id}, ${request.expiresAt},
      ${sentAt}::timestamptz[], ${now})
    on conflict (purpose, holder_id) do update
    set request_id = excluded.request_id, expires_at = excluded.expires_at, updated_at = excluded.updated_at,
      secret_key_id = null, code_hmac = null, consumed_at = null, wrong_tries = 0, known_wrong_tries = 0,
      sent_at = array(select t from unnest(held.sent_at) t where t > ${hourAgo}) || excluded.sent_at
    where ${limits === null}::boolean or (
      not exists (select from unnest(held.sent_at) t where t > ${before(now, limits?.spacingMs ?? 0)})
      and (select count(*) from unnest(held.sent_at) t where t > ${hourAgo}) < ${limits?.anHour ?? 0}::int)
    returning request_id`.execute(db)
  return rows.length > 0
}

/** The instants of the holder's requests within the last hour (UTC), oldest first. */
export async function findRequests(db: Queryable, holder: CodeHolder, now: Date): Promise<Date[]> {
  const held = await db
    .selectFrom('account_codes')
    .select('sent_at')
    .where('purpose', '=', holder.purpose)
    .where('holder_id', '=', holder.id)
    .executeTakeFirst()
  const hourAgo = before(now, HOUR_MS)
  return (held?.sent_at ?? []).map((instant) => new Date(instant)).filter((instant) => instant > hourAgo)
}

export type LiveRequest = Pick<AccountCodeRow, 'request_id' | 'code_hmac' | 'secret_key_id'> & {
  purpose: AccountCodePurpose
}

/** Selects the requests that are their holder's newest, unused and not expired. */
export async function findLiveRequests(db: Queryable, ids: string[], now: Date): Promise<LiveRequest[]> {
  const { rows } = await sql<LiveRequest>`
    select request_id, purpose, code_hmac, secret_key_id from account_codes
    where request_id = any(${ids}::uuid[]) and consumed_at is null and expires_at > ${now}`.execute(db)
  return rows
}

/** Stores codes in the place of earlier ones. @returns the requests that were not used, replaced or expired */
export async function storeAccountCodes(
  db: Queryable,
  codes: { requestId: string; codeHmac: Buffer }[],
  all: { secretKeyId: string; expiresAt: Date },
  now: Date,
): Promise<Set<string>> {
  const { rows } = await sql<{ request_id: string }>`
    update account_codes held
    set secret_key_id = ${all.secretKeyId}, code_hmac = drawn.code_hmac, expires_at = ${all.expiresAt}
    from unnest(${codes.map(({ requestId }) => requestId)}::uuid[],
      ${codes.map(({ codeHmac }) => codeHmac)}::bytea[]) as drawn (request_id, code_hmac)
    where held.request_id = drawn.request_id and consumed_at is null and held.expires_at > ${now}
    returning held.request_id`.execute(db)
  return new Set(rows.map((row) => row.request_id))
}

/**
 * Counts a try before the code is compared, so that parallel tries are counted too.
 * @param limits tries of one code, and tries of a holder in an hour
 * @returns the code to compare with; undefined when there is no live one, or no try is left
 */
export async function takeAccountCodeTry(
  db: Queryable,
  { asker, holder }: { holder: CodeHolder; asker: Asker },
  limits: { aCode: number; anHour: number },
  now: Date,
): Promise<AccountCodeRow | undefined> {
  const wrongTries = sql.ref(COUNTS[asker].code)
  const wrongAt = sql.ref(COUNTS[asker].holder)
  const recent = sql`array(select t from unnest(${wrongAt}) t where t > ${before(now, HOUR_MS)})`
  const { rows } = await sql<AccountCodeRow>`
    update account_codes
    set ${wrongTries} = ${wrongTries} + 1, ${wrongAt} = ${recent} || ${now}::timestamptz, updated_at = ${now}
    where purpose = ${holder.purpose} and holder_id = ${holder.id} and consumed_at is null
      and code_hmac is not null and expires_at > ${now} and ${wrongTries} < ${limits.aCode}::int
      and cardinality(${recent}) < ${limits.anHour}::int
    returning *`.execute(db)
  return rows[0]
}

/** Marks a code as used, and does not count its try as wrong. @returns false when it was used, replaced or expired meanwhile */
export async function consumeAccountCode(
  db: Queryable,
  code: Pick<AccountCodeRow, 'request_id' | 'code_hmac'> & { asker: Asker },
  now: Date,
): Promise<boolean> {
  const wrongAt = sql.ref(COUNTS[code.asker].holder)
  const { numAffectedRows } = await sql`
    update account_codes set consumed_at = ${now}, ${wrongAt} = ${wrongAt}[:cardinality(${wrongAt}) - 1]
    where request_id = ${code.request_id} and code_hmac = ${code.code_hmac} and consumed_at is null and expires_at > ${now}`.execute(
    db,
  )
  return (numAffectedRows ?? 0n) > 0n
}

/** Deletes codes that were not touched in the last hour, so no limit needs them any more. */
export async function purgeAccountCodes(db: Queryable, now: Date): Promise<void> {
  await db.deleteFrom('account_codes').where('updated_at', '<', before(now, HOUR_MS)).execute()
}

function before(now: Date, milliseconds: number): Date {
  return new Date(now.getTime() - milliseconds)
}

/** Forgets every code that was mailed to a person. */
export async function deleteAccountCodes(db: Queryable, userId: string): Promise<void> {
  await db.deleteFrom('account_codes').where('user_id', '=', userId).execute()
}
