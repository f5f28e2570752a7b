import { readCode, readRecoveryCode } from '@tradepost/contract/typed-code'
import { type Queryable, withTransaction } from '../../platform/database/queryable.ts'
import type { Client } from '../../platform/http/client.ts'
import { audit } from '../audit/audit.ts'
import { type AuthenticationMethod, unixSeconds } from '../keys/access-tokens.ts'
import type { AuthDeps } from '../keys/auth-deps.ts'
import { AuthFault } from '../keys/auth-fault.ts'
import { unseal } from '../keys/sealed-box.ts'
import type { BearerSession } from '../sessions/authenticate.ts'
import type { SignedIn } from '../sessions/open-session.ts'
import { lockSession, raiseSession, revokeUnraised, type SessionRow } from '../sessions/sessions.queries.ts'
import type { Asker } from '../users/addresses.queries.ts'
import {
  confirmFactor,
  deleteOtherUnverified,
  type FactorRow,
  type FactorTry,
  lockFactor,
} from '../users/factors.queries.ts'
import { findPerson } from '../users/person.ts'
import { announceUndoable } from './announce-factor.ts'
import {
  closeFactorChallenge,
  countWrongAnswer,
  type FactorChallengeRow,
  findFactorChallenge,
} from './factor-challenges.queries.ts'
import { countWrongTry, secondsUntilTry } from './factor-tries.ts'
import { totpStep } from './totp.ts'
import { useRecoveryCode } from './use-recovery-code.ts'

/** @property code as typed @property asker whether the device has passed this factor before */
export type FactorAnswer = { factorId: string; challengeId: string; code: string; asker: Asker }

const WRONG_TRIES_A_CHALLENGE = 5

/**
 * Confirms a session with the code of an authenticator app, or with a recovery code in its place: aal1 becomes aal2, in the
 * same session. A code counts once (RFC 6238, 5.2); five wrong ones end the challenge, and a factor takes ten in a quarter of an
 * hour, counted apart for devices that have passed it and for recovery codes (ADR 0083). The person's other sessions at aal1
 * end, and so do this session's tokens of aal1. Turning the factor on by its first code takes a session in which the
 * mailbox was proved within five minutes (ADR 0031).
 * @throws `reauthentication_needed`, `second_factor_missing`, `factor_unknown`, `challenge_unknown`, `challenge_over`, `factor_code_wrong`, `too_many_tries`
 */
export async function verifyFactor(
  deps: AuthDeps,
  caller: BearerSession,
  answer: FactorAnswer,
  client: Client,
  now: Date,
): Promise<SignedIn> {
  // Refusals come back as values: what they counted must stay.
  const outcome = await withTransaction(deps.db, (tx) => checkAnswer(deps, tx, caller, answer, client, now))
  if ('refused' in outcome) throw outcome.refused
  return outcome
}

const SECOND_METHODS = ['totp', 'mfa/recovery_code'] as const
type SecondMethod = (typeof SECOND_METHODS)[number]

type Verified = { refused: AuthFault } | SignedIn

async function checkAnswer(
  deps: AuthDeps,
  tx: Queryable,
  caller: BearerSession,
  answer: FactorAnswer,
  client: Client,
  now: Date,
): Promise<Verified> {
  const { userId, sessionId } = caller
  const factor = await lockFactor(tx, { id: answer.factorId, userId })
  if (!factor) return { refused: new AuthFault('factor_unknown') }
  // Before the code is looked at, so that it can be given again.
  if (factor.status === 'unverified' && !caller.isFresh)
    return { refused: new AuthFault('reauthentication_needed') }
  // Beside one that counts, another takes that one first, as its set-up does.
  if (factor.status === 'unverified' && caller.needsSecondFactor)
    return { refused: new AuthFault('second_factor_missing') }
  const asked = { id: answer.challengeId, factorId: factor.id, sessionId }
  const challenge = await findFactorChallenge(tx, asked)
  const code = readCode(answer.code)
  const recoveryCode = factor.status === 'verified' ? readRecoveryCode(answer.code) : null
  const tried = { asker: answer.asker, way: recoveryCode === null ? 'app' : 'recovery' } as const
  const closed = refusalBefore(factor, challenge, tried, now)
  if (closed || !challenge) return { refused: closed ?? new AuthFault('challenge_over') }
  // It could not have been right, so it is no try.
  if (code === null && recoveryCode === null) return { refused: new AuthFault('factor_code_wrong') }
  const method = await useCode(deps, tx, { factor, code, recoveryCode, client }, now)
  if (method === null) {
    await countWrongAnswer(tx, challenge.id)
    await countWrongTry(tx, factor, { ...tried, client }, now)
    await audit(deps, tx, { action: 'factor_refused', userId, sessionId, detail: factor.id, client }, now)
    return { refused: new AuthFault('factor_code_wrong') }
  }
  await closeFactorChallenge(tx, challenge.id, now)
  await deleteOtherUnverified(tx, factor)
  const session = await raise(tx, { sessionId, factorId: factor.id, method, client }, now)
  if (!session) return { refused: new AuthFault('session_gone') }
  await revokeUnraised(tx, userId, now)
  if (factor.status === 'unverified') {
    await announceUndoable(tx, factor, { change: 'added', client }, now)
  }
  const action = method === 'totp' ? 'factor_verified' : 'recovery_code_used'
  await audit(deps, tx, { action, userId, sessionId, detail: factor.id, client }, now)
  const person = await findPerson(tx, userId)
  return person ? { session, ...person } : { refused: new AuthFault('session_gone') }
}

/** The refusal that comes before the code is compared, or null. */
function refusalBefore(
  factor: FactorRow,
  challenge: FactorChallengeRow | undefined,
  tried: FactorTry,
  now: Date,
): AuthFault | null {
  if (!challenge) return new AuthFault('challenge_unknown')
  const isOver =
    challenge.verified_at || challenge.expires_at <= now || challenge.wrong_tries >= WRONG_TRIES_A_CHALLENGE
  if (isOver) return new AuthFault('challenge_over')
  const waitSeconds = secondsUntilTry(factor, tried, now)
  return waitSeconds === null ? null : new AuthFault('too_many_tries', waitSeconds)
}

/** Uses a code up: the app's, or a recovery code when it can be one. @returns how it confirms; null when it does not */
async function useCode(
  deps: AuthDeps,
  tx: Queryable,
  given: { factor: FactorRow; code: string | null; recoveryCode: string | null; client: Client },
  now: Date,
): Promise<SecondMethod | null> {
  const { factor, code, recoveryCode, client } = given
  if (recoveryCode !== null) {
    const own = { userId: factor.user_id, code: recoveryCode, client }
    return (await useRecoveryCode(tx, deps.secret, own, now)) ? 'mfa/recovery_code' : null
  }
  const step = code === null ? null : stepOf(deps, factor, code, now)
  if (step === null) return null
  return (await confirmFactor(tx, { id: factor.id, step }, now)) ? 'totp' : null
}

function stepOf(deps: AuthDeps, factor: FactorRow, code: string, now: Date): number | null {
  if (!factor.secret_sealed || !factor.secret_key_id) return null
  const box = { sealed: factor.secret_sealed, secretKeyId: factor.secret_key_id }
  const secret = unseal(deps.secret, { purpose: 'factor-secrets', id: factor.id }, box)
  if (secret === null) throw new Error('a second factor was sealed under a secret that is not in AUTH_SECRET')
  return totpStep(secret, code, now)
}

/** Confirms the session; its number leaps by two, so that the newest token of aal1 has no successor (rule G-41). */
async function raise(
  tx: Queryable,
  of: { sessionId: string; factorId: string; method: SecondMethod; client: Client },
  now: Date,
): Promise<SessionRow | undefined> {
  const session = await lockSession(tx, of.sessionId)
  if (!session || session.revoked_at) return undefined
  const earlier = session.amr as AuthenticationMethod[]
  const amr: AuthenticationMethod[] = [
    { method: of.method, timestamp: unixSeconds(now) },
    ...earlier.filter(({ method }) => !SECOND_METHODS.some((second) => second === method)),
  ]
  return raiseSession(
    tx,
    { id: session.id, factorId: of.factorId, amr: JSON.stringify(amr), client: of.client },
    now,
  )
}
