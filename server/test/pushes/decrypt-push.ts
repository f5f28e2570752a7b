import { createDecipheriv, type ECDH, hkdfSync } from 'node:crypto'

const SALT_BYTES = 16
const RECORD_SIZE_BYTES = 4
const TAG_BYTES = 16
/** Ends the last record's text (RFC 8188 section 2); what follows is padding. */
const LAST_RECORD = 2

/**
 * Decrypts what a device gets (RFC 8291 over RFC 8188, one record), apart from the library that encrypts it.
 * @throws when it is not for these keys, was changed, or has another shape
 */
export function decryptPush(body: Buffer, keys: { ecdh: ECDH; auth: Buffer }): string {
  const salt = body.subarray(0, SALT_BYTES)
  const idAt = SALT_BYTES + RECORD_SIZE_BYTES + 1
  const senderKey = body.subarray(idAt, idAt + (body[idAt - 1] ?? 0))
  const record = body.subarray(idAt + senderKey.length)
  if (record.length > body.readUInt32BE(SALT_BYTES)) throw new Error('it has more than one record')
  const shared = keys.ecdh.computeSecret(senderKey)
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), keys.ecdh.getPublicKey(), senderKey])
  const material = Buffer.from(hkdfSync('sha256', shared, keys.auth, info, 32))
  const derive = (what: string, bytes: number) =>
    Buffer.from(hkdfSync('sha256', material, salt, `Content-Encoding: ${what}\0`, bytes))
  const decipher = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12))
  decipher.setAuthTag(record.subarray(-TAG_BYTES))
  const plain = Buffer.concat([decipher.update(record.subarray(0, -TAG_BYTES)), decipher.final()])
  const end = plain.lastIndexOf(LAST_RECORD)
  if (end < 0) throw new Error('its last record does not end')
  return plain.subarray(0, end).toString('utf8')
}
