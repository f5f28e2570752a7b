import { createHmac } from 'node:crypto'
import { makeSecretKey, type SecretKey, secretKeyName } from '../../auth/keys/secret-key.ts'
import type { Queryable } from '../../platform/database/queryable.ts'
import type { Settings } from '../../platform/settings.ts'
import { findEmail, type PersonKeys } from './trials.queries.ts'

/** Domains of one mail provider: the same mailbox under each. */
const SAME_DOMAIN: Readonly<Record<string, string>> = { 'googlemail.com': 'gmail.com' }

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

/**
 * The address of a person without what one mailbox can be written with in many ways: dots, a tag behind `+`, case (rule G-123). It is no
 * address to mail to.
 * @param email normalised
 */
export function personalAddress(email: string): string {
  const at = email.lastIndexOf('@')
  const local = email.slice(0, at).toLowerCase()
  const domain = email.slice(at + 1).toLowerCase()
  const [untagged = ''] = local.split('+', 1)
  const bare = untagged.replaceAll('.', '')
  // Nothing but a tag: the whole of it is the mailbox.
  return `${bare === '' ? local : bare}@${SAME_DOMAIN[domain] ?? domain}`
}
