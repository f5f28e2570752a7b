import { normalizeEmail } from '@tradepost/contract/email-address'
import { type Queryable, withTransaction } from '../../platform/database/queryable.ts'
import { sha256 } from '../../platform/ids.ts'
import type { Log } from '../../platform/log.ts'
import type { Settings } from '../../platform/settings.ts'
import { returnPathsOf } from '../event-mails/return-paths-of.ts'
import { type MailgunWord, readMailgunEvent, verifyMailgun } from './mailgun-event.ts'
import { recordReport } from './record-report.ts'
import { countUnread, findUserByEmail, muteReader, takeSignature } from './reports.queries.ts'

export type MailgunDeps = { db: Queryable; log: Log; settings: Settings }

/**
 * Takes in Mailgun's report of a mail, judged as a report in the mailbox is (ADR 0066). Each signature counts once.
 * @returns false when it is not a report of Mailgun to us, or when its signature was taken before
 */
export function acceptMailgun(deps: MailgunDeps, body: unknown, now: Date): Promise<boolean> {
  const { db, settings } = deps
  const { mailgunKey } = settings.reports
  const signed = mailgunKey === null ? null : verifyMailgun(body, mailgunKey, now)
  if (!signed) return Promise.resolve(false)
  const word = readMailgunEvent(signed.event, returnPathsOf(settings))
  return withTransaction(db, async (tx) => {
    if (!(await takeSignature(tx, sha256(signed.token), now))) return false
    const reason = typeof word === 'string' ? word : await takeWord(tx, word, { ...deps, now })
    if (reason !== null) await countUnread(tx, { source: 'mailgun', reason }, now)
    return true
  })
}

/** @returns why it is held against nobody; null where it is recorded */
async function takeWord(
  tx: Queryable,
  { finding, mail, reader, traderId }: MailgunWord,
  { log, now }: { log: Log; now: Date },
): Promise<string | null> {
  const readerId = 'id' in reader ? reader.id : await findByAddress(tx, reader.address)
  if (readerId === null) return 'of no mail of ours'
  if (finding === 'unsubscribed') {
    await muteReader(tx, { userId: readerId, traderId }, now)
    return 'unsubscribed'
  }
  const report = { ...finding, topic: mail.topic, tag: mail.tag, readerId }
  await recordReport(tx, { report, source: 'mailgun' }, { log, now })
  return null
}

function findByAddress(tx: Queryable, address: string): Promise<string | null> {
  const email = normalizeEmail(address)
  return email === null ? Promise.resolve(null) : findUserByEmail(tx, email)
}
