import { createHmac } from 'node:crypto'
import type { Insertable } from 'kysely'
import type { Queryable } from '../../platform/database/queryable.ts'
import type { AuditLog } from '../../platform/database/schema.ts'
import type { Client } from '../../platform/http/client.ts'
import { newId } from '../../platform/ids.ts'
import type { SecretKey } from '../keys/secret-key.ts'
import { insertAudit } from './audit.queries.ts'

export type AuditAction =
  | 'code_requested'
  | 'code_refused'
  | 'signed_in'
  | 'signed_out'
  | 'session_ended'
  | 'token_replayed'
  | 'reauthenticated'
  | 'user_updated'
  | 'email_change_requested'
  | 'email_change_confirmed'
  | 'email_change_cancelled'
  | 'email_changed'
  | 'email_change_undone'
  | 'factor_enrolled'
  | 'factor_verified'
  | 'factor_refused'
  | 'factor_removed'
  | 'factor_change_undone'
  | 'recovery_code_used'
  | 'recovery_codes_made'
  | 'export_requested'
  | 'export_taken'
  | 'suppression_lifted'
  | 'suspended'
  | 'restored'
  | 'account_closed'
  | 'account_reopened'
  | 'person_erased'
  | 'price_adjusted'
  | 'price_accepted'
  | 'position_struck'
  | 'symbol_renamed'
  | 'person_read'
  | 'about_removed'

export type AuditEntry = {
  action: AuditAction
  userId?: string
  sessionId?: string
  /** For people who have no user yet, and the other address of a change; only a keyed hash of it is stored. */
  email?: string
  /** A method, a scope or the id of a factor; never a secret. */
  detail?: string
  client?: Client
}

/**
 * Writes who did what, and from where, into the audit log.
 * @param db the transaction of the action, so that the action and its entry are stored together or not at all
 */
export async function audit(
  deps: { secret: SecretKey },
  db: Queryable,
  entry: AuditEntry,
  now: Date,
): Promise<void> {
  await insertAudit(db, auditRow(deps, entry, now))
}

/** The row that stores an entry. */
export function auditRow(deps: { secret: SecretKey }, entry: AuditEntry, now: Date): Insertable<AuditLog> {
  return {
    id: newId(),
    at: now,
    action: entry.action,
    user_id: entry.userId ?? null,
    session_id: entry.sessionId ?? null,
    email_hmac: entry.email === undefined ? null : auditedEmail(deps.secret, entry.email),
    detail: entry.detail ?? null,
    ip: entry.client?.ip ?? null,
    user_agent: entry.client?.userAgent ?? null,
  }
}

/** The form of an address in the log: an HMAC under a key from AUTH_SECRET, the same each time. @returns base64url */
export function auditedEmail(secret: SecretKey, email: string): string {
  return createHmac('sha256', secret.derive('audit')).update(email).digest('base64url')
}
