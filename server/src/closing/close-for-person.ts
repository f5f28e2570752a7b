import { findPerson } from '../accounts/find-person.ts'
import type { SecretKey } from '../auth/keys/secret-key.ts'
import { checkReason } from '../platform/check-reason.ts'
import { type Queryable, withTransaction } from '../platform/database/queryable.ts'
import { makeDue } from '../work/due-rows.queries.ts'
import { closeAccount } from './close-account.ts'
import { CLOSINGS } from './closings.jobs.ts'
import { bringEndForward, findClosingOf } from './closings.queries.ts'

type Deps = { db: Queryable; secret: SecretKey }

/**
 * Closes somebody's account for an operator, as they would themselves (rule G-117): they are mailed why, and have fourteen days.
 * @param who a mail address, or a username with or without @
 * @returns until when it can be given back (UTC); null where it is closed already
 * @throws when nobody has that address or username, or without a reason
 */
export async function closeForPerson(
  deps: Deps,
  who: string,
  reason: string,
  now: Date,
): Promise<Date | null> {
  const userId = await findPerson(deps.db, who)
  const why = checkReason(reason)
  return withTransaction(deps.db, (tx) => closeAccount(deps, tx, { userId, reason: why }, now))
}

/**
 * Has somebody erased without any further day, for an operator; closes the account where it is open. Positions that were opened today are
 * closed tomorrow all the same.
 * @throws as `closeForPerson`
 */
export async function eraseForOperator(deps: Deps, who: string, reason: string, now: Date): Promise<void> {
  const userId = await findPerson(deps.db, who)
  const why = checkReason(reason)
  await withTransaction(deps.db, async (tx) => {
    await closeAccount(deps, tx, { userId, reason: why }, now)
    const closing = await findClosingOf(tx, userId)
    if (!closing) return
    await bringEndForward(tx, closing.id, now)
    await makeDue(tx, CLOSINGS, [closing.id], now)
  })
}
