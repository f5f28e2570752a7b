import { withTransaction } from '../platform/database.ts'
import type { Client } from '../platform/http/client.ts'
import { audit } from './audit.ts'
import type { AuthDeps } from './auth-deps.ts'
import type { BearerSession } from './authenticate.ts'
import { checkAccountCode } from './check-account-code.ts'
import { requestAccountCode } from './request-account-code.ts'
import { markReauthenticated } from './sessions.queries.ts'
import { wireError } from './wire-error.ts'

/**
 * Mails a code by which the caller proves the mailbox again, before they change their second step (decision 0031).
 * @throws `insufficient_aal` for one who has a second factor and has not confirmed with it, `over_email_send_rate_limit`
 */
export async function askToReauthenticate(
  deps: AuthDeps,
  caller: BearerSession,
  client: Client,
  now: Date,
): Promise<void> {
  if (caller.needsSecondFactor) throw wireError('insufficient_aal')
  const { userId, sessionId } = caller
  await requestAccountCode(deps, { holder: holderOf(sessionId), userId, sessionId, client }, now)
}

/**
 * Takes that code: for five minutes the session is as one that has just been signed in to.
 * @throws `insufficient_aal` (401), `reauthentication_not_valid` for every kind of failure
 */
export async function reauthenticate(
  deps: AuthDeps,
  caller: BearerSession,
  nonce: string,
  client: Client,
  now: Date,
): Promise<void> {
  if (caller.needsSecondFactor) throw wireError('insufficient_aal', { status: 401 })
  const { userId, sessionId, email } = caller
  const holder = holderOf(sessionId)
  const consume = await checkAccountCode(deps, { holder, userId, email, code: nonce }, client, now)
  if (!consume) throw wireError('reauthentication_not_valid')
  await withTransaction(deps.db, async (tx) => {
    if (!(await consume(tx))) throw wireError('reauthentication_not_valid')
    await markReauthenticated(tx, sessionId, now)
    await audit(deps, tx, { action: 'reauthenticated', userId, sessionId, client }, now)
  })
}

function holderOf(sessionId: string) {
  return { purpose: 'reauthentication', id: sessionId } as const
}
