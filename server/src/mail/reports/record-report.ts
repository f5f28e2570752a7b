import type { Queryable } from '../../platform/database/queryable.ts'
import type { Log } from '../../platform/log.ts'
import { notifyWhileItLasts } from '../outbox/operator-notices.ts'
import { isBelieved } from '../suppressions/lasting.ts'
import { noteSignInMails } from '../suppressions/returned-mails.queries.ts'
import { suppressAddress } from '../suppressions/suppressions.queries.ts'
import type { MailReport } from './read-report.ts'
import {
  countBounces,
  countBouncing,
  countTaken,
  insertReport,
  lockReports,
  type Source,
  withdrawBounces,
} from './reports.queries.ts'

const HOUR_MS = 3_600_000
/** A mailbox that was full a month ago may have room today. */
const WITHIN_MS = 14 * 24 * HOUR_MS
/** When two of five people who were mailed bounce, the fault is ours: from three people on where mails went out in that hour, else from twenty on. */
const OF_MAILED = 2 / 5
const PEOPLE = 3
const PEOPLE_LATER = 20
/** How long one bounce of an address that does not exist withholds mails about positions from it; the next one is tried. */
const REST_MS = 24 * HOUR_MS

/**
 * Records a report of a mail that had been taken, and judges it as a refusal at RCPT is judged (ADR 0023 and
 * 0066). A mail counts once, however often it is reported.
 * @param tx a transaction
 */
export async function recordReport(
  tx: Queryable,
  { report, source }: { report: MailReport; source: Source },
  { log, now }: { log: Log; now: Date },
): Promise<void> {
  await lockReports(tx)
  const counts = isJudged(report)
  const userId = await insertReport(tx, { report, source, counts }, now)
  if (isOfSignIn(report)) await noteSignInMails(tx, [{ mailId: report.readerId, came: 'back' }], now)
  if (userId === null) return
  if (report.kind === 'bounce' && (await meanUs(tx, now))) {
    await withdrawBounces(tx, new Date(now.getTime() - HOUR_MS))
    await notifyWhileItLasts(tx, 'bounces-mean-us', NOTICE, now)
    log.warn('so many mails bounce that they are held against nobody')
    return
  }
  const { about, kind, smtpCode: replyCode, status } = report
  const lasting = await isLasting(tx, report, userId, now)
  if (!lasting && about !== 'address') return
  const cause = kind === 'complaint' ? 'complained' : 'bounced'
  const rests = lasting ? null : { endsAt: new Date(now.getTime() + REST_MS) }
  await suppressAddress(tx, { userId, replyCode, status, cause, ...rests }, now)
}

/** People who wait for their first code have no account yet: the bounce is shown where they ask for it (ADR 0091). */
function isOfSignIn({ about, kind, topic }: MailReport): boolean {
  return topic === 'sign-in' && kind === 'bounce' && about !== 'policy'
}

/** Mails about positions and money alone are withheld from anybody, and a refusal by policy is as much ours as theirs. */
function isJudged({ about, topic }: MailReport): boolean {
  return about !== 'policy' && (topic === 'positions' || topic === 'money')
}

async function isLasting(tx: Queryable, report: MailReport, userId: string, now: Date): Promise<boolean> {
  if (report.kind === 'complaint') return true
  const bounced = await countBounces(tx, userId, new Date(now.getTime() - WITHIN_MS))
  return isBelieved(report.about === 'address' ? 'address' : 'recipient', bounced, now)
}

/** Whether so many bounce within an hour that the fault must be the mail server's, whatever their codes are. */
async function meanUs(tx: Queryable, now: Date): Promise<boolean> {
  const since = new Date(now.getTime() - HOUR_MS)
  const people = await countBouncing(tx, since)
  if (people < PEOPLE) return false
  const taken = await countTaken(tx, since)
  return people >= OF_MAILED * taken && (taken > 0 || people >= PEOPLE_LATER)
}

const NOTICE = {
  subject: 'so many mails bounce that something of ours is wrong',
  text: [
    'Within an hour mails to three people or more have bounced, and to two of five or more of those who were mailed. That speaks of the',
    'mail server or of our name and not of them: nobody is suppressed for it, and what was held against people is taken back.',
    '',
    '`npm run operator -- reports` lists what is reported; the log of the mail server says why.',
  ].join('\n'),
}
