import { normalizeEmail } from '@tradepost/contract/email-address'
import type { Queryable } from '../../platform/database/queryable.ts'
import type { SecretKey } from '../keys/secret-key.ts'
import { findUserId } from '../users/users.queries.ts'
import { type AuditRow, findAudit } from './audit.queries.ts'
import { auditedEmail } from './audit.ts'

const ENTRIES_MAX = 200

/**
 * Lists for an operator who did what from where: one line each, newest first, at most 200.
 * @param address of the person to look for, or null for everybody
 * @throws when that is no mail address
 */
export async function readAudit(
  deps: { db: Queryable; secret: SecretKey },
  address: string | null,
): Promise<string[]> {
  const email = address === null ? null : normalizeEmail(address)
  if (address !== null && email === null) throw new Error('That is not a mail address.')
  const of = email && {
    userId: await findUserId(deps.db, email),
    emailHmacs: deps.secret.all.map((secret) => auditedEmail(secret, email)),
  }
  return (await findAudit(deps.db, of || null, ENTRIES_MAX)).map(auditLine)
}

/** An entry in one line. People sent the agent's name: whatever could draw on a terminal is cut out. */
export function auditLine(row: AuditRow): string {
  const who = row.user_id ?? (row.email_hmac ? `address ${row.email_hmac.slice(0, 12)}` : '-')
  const agent = row.user_agent?.replaceAll(/[^ -~]/g, '?') ?? '-'
  const session = row.session_id ? `session ${row.session_id}` : '-'
  return [row.at.toISOString(), row.action, who, session, row.detail ?? '-', row.ip ?? '-', agent].join('  ')
}
