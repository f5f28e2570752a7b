import { makeLinkToken, readLinkToken } from '../../auth/keys/link-token.ts'
import type { SecretKey } from '../../auth/keys/secret-key.ts'

/** Where a file of one's data is taken. */
export const EXPORT_PATH = '/mail/export/:token'

/** The path that gives a file; without the origin, so that a page of ours can post to it. */
export function exportPath(secret: SecretKey, exportId: string): string {
  return EXPORT_PATH.replace(':token', makeLinkToken(secret, 'exports', exportId))
}

/** @returns the id of the export, or null when we did not make the token */
export function readExportToken(secret: SecretKey, token: string): string | null {
  return readLinkToken(secret, 'exports', token)
}
