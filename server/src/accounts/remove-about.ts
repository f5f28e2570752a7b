import { audit } from '../auth/audit/audit.ts'
import type { SecretKey } from '../auth/keys/secret-key.ts'
import { queueMail } from '../mail/outbox/queue-mail.ts'
import { checkReason } from '../platform/check-reason.ts'
import { type Queryable, withTransaction } from '../platform/database/queryable.ts'
import { newId } from '../platform/ids.ts'
import { takeAbout } from './accounts.queries.ts'
import { findPerson } from './find-person.ts'

/**
 * Removes what a trader says about themselves on their profile (rule G-111), for an operator. They are mailed the words and the reason, and can
 * write others.
 * @param who a mail address, or a username with or without @
 * @returns whether there were any words
 * @throws when nobody has that address or username, or without a reason
 */
export async function removeAbout(
  deps: { db: Queryable; secret: SecretKey },
  who: string,
  reason: string,
  now: Date,
): Promise<boolean> {
  const userId = await findPerson(deps.db, who)
  const why = checkReason(reason)
  return withTransaction(deps.db, async (tx) => {
    const about = await takeAbout(tx, userId)
    if (about === null) return false
    await queueMail(tx, { kind: 'about_removed', userId, cause: newId(), facts: { about, reason: why } }, now)
    await audit(deps, tx, { action: 'about_removed', userId, detail: 'by operator' }, now)
    return true
  })
}
