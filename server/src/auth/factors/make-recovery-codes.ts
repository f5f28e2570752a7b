import { readRecoveryCode } from '@tradepost/contract/typed-code'
import { withTransaction } from '../../platform/database/queryable.ts'
import type { Client } from '../../platform/http/client.ts'
import { refusal } from '../../platform/http/refusal.ts'
import type { Caller } from '../../platform/http/register-endpoints.ts'
import { audit } from '../audit/audit.ts'
import type { AuthDeps } from '../keys/auth-deps.ts'
import { secretKeyName } from '../keys/secret-key.ts'
import { isFresh } from '../sessions/session-life.ts'
import { findSession } from '../sessions/sessions.queries.ts'
import { findFactors } from '../users/factors.queries.ts'
import { lockUser } from '../users/users.queries.ts'
import { replaceRecoveryCodes } from './recovery-codes.queries.ts'
import { drawRecoveryCodes, recoveryCodeHmac } from './recovery-codes.ts'

/**
 * Makes ten recovery codes, returned here and never again; earlier ones of the person are worth nothing from then on. It requires
 * the same as turning the second factor off (ADR 0031), since a code is as good as the authenticator.
 * @returns them as they are shown
 * @throws `second_factor_off`, `reauthentication_needed`, `unauthorized`
 */
export async function makeRecoveryCodes(
  deps: Pick<AuthDeps, 'db' | 'secret'>,
  caller: Caller,
  client: Client,
  now: Date,
): Promise<{ codes: string[] }> {
  const { userId, sessionId } = caller
  const codes = drawRecoveryCodes()
  await withTransaction(deps.db, async (tx) => {
    // Concurrent requests queue up; else both would return codes, of which one set does not count.
    const user = await lockUser(tx, userId)
    const session = await findSession(tx, sessionId)
    if (!user || !session || session.revoked_at) throw refusal('unauthorized')
    if (!(await findFactors(tx, userId)).some(({ status }) => status === 'verified')) {
      throw refusal('second_factor_off')
    }
    if (!isFresh(session, now)) throw refusal('reauthentication_needed')
    const rows = codes.map((code) => ({
      user_id: userId,
      code_hmac: recoveryCodeHmac(deps.secret, userId, readRecoveryCode(code) ?? ''),
      secret_key_id: secretKeyName(deps.secret),
      created_at: now,
    }))
    await replaceRecoveryCodes(tx, userId, rows)
    await audit(deps, tx, { action: 'recovery_codes_made', userId, sessionId, client }, now)
  })
  return { codes }
}
