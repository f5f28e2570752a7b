import type { AuthSession } from '@tradepost/contract/auth'
import { type Queryable, withTransaction } from '../platform/database.ts'
import type { Client } from '../platform/http/client.ts'
import { type AuthenticationMethod, unixSeconds } from './access-tokens.ts'
import { announceFactor } from './announce-factor.ts'
import { audit } from './audit.ts'
import type { AuthDeps } from './auth-deps.ts'
import type { BearerSession } from './authenticate.ts'
import {
  closeFactorChallenge,
  countWrongAnswer,
  type FactorChallengeRow,
  findFactorChallenge,
} from './factor-challenges.queries.ts'
import {
  addWrongTry,
  confirmFactor,
  deleteOtherUnverified,
  type FactorRow,
  lockFactor,
} from './factors.queries.ts'
import { findPerson, type Person } from './person.ts'
import { unseal } from './sealed-box.ts'
import { lockSession, raiseSession, revokeUnraised, type SessionRow } from './sessions.queries.ts'
import { totpStep } from './totp.ts'
import { type WireError, wireError } from './wire-error.ts'
import { wireSession } from './wire-session.ts'

export type FactorAnswer = { factorId: string; challengeId: string; code: string }

const WRONG_TRIES_A_CHALLENGE = 5
const WRONG_TRIES_A_FACTOR = 10
const WRONG_TRIES_KEPT_MS = 15 * 60_000

/**
 * Confirms a session with the code of an authenticator app: aal1 becomes aal2, in the same session. A code counts once
 * (RFC 6238, 5.2); five wrong ones end the challenge, and a factor takes ten in a quarter of an hour. Whatever the
 * person has open at aal1 elsewhere ends, and so do this session's tokens of aal1. Turning the factor on by its first code
 * takes a session in which the mailbox was proved within five minutes (decision 0031).
 * @throws `reauthentication_needed`, `mfa_factor_not_found`, `mfa_challenge_expired`, `mfa_verification_failed`, `over_request_rate_limit`
 */
export async function verifyFactor(
  deps: AuthDeps,
  caller: BearerSession,
  answer: FactorAnswer,
  client: Client,
  now: Date,
): Promise<AuthSession> {
  // Refusals come back as values: what they counted must stay.
  const outcome = await withTransaction(deps.db, (tx) => judge(deps, tx, caller, answer, client, now))
  if ('refused' in outcome) throw outcome.refused
  return wireSession(deps, outcome, now)
}

type Outcome = { refused: WireError } | ({ session: SessionRow } & Person)

async function judge(
  deps: AuthDeps,
  tx: Queryable,
  caller: BearerSession,
  answer: FactorAnswer,
  client: Client,
  now: Date,
): Promise<Outcome> {
  const { userId, sessionId } = caller
  const factor = await lockFactor(tx, { id: answer.factorId, userId })
  if (!factor) return { refused: wireError('mfa_factor_not_found') }
  // Before the code is looked at, so that it can be given again.
  if (factor.status === 'unverified' && !caller.isFresh)
    return { refused: wireError('reauthentication_needed') }
  const asked = { id: answer.challengeId, factorId: factor.id, sessionId }
  const challenge = await findFactorChallenge(tx, asked)
  const closed = refusalBefore(factor, challenge, now)
  if (closed || !challenge) return { refused: closed ?? wireError('mfa_challenge_expired') }
  const step = stepOf(deps, factor, answer.code, now)
  if (step === null || !(await confirmFactor(tx, { id: factor.id, step }, now))) {
    await countWrongAnswer(tx, challenge.id)
    await addWrongTry(tx, { id: factor.id, since: new Date(now.getTime() - WRONG_TRIES_KEPT_MS) }, now)
    await audit(deps, tx, { action: 'factor_refused', userId, sessionId, detail: factor.id, client }, now)
    return { refused: wireError('mfa_verification_failed') }
  }
  await closeFactorChallenge(tx, challenge.id, now)
  await deleteOtherUnverified(tx, factor)
  const session = await raise(tx, { sessionId, factorId: factor.id, client }, now)
  if (!session) return { refused: wireError('session_not_found') }
  await revokeUnraised(tx, userId, now)
  if (factor.status === 'unverified') {
    await announceFactor(tx, { userId, factorId: factor.id, change: 'added', client }, now)
  }
  await audit(deps, tx, { action: 'factor_verified', userId, sessionId, detail: factor.id, client }, now)
  const person = await findPerson(tx, userId)
  return person ? { session, ...person } : { refused: wireError('session_not_found') }
}

/** What forbids to look at the code at all. */
function refusalBefore(
  factor: FactorRow,
  challenge: FactorChallengeRow | undefined,
  now: Date,
): WireError | null {
  if (!challenge)
    return wireError('mfa_factor_not_found', { status: 422, message: 'MFA challenge not found' })
  const isOver =
    challenge.verified_at || challenge.expires_at <= now || challenge.wrong_tries >= WRONG_TRIES_A_CHALLENGE
  if (isOver) return wireError('mfa_challenge_expired')
  const since = now.getTime() - WRONG_TRIES_KEPT_MS
  const wrong = factor.wrong_at.map((at) => new Date(at).getTime()).filter((at) => at > since)
  const oldest = wrong.at(-WRONG_TRIES_A_FACTOR)
  if (oldest === undefined) return null
  return wireError('over_request_rate_limit', { retryAfterSeconds: Math.ceil((oldest - since) / 1000) })
}

function stepOf(deps: AuthDeps, factor: FactorRow, code: string, now: Date): number | null {
  if (!factor.secret_sealed || !factor.secret_key_id) return null
  const box = { sealed: factor.secret_sealed, secretKeyId: factor.secret_key_id }
  const secret = unseal(deps.secret, { purpose: 'factor-secrets', id: factor.id }, box)
  if (secret === null) throw new Error('a second factor was sealed under a secret that is not in AUTH_SECRET')
  return totpStep(secret, code, now)
}

/** Confirms the session; its number leaps by two, so that the newest token of aal1 has no successor (decision G-41). */
async function raise(
  tx: Queryable,
  of: { sessionId: string; factorId: string; client: Client },
  now: Date,
): Promise<SessionRow | undefined> {
  const session = await lockSession(tx, of.sessionId)
  if (!session || session.revoked_at) return undefined
  const earlier = session.amr as AuthenticationMethod[]
  const amr: AuthenticationMethod[] = [
    { method: 'totp', timestamp: unixSeconds(now) },
    ...earlier.filter(({ method }) => method !== 'totp'),
  ]
  return raiseSession(
    tx,
    { id: session.id, factorId: of.factorId, amr: JSON.stringify(amr), client: of.client },
    now,
  )
}
