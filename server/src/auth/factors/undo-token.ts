import { makeLinkToken, readLinkToken } from '../keys/link-token.ts'
import type { SecretKey } from '../keys/secret-key.ts'

/** Where the link of a mail about a changed second factor leads. */
export const UNDO_PATH = '/mail/second-step/:token'
/** Where the link of a mail about a changed address leads. */
export const EMAIL_UNDO_PATH = '/mail/address/:token'

/** The change that a link undoes; a link of one kind is none of the other. */
type UndoKind = 'factor-undos' | 'email-undos'
const PATHS = { 'factor-undos': UNDO_PATH, 'email-undos': EMAIL_UNDO_PATH } as const satisfies Record<
  UndoKind,
  string
>

/** @returns the id of the change, or null when we did not make the token */
export function readUndoToken(secret: SecretKey, kind: UndoKind, token: string): string | null {
  return readLinkToken(secret, kind, token)
}

/** The link of the mail. */
export function undoUrl(deps: { origin: string; secret: SecretKey }, kind: UndoKind, undoId: string): string {
  return `${deps.origin}${PATHS[kind].replace(':token', makeLinkToken(deps.secret, kind, undoId))}`
}
