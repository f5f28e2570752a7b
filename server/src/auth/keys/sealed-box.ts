import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { type KeyPurpose, type SecretKey, secretKeyName, secretKeyNamed } from './secret-key.ts'

/** A secret as the database keeps it, and the name of the AUTH_SECRET that opens it. */
export type SealedBox = { sealed: Buffer; secretKeyId: string }

/** The purpose of a sealed box and the id of its row. Both are bound to the box, so sealed rows cannot be swapped. */
type Label = { purpose: KeyPurpose; id: string }

const IV_BYTES = 12
const TAG_BYTES = 16

/** AES-256-GCM under the newest AUTH_SECRET: iv | tag | ciphertext. */
export function seal(secret: SecretKey, label: Label, text: string): SealedBox {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', secret.derive(label.purpose), iv).setAAD(Buffer.from(label.id))
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return { sealed: Buffer.concat([iv, cipher.getAuthTag(), sealed]), secretKeyId: secretKeyName(secret) }
}

/** @returns null when it was sealed under a secret that is not ours @throws when it was tampered with */
export function unseal(secret: SecretKey, label: Label, box: SealedBox): string | null {
  const key = secretKeyNamed(secret, box.secretKeyId)
  if (!key) return null
  const iv = box.sealed.subarray(0, IV_BYTES)
  const decipher = createDecipheriv('aes-256-gcm', key.derive(label.purpose), iv)
    .setAAD(Buffer.from(label.id))
    .setAuthTag(box.sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
  const text = Buffer.concat([decipher.update(box.sealed.subarray(IV_BYTES + TAG_BYTES)), decipher.final()])
  return text.toString('utf8')
}
