import { liftRefused } from '../../mail/suppressions/suppressions.queries.ts'
import type { Queryable } from '../../platform/database/queryable.ts'
import type { Client } from '../../platform/http/client.ts'
import { newId } from '../../platform/ids.ts'
import { audit, auditRow } from '../audit/audit.ts'
import { type AuthenticationMethod, unixSeconds } from '../keys/access-tokens.ts'
import type { SecretKey } from '../keys/secret-key.ts'
import { insertOpenedSession, type NewSession } from '../users/open-session.queries.ts'
import { type Person, personOf } from '../users/person.ts'
import type { SessionRow } from './sessions.queries.ts'

/** An address that somebody has just proved to be theirs, and how. */
export type VerifiedAddress = { email: string; method: AuthenticationMethod['method'] }

/** A person, and the session of which their next tokens are made. */
export type SignedIn = Person & { session: Pick<SessionRow, 'id' | 'refresh_counter' | 'aal' | 'amr'> }

/**
 * Opens a session for an address that was proved, making its user at the first time (rule G-04).
 * @param tx the transaction of the proof
 * @returns null when the user is suspended
 */
export async function openSession(
  deps: { secret: SecretKey },
  tx: Queryable,
  { email, method }: VerifiedAddress,
  client: Client,
  now: Date,
): Promise<SignedIn | null> {
  const drawn = drawSession(deps, method, client, now)
  const stored = await insertOpenedSession(tx, email, drawn.row)
  const { suppressed, ...account } = stored
  if (account.id === null) return null
  if (suppressed) await liftProved(deps, tx, account.id, now)
  return { session: drawn.session, ...(await personOf(tx, account)) }
}

type DrawnSession = { session: SignedIn['session']; row: NewSession }

/** Draws a new session, and the row that stores it. */
export function drawSession(
  deps: { secret: SecretKey },
  method: AuthenticationMethod['method'],
  client: Client,
  now: Date,
): DrawnSession {
  const session = {
    id: newId(),
    refresh_counter: 0,
    aal: 'aal1',
    amr: [{ method, timestamp: unixSeconds(now) }],
  }
  const entry = auditRow(deps, { action: 'signed_in', detail: method, client }, now)
  const row = {
    now,
    userId: newId(),
    userMetadata: JSON.stringify({ email_verified: true }),
    identityId: newId(),
    sessionId: session.id,
    amr: JSON.stringify(session.amr),
    ip: client.ip,
    userAgent: client.userAgent,
    entryId: String(entry.id),
    action: entry.action,
    method,
  }
  return { session, row }
}

/** The mail that proved an address has arrived, so one that was given up as refusing mails gets them again (ADR 0072). */
export async function liftProved(
  deps: { secret: SecretKey },
  tx: Queryable,
  userId: string,
  now: Date,
): Promise<void> {
  if (await liftRefused(tx, userId))
    await audit(deps, tx, { action: 'suppression_lifted', userId, detail: 'by a mailed code' }, now)
}
