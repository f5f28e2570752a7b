import type { ExportAnswer } from '@tradepost/contract/data-export'
import { EXPORT_LINK_MINUTES, EXPORTS_A_DAY } from '@tradepost/contract/limits'
import { audit } from '../../auth/audit/audit.ts'
import { describePlace } from '../../auth/audit/describe-place.ts'
import type { SecretKey } from '../../auth/keys/secret-key.ts'
import { isFresh } from '../../auth/sessions/session-life.ts'
import { findSession } from '../../auth/sessions/sessions.queries.ts'
import { lockUser } from '../../auth/users/users.queries.ts'
import { queueMail } from '../../mail/outbox/queue-mail.ts'
import { type Queryable, withTransaction } from '../../platform/database/queryable.ts'
import type { Client } from '../../platform/http/client.ts'
import { refusal } from '../../platform/http/refusal.ts'
import type { Caller } from '../../platform/http/register-endpoints.ts'
import { newId } from '../../platform/ids.ts'
import { exportPath } from './export-token.ts'
import { insertExport, listExportsSince, replaceExports } from './exports.queries.ts'

const DAY_MS = 86_400_000
const LINK_MS = EXPORT_LINK_MINUTES * 60_000

/**
 * Makes the link to a file of everything that is kept about the caller, and mails it (rule G-118). It takes what a change of the second
 * step takes (ADR 0031), since the file is all that a thief of a session could want. An earlier link of the person ends.
 * @throws `reauthentication_needed`; `too_many_exports` with the seconds until there is room again; `unauthorized`
 */
export async function requestExport(
  { db, secret }: { db: Queryable; secret: SecretKey },
  { sessionId, userId }: Caller,
  client: Client,
  now: Date,
): Promise<ExportAnswer> {
  const id = newId()
  const expiresAt = new Date(now.getTime() + LINK_MS)
  await withTransaction(db, async (tx) => {
    // Of two at once the second waits, so that both are counted and one link is left.
    const user = await lockUser(tx, userId)
    const session = await findSession(tx, sessionId)
    // A closing may have come first.
    if (!user || user.closed_at || !session || session.revoked_at) throw refusal('unauthorized')
    if (!isFresh(session, now)) throw refusal('reauthentication_needed')
    await requireFewExports(tx, userId, now)
    await replaceExports(tx, userId, now)
    await insertExport(tx, { id, user_id: userId, created_at: now, expires_at: expiresAt })
    const times = { at: now.toISOString(), expiresAt: expiresAt.toISOString() }
    await queueMail(
      tx,
      { kind: 'export_ready', userId, facts: { exportId: id, ...times, from: describePlace(client) } },
      now,
    )
    await audit({ secret }, tx, { action: 'export_requested', userId, sessionId, detail: id, client }, now)
  })
  return { path: exportPath(secret, id), expiresAt: expiresAt.toISOString() }
}

async function requireFewExports(tx: Queryable, userId: string, now: Date): Promise<void> {
  const asked = await listExportsSince(tx, userId, new Date(now.getTime() - DAY_MS))
  // The one of which the place becomes free first.
  const first = asked[EXPORTS_A_DAY - 1]
  if (!first) return
  const retryAfterSeconds = Math.ceil((first.getTime() + DAY_MS - now.getTime()) / 1000)
  throw refusal('too_many_exports', { retryAfterSeconds })
}
