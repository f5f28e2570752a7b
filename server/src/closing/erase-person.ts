import { findUsername } from '../accounts/accounts.queries.ts'
import { keepNameFree } from '../accounts/former-names.ts'
import { audit, auditedEmail } from '../auth/audit/audit.ts'
import type { SecretKey } from '../auth/keys/secret-key.ts'
import { lockUser } from '../auth/users/users.queries.ts'
import { type Queryable, withTransaction } from '../platform/database/queryable.ts'
import type { Settings } from '../platform/settings.ts'
import { lockClosing, markErased } from './closings.queries.ts'
import {
  deleteAddress,
  deleteCheckouts,
  deleteOwnRows,
  emptyPayments,
  emptyUser,
  emptyWords,
  listAddresses,
  listCustomerIds,
  removeNameFromMails,
} from './erase.queries.ts'
import { noteErasure } from './erasures-file.ts'

export type EraseDeps = { db: Queryable; secret: SecretKey; settings: Pick<Settings, 'record'> }

/**
 * Erases the person of a closing that has ended, in one transaction: whoever reads sees all of them or nothing of them. Figures and payments
 * stay under the random id of a user who is nobody (rule G-117, ADR 0121).
 * @param closingId of a closing that is neither given back nor before its end
 */
export function erasePerson(deps: EraseDeps, closingId: string, now: Date): Promise<void> {
  return withTransaction(deps.db, async (tx) => {
    const closing = await lockClosing(tx, closingId)
    if (!closing?.endedAt || closing.erasedAt) return
    const { userId } = closing
    const user = await lockUser(tx, userId)
    if (!user) return
    // Before the commit: a backup from before it never brings the person back for longer than a start.
    noteErasure(deps.settings.record.dir, userId)
    const username = await findUsername(tx, userId)
    if (username !== null) {
      await keepNameFree(tx, deps.secret, username, now)
      await removeNameFromMails(tx, username)
    }
    const customersLeft = await listCustomerIds(tx, userId)
    const emails = await listAddresses(tx, userId)
    const emailHmacs = deps.secret.all.map((key) => auditedEmail(key, user.email))
    await deleteOwnRows(tx, userId)
    await deleteCheckouts(tx, userId)
    await deleteAddress(tx, { userId, emails, emailHmacs })
    await emptyWords(tx, userId)
    await emptyPayments(tx, userId, now)
    await emptyUser(tx, userId, now)
    await markErased(tx, { id: closingId, customersLeft }, now)
    await audit(deps, tx, { action: 'person_erased', userId }, now)
  })
}
