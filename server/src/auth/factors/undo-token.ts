import { createHmac, timingSafeEqual } from 'node:crypto'
import { bytesOf } from '../../platform/ids.ts'
import type { SecretKey } from '../keys/secret-key.ts'

/** Where the link of a mail about a changed second factor leads. */
export const UNDO_PATH = '/mail/second-step/:token'

const ID_BYTES = 16
const TOKEN_BYTES = ID_BYTES + 32

/**
 * The secret of the link in a mail about a changed factor: the id of the change and its HMAC-SHA-256, base64url. Derived and not
 * drawn, so a mail that is sent twice brings one link; nothing of it is stored.
 */
function makeUndoToken(secret: SecretKey, undoId: string): string {
  return Buffer.concat([bytesOf(undoId), mac(secret, undoId)]).toString('base64url')
}

/** @returns the id of the change, or null when we did not make the token */
export function readUndoToken(secret: SecretKey, token: string): string | null {
  const bytes = Buffer.from(token, 'base64url')
  if (bytes.length !== TOKEN_BYTES) return null
  const id = bytes.toString('hex', 0, ID_BYTES).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  const given = bytes.subarray(ID_BYTES)
  return secret.all.some((key) => timingSafeEqual(given, mac(key, id))) ? id : null
}

/** The link of the mail. */
export function undoUrl(deps: { origin: string; secret: SecretKey }, undoId: string): string {
  return `${deps.origin}${UNDO_PATH.replace(':token', makeUndoToken(deps.secret, undoId))}`
}

function mac(secret: SecretKey, id: string): Buffer {
  return createHmac('sha256', secret.derive('factor-undos')).update(id).digest()
}
