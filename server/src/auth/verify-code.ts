import type { AuthSession } from '@tradepost/contract/auth'
import { withTransaction } from '../platform/database.ts'
import type { Client } from '../platform/http/client.ts'
import { sha256 } from '../platform/ids.ts'
import { audit } from './audit.ts'
import type { AuthDeps } from './auth-deps.ts'
import { findLinkEmail, takeTry } from './challenges.queries.ts'
import type { Asker } from './known-device.ts'
import { isCodeOf, type Purpose } from './one-time-code.ts'
import { type NewSession, type StoredSession, signInByCode, signInByLink } from './open-session.queries.ts'
import { drawSession, liftProved } from './open-session.ts'
import { personOf } from './person.ts'
import { type WireError, wireError } from './wire-error.ts'
import { wireSession } from './wire-session.ts'

/**
 * Signs in with the mailed code. Right or wrong, a try is counted before the code is compared; a right code works once,
 * whatever races (decision G-04).
 * @param given.email normalised
 * @throws `otp_expired` for every kind of failure, so that none can be told from another; `user_banned`
 */
export async function verifyCode(
  deps: AuthDeps,
  given: { email: string; asker: Asker; code: string; purpose: Purpose },
  client: Client,
  now: Date,
): Promise<AuthSession> {
  const challenge = await takeTry(deps.db, given, now)
  if (!challenge) throw codeExpired()
  if (!isCodeOf(deps.secret, challenge, given.code)) {
    await audit(deps, deps.db, { action: 'code_refused', email: challenge.email, client }, now)
    throw codeExpired()
  }
  const code = {
    email: given.email,
    challengeId: challenge.id,
    codeHmac: challenge.code_hmac as Buffer,
    isKnownDevice: given.asker === 'known device',
  }
  const signIn = (session: NewSession) => signInByCode(deps.db, code, session)
  return signInBy(deps, { signIn, failure: codeExpired }, client, now)
}

/**
 * Signs in with the mailed link. Its 256 random bits need no count of tries, so it works when the code's are used up.
 * @throws `otp_expired`, `user_banned`
 */
export async function verifyLink(
  deps: AuthDeps,
  given: { token: string; purpose: Purpose },
  client: Client,
  now: Date,
): Promise<AuthSession> {
  const link = { sha256: sha256(given.token), purpose: given.purpose }
  const signIn = (session: NewSession) => signInByLink(deps.db, link, session)
  return signInBy(deps, { signIn, failure: linkExpired }, client, now)
}

/**
 * Whose link this is; uses nothing up (decision G-03).
 * @throws `otp_expired`
 */
export async function lookUpLink(deps: AuthDeps, token: string, now: Date): Promise<{ email: string }> {
  const email = await findLinkEmail(deps.db, sha256(token), now)
  if (email === null) throw linkExpired()
  return { email }
}

/** @param proof.signIn uses the proof up and opens the session; undefined when another request was first, and then nothing is kept */
async function signInBy(
  deps: AuthDeps,
  proof: {
    signIn: (session: NewSession) => Promise<StoredSession | undefined>
    failure: () => WireError
  },
  client: Client,
  now: Date,
): Promise<AuthSession> {
  const drawn = drawSession(deps, 'otp', client, now)
  const stored = await proof.signIn(drawn.row)
  if (!stored) throw proof.failure()
  const { suppressed, ...account } = stored
  if (account.id === null) throw wireError('user_banned')
  if (suppressed) await withTransaction(deps.db, (tx) => liftProved(deps, tx, account.id, now))
  return wireSession(deps, { session: drawn.session, ...(await personOf(deps.db, account)) }, now)
}

function codeExpired(): WireError {
  return wireError('otp_expired')
}

function linkExpired(): WireError {
  return wireError('otp_expired', { message: 'Email link is invalid or has expired' })
}
