import { makeLinkToken, readLinkToken } from '../auth/keys/link-token.ts'
import type { SecretKey } from '../auth/keys/secret-key.ts'
import type { Prepare } from '../mail/outbox/prepare-mails.ts'

/** Where the link of the mail about a closed account leads. */
export const REOPEN_PATH = '/mail/reopen/:token'

/** @returns the id of the closing; null when we did not make the token */
export function readReopenToken(secret: SecretKey, token: string): string | null {
  return readLinkToken(secret, 'reopenings', token)
}

/** Makes the link by which a closed account is given back. */
export function prepareClosedMails(deps: { origin: string; secret: SecretKey }): Prepare<'account_closed'> {
  return async (mails) =>
    mails.map(({ facts: { closingId } }) => {
      const token = makeLinkToken(deps.secret, 'reopenings', closingId)
      return { drawn: { reopenUrl: `${deps.origin}${REOPEN_PATH.replace(':token', token)}` } }
    })
}
