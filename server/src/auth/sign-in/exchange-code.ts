import { createHash, timingSafeEqual } from 'node:crypto'
import { withTransaction } from '../../platform/database/queryable.ts'
import type { Client } from '../../platform/http/client.ts'
import { sha256 } from '../../platform/ids.ts'
import type { AuthenticationMethod } from '../keys/access-tokens.ts'
import type { AuthDeps } from '../keys/auth-deps.ts'
import { AuthFault } from '../keys/auth-fault.ts'
import type { SignedIn } from '../sessions/open-session.ts'
import { openSession } from '../sessions/open-session.ts'
import { type AuthCodeRow, consumeAuthCode, findAuthCode, insertAuthCode } from './auth-codes.queries.ts'

const AUTH_CODE_LIFE_MS = 5 * 60_000
/** How long after that a code is still reported as expired rather than unknown. */
const REPORTED_AS_EXPIRED_MS = 60 * 60_000

/**
 * Draws the code that a redirect carries. It is worth nothing without the verifier behind the challenge.
 * @returns the code; only its hash is stored
 */
export async function issueAuthCode(
  db: Parameters<typeof insertAuthCode>[0],
  proof: Pick<AuthCodeRow, 'email' | 'code_challenge' | 'method'>,
  now: Date,
): Promise<string> {
  const code = crypto.randomUUID()
  await insertAuthCode(db, {
    code_sha256: sha256(code),
    email: proof.email,
    code_challenge: proof.code_challenge,
    method: proof.method,
    expires_at: new Date(now.getTime() + AUTH_CODE_LIFE_MS),
    created_at: now,
  })
  return code
}

/**
 * Trades the code of a redirect for a session (RFC 7636, 4.6; S256 only). Once, within five minutes of its issue.
 * @throws `exchange_code_unknown`, `exchange_code_expired`, `verifier_wrong`, `account_suspended`
 */
export async function exchangeCode(
  deps: AuthDeps,
  given: { code: string; verifier: string },
  client: Client,
  now: Date,
): Promise<SignedIn> {
  const hash = sha256(given.code)
  const opened = await withTransaction(deps.db, async (tx) => {
    const found = await findAuthCode(tx, hash)
    if (!found) throw new AuthFault('exchange_code_unknown')
    if (found.expires_at <= now) throw new AuthFault('exchange_code_expired')
    if (!verifies(given.verifier, found.code_challenge)) throw new AuthFault('verifier_wrong')
    if (!(await consumeAuthCode(tx, hash, now))) throw new AuthFault('exchange_code_unknown')
    const method = found.method as AuthenticationMethod['method']
    return openSession(deps, tx, { ...found, method }, client, now)
  })
  if (!opened) throw new AuthFault('account_suspended')
  return opened
}

/** The instant before which a code has to have expired to be deleted. */
export function oldAuthCodes(now: Date): Date {
  return new Date(now.getTime() - REPORTED_AS_EXPIRED_MS)
}

function verifies(verifier: string, challenge: string): boolean {
  const made = Buffer.from(createHash('sha256').update(verifier).digest('base64url'))
  const stored = Buffer.from(challenge)
  return made.length === stored.length && timingSafeEqual(made, stored)
}
