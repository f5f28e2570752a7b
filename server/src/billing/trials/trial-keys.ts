import { createHmac } from 'node:crypto'
import { makeSecretKey, type SecretKey, secretKeyName } from '../../auth/keys/secret-key.ts'
import type { Queryable } from '../../platform/database/queryable.ts'
import type { Settings } from '../../platform/settings.ts'
import { personalAddress } from './personal-address.ts'
import { findEmail, type PersonKeys } from './trials.queries.ts'

/**
 * The keys by which a person is known who has had a trial: the account, and hashes of address and card by every secret that counts, the
 * newest first (rules G-83 and G-123).
 * @param card the name that Stripe gives it; null where none is known
 */
export async function keysOfPerson(
  db: Queryable,
  { authSecret }: Pick<Settings, 'authSecret'>,
  person: { userId: string; card: string | null },
): Promise<PersonKeys> {
  const secret = makeSecretKey(authSecret)
  const email = await findEmail(db, person.userId)
  const { card, userId } = person
  return {
    userId,
    hashed: secret.all.map((key) => ({
      secretKeyId: secretKeyName(key),
      address: email === null ? null : hmac(key, `address:${personalAddress(email)}`),
      card: card === null ? null : hmac(key, `card:${card}`),
    })),
  }
}

function hmac(key: SecretKey, text: string): Buffer {
  return createHmac('sha256', key.derive('trials')).update(text).digest()
}
