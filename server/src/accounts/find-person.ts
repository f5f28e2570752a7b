import { normalizeEmail } from '@tradepost/contract/email-address'
import { findUserId } from '../auth/users/users.queries.ts'
import type { Queryable } from '../platform/database/queryable.ts'
import { findByUsername } from './accounts.queries.ts'

/**
 * Finds somebody for an operator.
 * @param who a mail address, or a username with or without @
 * @returns the id of the user
 * @throws when nobody has that address or username
 */
export async function findPerson(db: Queryable, who: string): Promise<string> {
  const email = normalizeEmail(who)
  const userId = email
    ? await findUserId(db, email)
    : (await findByUsername(db, who.trim().replace(/^@/, '')))?.userId
  if (!userId) throw new Error('Nobody has that mail address or username.')
  return userId
}
