import { queueMail } from '../../mail/outbox/queue-mail.ts'
import type { Queryable } from '../../platform/database/queryable.ts'
import type { Client } from '../../platform/http/client.ts'
import { describePlace } from '../audit/describe-place.ts'
import { type SecretKey, secretKeyName } from '../keys/secret-key.ts'
import { consumeRecoveryCode, countRecoveryCodes } from './recovery-codes.queries.ts'
import { recoveryCodeHmac } from './recovery-codes.ts'

/**
 * Uses a recovery code up in the place of the authenticator's, and notifies the owner by mail. A wrong code, a used one and one of
 * somebody else cost the same statement.
 * @param given.code in the one spelling
 * @returns whether it was a code of theirs that had not been used
 */
export async function useRecoveryCode(
  tx: Queryable,
  secret: SecretKey,
  given: { userId: string; code: string; client: Client },
  now: Date,
): Promise<boolean> {
  const { userId, code, client } = given
  const hmacs = secret.all.map((key) => recoveryCodeHmac(key, userId, code))
  if (!(await consumeRecoveryCode(tx, { userId, hmacs }, now))) return false
  const left = await countUsableCodes(tx, secret, userId)
  const facts = { left, at: now.toISOString(), from: describePlace(client) }
  await queueMail(tx, { kind: 'recovery_code_used', userId, facts }, now)
  return true
}

/** How many recovery codes a person can still use. */
export function countUsableCodes(db: Queryable, secret: SecretKey, userId: string): Promise<number> {
  return countRecoveryCodes(db, userId, secret.all.map(secretKeyName))
}
