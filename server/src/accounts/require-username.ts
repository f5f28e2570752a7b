import type { Queryable } from '../platform/database/queryable.ts'
import { refusal } from '../platform/http/refusal.ts'
import { findUsername } from './accounts.queries.ts'

/**
 * Publishing and price checks need a username (docs/specification.md section 6).
 * @throws `username_required`
 */
export async function requireUsername(db: Queryable, userId: string): Promise<string> {
  const username = await findUsername(db, userId)
  if (username === null) throw refusal('username_required')
  return username
}
