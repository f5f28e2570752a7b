import type { SecretKey } from '../../auth/keys/secret-key.ts'
import type { Prepare } from '../../mail/outbox/prepare-mails.ts'
import { exportPath } from './export-token.ts'

/** Makes the link of the mail about a file of one's data. The mail goes out when the link counts no more, too: it says that somebody asked. */
export function prepareExportMails(deps: { origin: string; secret: SecretKey }): Prepare<'export_ready'> {
  return async (mails) =>
    mails.map(({ facts: { exportId } }) => ({
      drawn: { url: deps.origin + exportPath(deps.secret, exportId) },
    }))
}
