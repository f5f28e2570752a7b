import { withTransaction } from '../../platform/database/queryable.ts'
import type { Client } from '../../platform/http/client.ts'
import { sha256 } from '../../platform/ids.ts'
import { audit } from '../audit/audit.ts'
import type { AuthDeps } from '../keys/auth-deps.ts'
import { AuthFault, type AuthFaultCode } from '../keys/auth-fault.ts'
import type { SignedIn } from '../sessions/open-session.ts'
import { drawSession, liftProved } from '../sessions/open-session.ts'
import type { Asker } from '../users/addresses.queries.ts'
import {
  type NewSession,
  type StoredSession,
  signInByCode,
  signInByLink,
} from '../users/open-session.queries.ts'
import { personOf } from '../users/person.ts'
import { findLinkEmail, takeTry } from './challenges.queries.ts'
import { isCodeOf, type Purpose } from './one-time-code.ts'

/**
 * Signs in with the mailed code. Right or wrong, a try is counted before the code is compared; a right code works once,
 * whatever races (rule G-04).
 * @param given.email normalised
 * @throws `code_wrong` for every kind of failure, so that none can be distinguished from another; `account_suspended`
 */
export async function verifyCode(
  deps: AuthDeps,
  given: { email: string; asker: Asker; code: string; purpose: Purpose },
  client: Client,
  now: Date,
): Promise<SignedIn> {
  const challenge = await takeTry(deps.db, given, now)
  if (!challenge) throw new AuthFault('code_wrong')
  if (!isCodeOf(deps.secret, challenge, given.code)) {
    await audit(deps, deps.db, { action: 'code_refused', email: challenge.email, client }, now)
    throw new AuthFault('code_wrong')
  }
  const code = {
    email: given.email,
    challengeId: challenge.id,
    codeHmac: challenge.code_hmac as Buffer,
    isKnownDevice: given.asker === 'known device',
  }
  const signIn = (session: NewSession) => signInByCode(deps.db, code, session)
  return signInBy(deps, { signIn, failure: 'code_wrong' }, client, now)
}

/**
 * Signs in with the mailed link. Its 256 random bits need no count of tries, so it works when the code's are used up.
 * @throws `link_wrong`, `account_suspended`
 */
export async function verifyLink(
  deps: AuthDeps,
  given: { token: string; purpose: Purpose },
  client: Client,
  now: Date,
): Promise<SignedIn> {
  const link = { sha256: sha256(given.token), purpose: given.purpose }
  const signIn = (session: NewSession) => signInByLink(deps.db, link, session)
  return signInBy(deps, { signIn, failure: 'link_wrong' }, client, now)
}

/**
 * Looks up the address that a link was mailed to; uses nothing up (rule G-03).
 * @throws `link_wrong`
 */
export async function lookUpLink(deps: AuthDeps, token: string, now: Date): Promise<{ email: string }> {
  const email = await findLinkEmail(deps.db, sha256(token), now)
  if (email === null) throw new AuthFault('link_wrong')
  return { email }
}

/** @param proof.signIn uses the proof up and opens the session; undefined when another request was first, and then nothing is kept */
async function signInBy(
  deps: AuthDeps,
  proof: {
    signIn: (session: NewSession) => Promise<StoredSession | undefined>
    failure: AuthFaultCode
  },
  client: Client,
  now: Date,
): Promise<SignedIn> {
  const drawn = drawSession(deps, 'otp', client, now)
  const stored = await proof.signIn(drawn.row)
  if (!stored) throw new AuthFault(proof.failure)
  const { suppressed, ...account } = stored
  if (account.id === null) throw new AuthFault('account_suspended')
  if (suppressed) await withTransaction(deps.db, (tx) => liftProved(deps, tx, account.id, now))
  return { session: drawn.session, ...(await personOf(deps.db, account)) }
}
