import { withTransaction } from '../../platform/database/queryable.ts'
import type { Client } from '../../platform/http/client.ts'
import { audit } from '../audit/audit.ts'
import type { AuthDeps } from '../keys/auth-deps.ts'
import { AuthFault } from '../keys/auth-fault.ts'
import type { BearerSession } from '../sessions/authenticate.ts'
import { markReauthenticated } from '../sessions/sessions.queries.ts'
import { checkAccountCode } from './check-account-code.ts'
import { requestAccountCode } from './request-account-code.ts'

/**
 * Mails a code by which the caller proves the mailbox again, before they change their second step (ADR 0031).
 * @throws `second_factor_missing` for one who has a second factor and has not confirmed with it, `too_many_mails`
 */
export async function askToReauthenticate(
  deps: AuthDeps,
  caller: BearerSession,
  client: Client,
  now: Date,
): Promise<void> {
  if (caller.needsSecondFactor) throw new AuthFault('second_factor_missing')
  const { userId, sessionId } = caller
  await requestAccountCode(deps, { holder: holderOf(sessionId), userId, sessionId, client }, now)
}

/**
 * Takes that code: for five minutes the session is as one that has just been signed in to.
 * @throws `second_factor_missing_for_user`, `reauthentication_code_wrong` for every kind of failure
 */
export async function reauthenticate(
  deps: AuthDeps,
  caller: BearerSession,
  nonce: string,
  client: Client,
  now: Date,
): Promise<void> {
  if (caller.needsSecondFactor) throw new AuthFault('second_factor_missing_for_user')
  const { userId, sessionId, email } = caller
  const holder = holderOf(sessionId)
  const consume = await checkAccountCode(deps, { holder, userId, email, code: nonce }, client, now)
  if (!consume) throw new AuthFault('reauthentication_code_wrong')
  await withTransaction(deps.db, async (tx) => {
    if (!(await consume(tx))) throw new AuthFault('reauthentication_code_wrong')
    await markReauthenticated(tx, sessionId, now)
    await audit(deps, tx, { action: 'reauthenticated', userId, sessionId, client }, now)
  })
}

function holderOf(sessionId: string) {
  return { purpose: 'reauthentication', id: sessionId } as const
}
