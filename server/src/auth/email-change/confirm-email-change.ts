import { EMAIL_UNDO_HOURS } from '@tradepost/contract/limits'
import { queueMail } from '../../mail/outbox/queue-mail.ts'
import { type Queryable, withTransaction } from '../../platform/database/queryable.ts'
import type { Client } from '../../platform/http/client.ts'
import { newId } from '../../platform/ids.ts'
import { audit } from '../audit/audit.ts'
import { describePlace } from '../audit/describe-place.ts'
import type { AuthDeps } from '../keys/auth-deps.ts'
import { AuthFault } from '../keys/auth-fault.ts'
import { openSession, type SignedIn } from '../sessions/open-session.ts'
import { hasExpired } from '../sessions/session-life.ts'
import {
  lockSession,
  revokeAllSessions,
  revokeSessions,
  type SessionRow,
} from '../sessions/sessions.queries.ts'
import { checkAccountCode } from '../sign-in/account-codes.ts'
import { findFactors } from '../users/factors.queries.ts'
import { findPerson } from '../users/person.ts'
import { lockUser } from '../users/users.queries.ts'
import {
  deleteEmailChange,
  type EmailChangeRow,
  findChangesAsking,
  isAddressFree,
  lockEmailChange,
  markProved,
  type OpenChange,
  type Side,
} from './email-changes.queries.ts'
import { insertEmailUndo } from './email-undos.queries.ts'
import { endProofs } from './move-address.queries.ts'
import { moveAddress } from './move-address.ts'

const HOUR_MS = 3_600_000
/** More people cannot want one address within an hour, since each has a mail sent there. */
const CHANGES_AT_ONCE = 10

/**
 * `half`: one code of the two was right. `changed`: both were, and the person is signed in; `isKept` where that is the session that asked.
 */
export type Confirmed = { kind: 'half' } | { kind: 'changed'; signedIn: SignedIn; isKept: boolean }

type Given = {
  /** The mailbox that the code came to, normalised. */
  email: string
  code: string
  /** Of the caller; null for one who shows none, as clients of the wire do. */
  sessionId: string | null
}

/**
 * Takes a mailed code of a change of address; with the second one the address changes (rule G-119, ADR 0123). Every session ends, but for
 * the one that asked if that is the caller's; others are handed a new one, in which the second factor is still to be given.
 * @throws `code_wrong` for every kind of failure; `account_suspended`
 */
export async function confirmEmailChange(
  deps: AuthDeps,
  given: Given,
  client: Client,
  now: Date,
): Promise<Confirmed> {
  const { code, email, sessionId } = given
  for (const change of await findChangesAsking(deps.db, { email, limit: CHANGES_AT_ONCE }, now)) {
    const asker = change.session_id === sessionId ? 'known device' : 'anybody'
    const holder = { purpose: change.side, id: change.session_id }
    const tried = { holder, userId: change.user_id, email, code, asker } as const
    const consume = await checkAccountCode(deps, tried, client, now)
    if (!consume) continue
    return withTransaction(deps.db, async (tx) => {
      const locked = await lockChange(tx, change, now)
      if (!(await consume(tx))) throw new AuthFault('code_wrong')
      const isKept = change.session_id === sessionId
      return take(deps, tx, { ...locked, ...change, isKept }, client, now)
    })
  }
  throw new AuthFault('code_wrong')
}

type Locked = { change: EmailChangeRow; session: SessionRow }

/** The change while it may be finished: unchanged, in a live session that is as sure of the person as their account asks now. */
async function lockChange(tx: Queryable, found: OpenChange, now: Date): Promise<Locked> {
  const { new_email, old_email, session_id, user_id } = found
  const change = await lockEmailChange(tx, user_id)
  const same = change?.session_id === session_id && change.new_email === new_email && change.expires_at > now
  if (!change || !same) throw new AuthFault('code_wrong')
  await endProofs(tx, [old_email, new_email], now)
  const user = await lockUser(tx, user_id)
  if (user?.email !== old_email) throw new AuthFault('code_wrong')
  if (user.suspended_at) throw new AuthFault('account_suspended')
  const session = await lockSession(tx, session_id)
  if (!session || session.revoked_at || hasExpired(session, now)) throw new AuthFault('code_wrong')
  const factors = await findFactors(tx, user_id)
  const isConfirmed = session.aal === 'aal2' || !factors.some(({ status }) => status === 'verified')
  if (!isConfirmed) throw new AuthFault('code_wrong')
  return { change, session }
}

type Taken = Locked & OpenChange & { side: Side; isKept: boolean }

async function take(
  deps: AuthDeps,
  tx: Queryable,
  taken: Taken,
  client: Client,
  now: Date,
): Promise<Confirmed> {
  const { change, new_email, old_email, session_id: sessionId, side, user_id: userId } = taken
  const isLast = (side === 'old_email' ? change.new_proved_at : change.old_proved_at) !== null
  if (!isLast) {
    await markProved(tx, { userId, side }, now)
    await audit(deps, tx, { action: 'email_change_confirmed', userId, sessionId, detail: side, client }, now)
    return { kind: 'half' }
  }
  if (!(await isAddressFree(tx, { email: new_email, userId }, now))) throw new AuthFault('code_wrong')
  await deleteEmailChange(tx, userId, now)
  await moveAddress(tx, { userId, email: new_email }, now)
  await announce(tx, { userId, old_email, new_email, client }, now)
  await audit(deps, tx, { action: 'email_changed', userId, sessionId, email: old_email, client }, now)
  return { kind: 'changed', isKept: taken.isKept, signedIn: await signIn(deps, tx, taken, client, now) }
}

/** The old mailbox is told, with a link that takes the change back (ADR 0123). */
async function announce(
  tx: Queryable,
  changed: { userId: string; old_email: string; new_email: string; client: Client },
  now: Date,
): Promise<void> {
  const undoId = newId()
  const { client, userId, ...emails } = changed
  const expiresAt = new Date(now.getTime() + EMAIL_UNDO_HOURS * HOUR_MS)
  await insertEmailUndo(tx, {
    id: undoId,
    user_id: userId,
    ...emails,
    created_at: now,
    expires_at: expiresAt,
  })
  const facts = { undoId, at: now.toISOString(), from: describePlace(client) }
  await queueMail(tx, { kind: 'address_changed', userId: null, facts }, now)
}

async function signIn(
  deps: AuthDeps,
  tx: Queryable,
  { isKept, new_email, session, user_id: userId }: Taken,
  client: Client,
  now: Date,
): Promise<SignedIn> {
  if (!isKept) {
    await revokeAllSessions(tx, userId, now)
    const opened = await openSession(deps, tx, { email: new_email, method: 'otp' }, client, now)
    if (!opened) throw new AuthFault('account_suspended')
    return opened
  }
  const others = { userId, sessionId: session.id, scope: 'others', onlyAal1: false } as const
  await revokeSessions(tx, others, now)
  const person = await findPerson(tx, userId)
  if (!person) throw new AuthFault('code_wrong')
  return { session, ...person }
}
