import { normalizeEmail } from '../../auth/email-address.ts'
import { returnPathsOf } from '../../auth/return-paths-of.ts'
import { type Queryable, withTransaction } from '../../platform/database.ts'
import { sha256 } from '../../platform/ids.ts'
import type { Log } from '../../platform/log.ts'
import type { Settings } from '../../platform/settings.ts'
import { readMailgunEvent, verifyMailgun } from './mailgun-event.ts'
import type { MailReport } from './read-report.ts'
import { recordReport } from './record-report.ts'
import { countUnread, findUserByEmail, takeSignature } from './reports.queries.ts'

export type MailgunDeps = { db: Queryable; log: Log; settings: Settings }

/**
 * Takes in what Mailgun tells of a mail, judged as what comes to the mailbox (decision 0066). Each signature counts once.
 * @returns false when it is not Mailgun's word to us, or when its signature was taken before
 */
export function acceptMailgun(deps: MailgunDeps, body: unknown, now: Date): Promise<boolean> {
  const { db, log, settings } = deps
  const { mailgunKey } = settings.reports
  const signed = mailgunKey === null ? null : verifyMailgun(body, mailgunKey, now)
  if (!signed) return Promise.resolve(false)
  const read = readMailgunEvent(signed.event, returnPathsOf(settings))
  return withTransaction(db, async (tx) => {
    if (!(await takeSignature(tx, sha256(signed.token), now))) return false
    const report = typeof read === 'string' ? read : await withReader(tx, read)
    if (typeof report === 'string') await countUnread(tx, { source: 'mailgun', reason: report }, now)
    else await recordReport(tx, { report, source: 'mailgun' }, { log, now })
    return true
  })
}

async function withReader(
  tx: Queryable,
  read: Exclude<ReturnType<typeof readMailgunEvent>, string>,
): Promise<MailReport | 'of no mail of ours'> {
  if ('readerId' in read) return read
  const email = normalizeEmail(read.address)
  const readerId = email === null ? null : await findUserByEmail(tx, email)
  return readerId === null ? 'of no mail of ours' : { ...read, readerId }
}
