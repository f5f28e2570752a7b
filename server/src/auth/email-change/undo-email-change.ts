import { queueMail } from '../../mail/outbox/queue-mail.ts'
import { withTransaction } from '../../platform/database/queryable.ts'
import type { Client } from '../../platform/http/client.ts'
import { audit } from '../audit/audit.ts'
import { describePlace } from '../audit/describe-place.ts'
import { deleteRecoveryCodes } from '../factors/recovery-codes.queries.ts'
import { reverseFactorChanges } from '../factors/undo-factor-change.ts'
import { readUndoToken } from '../factors/undo-token.ts'
import type { AuthDeps } from '../keys/auth-deps.ts'
import { revokeAllSessions } from '../sessions/sessions.queries.ts'
import { findUser, lockUser } from '../users/users.queries.ts'
import { deleteEmailChange, isAddressFree, lockEmailChange } from './email-changes.queries.ts'
import { type EmailUndoRow, findEmailUndo, lockEmailUndos, markEmailUndone } from './email-undos.queries.ts'
import { endProofs } from './move-address.queries.ts'
import { moveAddress } from './move-address.ts'

/** Why a link does nothing. `overtaken`: an earlier change was taken back; `taken`: the old address is somebody else's. */
export type DeadEmailUndo = 'unknown' | 'expired' | 'used' | 'overtaken' | 'taken'
/** The state of a link of a mail about a changed address. */
export type EmailUndo = { kind: 'live'; id: string; oldEmail: string } | { kind: DeadEmailUndo }

/** Looks what a link can do; uses nothing up and changes nothing. */
export async function lookUpEmailUndo(deps: AuthDeps, token: string, now: Date): Promise<EmailUndo> {
  const id = readUndoToken(deps.secret, 'email-undos', token)
  if (id === null) return { kind: 'unknown' }
  return describe(await findEmailUndo(deps.db, id), now)
}

function describe(row: EmailUndoRow | undefined, now: Date): EmailUndo {
  // We made the token, so there was such a change once.
  if (!row || row.expires_at <= now) return { kind: 'expired' }
  if (row.used_at) return { kind: 'used' }
  if (row.overtaken_at) return { kind: 'overtaken' }
  return { kind: 'live', id: row.id, oldEmail: row.old_email }
}

/**
 * Takes a change of address back, and whatever was changed of the account's sign-in since: later changes of address, and of the second
 * factor. The person who made them may have every session and the recovery codes, so these end (ADR 0123).
 * @returns why nothing was done, or the address that the account has again
 */
export function undoEmailChange(deps: AuthDeps, id: string, client: Client, now: Date): Promise<EmailUndo> {
  return withTransaction(deps.db, async (tx) => {
    const known = await findEmailUndo(tx, id)
    const rows = known ? await lockEmailUndos(tx, known.user_id) : []
    const row = rows.find((one) => one.id === id)
    const undo = describe(row, now)
    if (!row || undo.kind !== 'live') return undo
    const { old_email: email, user_id: userId } = row
    // Nobody finishes a change from here on, so the address stays the one that is read.
    await lockEmailChange(tx, userId)
    const present = await findUser(tx, userId)
    await endProofs(tx, [...new Set([email, row.new_email, present?.email ?? email])], now)
    const user = await lockUser(tx, userId)
    if (!user) return { kind: 'expired' }
    if (!(await isAddressFree(tx, { email, userId }, now))) return { kind: 'taken' }
    await deleteEmailChange(tx, userId, now)
    await moveAddress(tx, { userId, email }, now)
    await reverseFactorChanges(deps, tx, { userId, since: row.created_at }, now)
    await deleteRecoveryCodes(tx, userId)
    await revokeAllSessions(tx, userId, now)
    await markEmailUndone(tx, row, now)
    for (const to of ['old', 'new'] as const) {
      const facts = { undoId: id, to, at: now.toISOString(), from: describePlace(client) }
      await queueMail(tx, { kind: 'address_restored', userId: null, facts }, now)
    }
    await audit(deps, tx, { action: 'email_change_undone', userId, email: user.email, client }, now)
    return undo
  })
}
