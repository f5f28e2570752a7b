import { type Queryable, withTransaction } from '../../platform/database/queryable.ts'
import type { Client } from '../../platform/http/client.ts'
import { audit } from '../audit/audit.ts'
import type { AuthDeps } from '../keys/auth-deps.ts'
import { AuthFault } from '../keys/auth-fault.ts'
import { seal, unseal } from '../keys/sealed-box.ts'
import { revokeAllSessions } from '../sessions/sessions.queries.ts'
import { checkAccountCode, requestAccountCode } from '../sign-in/account-codes.ts'
import { deleteUnverified, insertFactor, lockFactor } from '../users/factors.queries.ts'
import { findUser } from '../users/users.queries.ts'
import { announceFactor } from './announce-factor.ts'
import {
  type FactorUndoRow,
  findFactorUndo,
  findFactorUndosSince,
  markUndone,
} from './factor-undos.queries.ts'
import { forgetFactor } from './forget-factor.ts'
import { deleteRecoveryCodes } from './recovery-codes.queries.ts'
import { readUndoToken } from './undo-token.ts'

/**
 * The state of a link: `live` while it can undo the change; `unknown` when it is none of ours, `expired` after 72 hours, `used`, or
 * `overtaken` when the second step was changed again since.
 */
export type Undo =
  | { kind: 'live'; id: string; userId: string; change: 'added' | 'removed' }
  | { kind: 'unknown' | 'expired' | 'used' | 'overtaken' }
type LiveUndo = Extract<Undo, { kind: 'live' }>

/** Looks what a link can do; uses nothing up and changes nothing. */
export async function lookUpUndo(deps: AuthDeps, token: string, now: Date): Promise<Undo> {
  const id = readUndoToken(deps.secret, 'factor-undos', token)
  return id === null ? { kind: 'unknown' } : findUndo(deps.db, { id, lock: false }, now)
}

async function findUndo(db: Queryable, of: { id: string; lock: boolean }, now: Date): Promise<Undo> {
  const row = await findFactorUndo(db, of)
  return describeUndo(row, now)
}

function describeUndo(row: (FactorUndoRow & { overtaken: boolean }) | undefined, now: Date): Undo {
  // We made the token, so there was such a change once.
  if (!row || row.expires_at <= now) return { kind: 'expired' }
  if (row.used_at) return { kind: 'used' }
  if (row.overtaken) return { kind: 'overtaken' }
  return { kind: 'live', id: row.id, userId: row.user_id, change: row.change as LiveUndo['change'] }
}

/** Mails the code that goes with the link. @returns `limited` when no more mails can be sent just now */
export async function sendUndoCode(
  deps: AuthDeps,
  undo: LiveUndo,
  client: Client,
  now: Date,
): Promise<'sent' | 'limited'> {
  try {
    const request = { holder: holderOf(undo), userId: undo.userId, sessionId: null, client }
    await requestAccountCode(deps, request, now)
    return 'sent'
  } catch (error) {
    if (error instanceof AuthFault && error.code === 'too_many_mails') return 'limited'
    throw error
  }
}

/**
 * Undoes a change of a factor: one that was added goes, one that was removed comes back. The person who made the change
 * may have every session and the recovery codes, so these end either way.
 * @returns what was undone; `wrong` for every fault of the code; or why the link does nothing
 */
export async function undoFactorChange(
  deps: AuthDeps,
  undo: LiveUndo,
  code: string,
  client: Client,
  now: Date,
): Promise<'undone' | 'wrong' | Exclude<Undo['kind'], 'live'>> {
  const { id, userId } = undo
  const user = await findUser(deps.db, userId)
  if (!user) return 'expired'
  const given = { holder: holderOf(undo), userId, email: user.email, code, asker: 'anybody' as const }
  const consume = await checkAccountCode(deps, given, client, now)
  if (!consume) return 'wrong'
  return withTransaction(deps.db, async (tx) => {
    const row = await findFactorUndo(tx, { id, lock: true })
    const { kind } = describeUndo(row, now)
    if (!row || kind !== 'live') return kind === 'live' ? 'expired' : kind
    if (!(await consume(tx))) return 'wrong'
    if (!(await reverse(deps, tx, row, now))) return 'overtaken'
    await deleteRecoveryCodes(tx, userId)
    await revokeAllSessions(tx, userId, now)
    await markUndone(tx, id, now)
    const change = row.change === 'added' ? 'removed' : 'added'
    await announceFactor(tx, { userId, factorId: row.factor_id, change, client, undoId: null }, now)
    await audit(
      deps,
      tx,
      { action: 'factor_change_undone', userId, detail: `${row.factor_id} ${row.change}`, client },
      now,
    )
    return 'undone'
  })
}

/**
 * Undoes, newest first, every change of a factor that can be undone and was made since an instant.
 * @param tx locks each of them
 */
export async function reverseFactorChanges(
  deps: AuthDeps,
  tx: Queryable,
  of: { userId: string; since: Date },
  now: Date,
): Promise<void> {
  for (const row of await findFactorUndosSince(tx, of, now)) {
    await reverse(deps, tx, row, now)
    await markUndone(tx, row.id, now)
  }
}

/** @returns whether the account still stood as the change had left it */
async function reverse(deps: AuthDeps, tx: Queryable, row: FactorUndoRow, now: Date): Promise<boolean> {
  const { factor_id: factorId, user_id: userId } = row
  if (row.change === 'added') {
    const factor = await lockFactor(tx, { id: factorId, userId })
    if (factor) await forgetFactor(tx, factor)
    return factor !== undefined
  }
  const box = resealed(deps, row)
  const name = row.friendly_name ?? ''
  // Set-ups that were begun since give way: they never counted, and may be a thief's.
  await deleteUnverified(tx, userId)
  return insertFactor(tx, {
    id: factorId,
    user_id: userId,
    factor_type: 'totp',
    status: 'verified',
    friendly_name: name,
    secret_sealed: box.sealed,
    secret_key_id: box.secretKeyId,
    last_step: row.last_step,
    created_at: row.factor_created_at ?? now,
    updated_at: now,
  })
}

/** The kept secret under the newest AUTH_SECRET: it may have missed a reseal. */
function resealed(deps: AuthDeps, row: FactorUndoRow) {
  if (!row.secret_sealed || !row.secret_key_id)
    throw new Error('a removed factor was kept without its secret')
  const label = { purpose: 'factor-secrets', id: row.factor_id } as const
  const text = unseal(deps.secret, label, { sealed: row.secret_sealed, secretKeyId: row.secret_key_id })
  if (text === null) throw new Error('a removed factor was sealed under a secret that is not in AUTH_SECRET')
  return seal(deps.secret, label, text)
}

function holderOf(undo: LiveUndo) {
  return { purpose: 'factor_undo', id: undo.id } as const
}
