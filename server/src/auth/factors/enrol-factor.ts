import { BRAND } from '@tradepost/contract/brand'
import { withTransaction } from '../../platform/database/queryable.ts'
import type { Client } from '../../platform/http/client.ts'
import { newId } from '../../platform/ids.ts'
import { audit } from '../audit/audit.ts'
import type { AuthDeps } from '../keys/auth-deps.ts'
import { AuthFault } from '../keys/auth-fault.ts'
import { seal } from '../keys/sealed-box.ts'
import type { BearerSession } from '../sessions/authenticate.ts'
import { deleteGivenUp, findFactors, insertFactor } from '../users/factors.queries.ts'
import { lockUser } from '../users/users.queries.ts'
import { drawTotpSecret, totpPicture, totpUri } from './totp.ts'

const FACTORS_MAX = 10
const GIVEN_UP_AFTER_MS = 300_000

/** @property qrCode a picture of `uri`, as SVG */
export type EnrolledFactor = { id: string; name: string; qrCode: string; secret: string; uri: string }

/**
 * Begins the enrolment of an authenticator app: draws its secret, returned here and never again. It counts for nothing
 * until its first code has been verified. Enrolments that nobody touched for five minutes are forgotten.
 * @param wanted.issuer the name that the app shows, or null for ours
 * @throws `second_factor_missing`, `too_many_factors`, `factor_name_taken`, `session_gone`
 */
export async function enrolTotp(
  deps: AuthDeps,
  caller: BearerSession,
  wanted: { friendlyName: string; issuer: string | null },
  client: Client,
  now: Date,
): Promise<EnrolledFactor> {
  if (caller.needsSecondFactor) throw new AuthFault('second_factor_missing')
  const { userId, sessionId } = caller
  const id = newId()
  const secret = drawTotpSecret()
  const box = seal(deps.secret, { purpose: 'factor-secrets', id }, secret)
  await withTransaction(deps.db, async (tx) => {
    // Enrolments of one person queue up, or the count would not hold.
    if (!(await lockUser(tx, userId))) throw new AuthFault('session_gone')
    await deleteGivenUp(tx, userId, new Date(now.getTime() - GIVEN_UP_AFTER_MS))
    if ((await findFactors(tx, userId)).length >= FACTORS_MAX) throw new AuthFault('too_many_factors')
    const inserted = await insertFactor(tx, {
      id,
      user_id: userId,
      factor_type: 'totp',
      status: 'unverified',
      friendly_name: wanted.friendlyName,
      secret_sealed: box.sealed,
      secret_key_id: box.secretKeyId,
      created_at: now,
      updated_at: now,
    })
    if (!inserted) throw new AuthFault('factor_name_taken')
    await audit(deps, tx, { action: 'factor_enrolled', userId, sessionId, detail: id, client }, now)
  })
  const uri = totpUri({ secret, issuer: wanted.issuer ?? BRAND, account: caller.email })
  return { id, name: wanted.friendlyName, qrCode: await totpPicture(uri), secret, uri }
}
