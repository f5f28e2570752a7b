import type { Queryable } from '../../platform/database/queryable.ts'
import { findForeignBoxes, replaceBox } from './reseal-secrets.queries.ts'
import { seal, unseal } from './sealed-box.ts'
import { type SecretKey, secretKeyName } from './secret-key.ts'

/**
 * Seals under the newest AUTH_SECRET what earlier ones sealed: signing keys, keys for push services, the record's keys and second factors. After it, and once the
 * idle time of sessions has passed, an earlier secret may be taken out of the list.
 * @returns how many were sealed again, and how many no secret of ours opens
 */
export async function resealSecrets(
  db: Queryable,
  secret: SecretKey,
): Promise<{ resealed: number; unopened: number }> {
  let resealed = 0
  let unopened = 0
  for (const { purpose, id, sealed, secretKeyId } of await findForeignBoxes(db, secretKeyName(secret))) {
    const text = unseal(secret, { purpose, id }, { sealed, secretKeyId })
    if (text === null) unopened += 1
    else if (await replaceBox(db, { purpose, id, secretKeyId }, seal(secret, { purpose, id }, text)))
      resealed += 1
  }
  return { resealed, unopened }
}
