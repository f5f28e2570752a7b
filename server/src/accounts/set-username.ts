import { checkUsername } from '@tradepost/contract/username'
import type { SecretKey } from '../auth/keys/secret-key.ts'
import { makeTraderSequence } from '../events/trader-sequence.ts'
import { isUniqueViolation } from '../platform/database/database-errors.ts'
import { type Queryable, withTransaction } from '../platform/database/queryable.ts'
import { refusal } from '../platform/http/refusal.ts'
import type { Caller } from '../platform/http/register-endpoints.ts'
import { insertAccount, looksLikeATrader, updateUsername } from './accounts.queries.ts'
import { wasSomebodys } from './former-names.ts'

/**
 * Sets the username, once (docs/specification.md section 4); unique without regard to case, the case is kept (rule G-20). One that can be
 * taken for that of a trader whom many follow is taken too (ADR 0084), and for a year one of somebody who was erased (rule G-117).
 * @param text as typed
 * @returns the username as it now stands
 * @throws the refusals of `checkUsername`, `username_taken`, `username_already_set`
 */
export async function setUsername(
  deps: { db: Queryable; secret: SecretKey },
  caller: Caller,
  text: string,
  now: Date,
): Promise<string> {
  const username = text.trim()
  const refused = checkUsername(username)
  if (refused) throw refusal(refused)
  try {
    await withTransaction(deps.db, async (tx) => {
      await insertAccount(tx, caller.userId, now)
      if (!(await updateUsername(tx, caller.userId, username, now))) throw refusal('username_already_set')
      if (await looksLikeATrader(tx, { userId: caller.userId, username })) throw refusal('username_taken')
      if (await wasSomebodys(tx, deps.secret, username, now)) throw refusal('username_taken')
      await makeTraderSequence(tx, caller.userId, now)
    })
  } catch (error) {
    // Two people, one name: the unique index lets the first commit and refuses the other.
    if (isUniqueViolation(error, 'accounts_username')) throw refusal('username_taken')
    throw error
  }
  return username
}
