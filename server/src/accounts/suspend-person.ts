import { audit } from '../auth/audit/audit.ts'
import type { SecretKey } from '../auth/keys/secret-key.ts'
import { queueMail } from '../mail/outbox/queue-mail.ts'
import { checkReason } from '../platform/check-reason.ts'
import { type Queryable, withTransaction } from '../platform/database/queryable.ts'
import { newId } from '../platform/ids.ts'
import { enqueue } from '../work/jobs.ts'
import { findPerson } from './find-person.ts'
import { suspensionChanged } from './suspensions.jobs.ts'
import { closeSuspension, insertSuspension, markRestored, markSuspended } from './suspensions.queries.ts'

type Deps = { db: Queryable; secret: SecretKey }

/**
 * Suspends somebody, for an operator: from this commit on every request of theirs is refused (`account_suspended`), no
 * position is mailed to them, and nobody can subscribe to them. They are mailed why; what they pay for, and what others pay
 * for following them, is not charged from the job's run on, as for lost payouts (rule G-56).
 * @param who a mail address, or a username with or without @
 * @returns whether it is new
 * @throws when nobody has that address or username, or without a reason
 */
export async function suspendPerson(deps: Deps, who: string, reason: string, now: Date): Promise<boolean> {
  const userId = await findPerson(deps.db, who)
  const why = checkReason(reason)
  return withTransaction(deps.db, async (tx) => {
    if (!(await markSuspended(tx, userId, now))) return false
    const id = newId()
    await insertSuspension(tx, { id, userId, reason: why }, now)
    await queueMail(tx, { kind: 'account_suspended', userId, cause: id, facts: { reason: why } }, now)
    await audit(deps, tx, { action: 'suspended', userId, detail: 'by operator' }, now)
    await enqueue(tx, suspensionChanged, { userId }, { key: `suspension-changed:${userId}` })
    return true
  })
}

/**
 * Lets somebody back who was suspended: they can sign in, and what was paused is charged again.
 * @returns whether they were suspended
 * @throws as `suspendPerson`
 */
export async function restorePerson(deps: Deps, who: string, reason: string, now: Date): Promise<boolean> {
  const userId = await findPerson(deps.db, who)
  const why = checkReason(reason)
  return withTransaction(deps.db, async (tx) => {
    const since = await markRestored(tx, userId)
    if (since === null) return false
    await closeSuspension(tx, userId, why, now)
    const cause = since.toISOString()
    await queueMail(tx, { kind: 'account_restored', userId, cause, facts: { reason: why } }, now)
    await audit(deps, tx, { action: 'restored', userId, detail: 'by operator' }, now)
    await enqueue(tx, suspensionChanged, { userId }, { key: `suspension-changed:${userId}` })
    return true
  })
}
