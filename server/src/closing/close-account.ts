import { CLOSING_DAYS } from '@tradepost/contract/closing'
import { DAY_MS } from '@tradepost/contract/trading-day'
import { audit } from '../auth/audit/audit.ts'
import { lockEmailChange } from '../auth/email-change/email-changes.queries.ts'
import { endProofs } from '../auth/email-change/move-address.queries.ts'
import type { SecretKey } from '../auth/keys/secret-key.ts'
import { isFresh } from '../auth/sessions/session-life.ts'
import { findSession, revokeAllSessions } from '../auth/sessions/sessions.queries.ts'
import { findUser } from '../auth/users/users.queries.ts'
import { queueMail } from '../mail/outbox/queue-mail.ts'
import { type Queryable, withTransaction } from '../platform/database/queryable.ts'
import type { Client } from '../platform/http/client.ts'
import { refusal } from '../platform/http/refusal.ts'
import type { Caller } from '../platform/http/register-endpoints.ts'
import { newId } from '../platform/ids.ts'
import { makeDue } from '../work/due-rows.queries.ts'
import { CLOSINGS } from './closings.jobs.ts'
import { insertClosing, markClosed } from './closings.queries.ts'
import { voidSignIns } from './erase.queries.ts'

type Deps = { db: Queryable; secret: SecretKey }

/**
 * Closes the caller's account (rule G-117, ADR 0121): signed out everywhere at once; positions, subscriptions and the end are a worker's
 * (`tendClosing`). A person with a second factor has confirmed with it, or they could make no call.
 * @returns until when it can be given back (UTC)
 * @throws `reauthentication_needed`, `unauthorized` for a session that has just ended
 */
export async function closeOwnAccount(
  deps: Deps,
  { sessionId, userId }: Caller,
  client: Client,
  now: Date,
): Promise<Date> {
  const eraseAt = await withTransaction(deps.db, async (tx) => {
    const session = await findSession(tx, sessionId)
    if (!session) throw refusal('unauthorized')
    if (!isFresh(session, now)) throw refusal('reauthentication_needed')
    return closeAccount(deps, tx, { userId, sessionId, reason: null, client }, now)
  })
  if (eraseAt === null) throw refusal('unauthorized')
  return eraseAt
}

/**
 * Closes an account in the caller's transaction.
 * @param closing.reason an operator's; null for the person's own wish
 * @param closing.sessionId of the person's own wish
 * @returns until when it can be given back (UTC); null where it is closed already
 */
export async function closeAccount(
  deps: { secret: SecretKey },
  tx: Queryable,
  closing: { userId: string; sessionId?: string; reason: string | null; client?: Client },
  now: Date,
): Promise<Date | null> {
  const { client, reason, sessionId, userId } = closing
  // In the order in which a change of address locks, and a sign-in: its proof before its person.
  await lockEmailChange(tx, userId)
  const person = await findUser(tx, userId)
  if (!person || person.closed_at) return null
  const { email } = person
  await endProofs(tx, [email], now)
  // A sign-in at this moment waits for this row.
  if (!(await markClosed(tx, userId, now))) return null
  // An undoing that came first has ended the session.
  if (sessionId && (await findSession(tx, sessionId))?.revoked_at) throw refusal('unauthorized')
  const id = newId()
  const eraseAt = new Date(now.getTime() + CLOSING_DAYS * DAY_MS)
  await insertClosing(tx, { id, userId, reason, eraseAt }, now)
  await revokeAllSessions(tx, userId, now)
  await voidSignIns(tx, { userId, emails: [email] })
  const facts = { occasion: 'closed', eraseAt: eraseAt.toISOString(), reason, closingId: id } as const
  await queueMail(tx, { kind: 'account_closed', userId, cause: id, facts }, now)
  const detail = client ? {} : { detail: 'by operator' }
  await audit(deps, tx, { action: 'account_closed', userId, ...detail, ...(client && { client }) }, now)
  await makeDue(tx, CLOSINGS, [id], now)
  return eraseAt
}
