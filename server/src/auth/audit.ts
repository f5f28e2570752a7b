import { createHmac } from 'node:crypto'
import type { Queryable } from '../platform/database.ts'
import type { Client } from '../platform/http/client.ts'
import { newId } from '../platform/ids.ts'
import { insertAudit } from './audit.queries.ts'
import type { SecretKey } from './secret-key.ts'

export type AuditAction =
  | 'code_requested'
  | 'code_refused'
  | 'signed_in'
  | 'signed_out'
  | 'session_ended'
  | 'token_replayed'
  | 'reauthenticated'
  | 'user_updated'
  | 'factor_enrolled'
  | 'factor_verified'
  | 'factor_refused'
  | 'factor_removed'
  | 'factor_change_undone'
  | 'recovery_code_used'
  | 'recovery_codes_made'
  | 'suppression_lifted'
  | 'suspended'
  | 'restored'

export type AuditEntry = {
  action: AuditAction
  userId?: string
  sessionId?: string
  /** Of people of whom nothing else is known yet; only its keyed hash is kept. */
  email?: string
  /** Never a secret: a method, a scope, a factor's id. */
  detail?: string
  client?: Client
}

/**
 * Writes down who did what from where. Given the transaction of the deed, so that neither stands without the other.
 */
export async function audit(
  deps: { secret: SecretKey },
  db: Queryable,
  entry: AuditEntry,
  now: Date,
): Promise<void> {
  await insertAudit(db, {
    id: newId(),
    at: now,
    action: entry.action,
    user_id: entry.userId ?? null,
    session_id: entry.sessionId ?? null,
    email_hmac: entry.email === undefined ? null : auditedEmail(deps.secret, entry.email),
    detail: entry.detail ?? null,
    ip: entry.client?.ip ?? null,
    user_agent: entry.client?.userAgent ?? null,
  })
}

/** How an address stands in the log: the same hash each time, and nobody without AUTH_SECRET can make it. */
export function auditedEmail(secret: SecretKey, email: string): string {
  return createHmac('sha256', secret.derive('audit')).update(email).digest('base64url')
}
