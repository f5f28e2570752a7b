import type { Queryable } from '../../platform/database.ts'
import type { Log } from '../../platform/log.ts'
import { tellWhileItLasts } from '../outbox/operator-notices.ts'
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
/** As of refusals at RCPT (decisions 3.5, Delivery; decision 0089): so many mails, the first so long ago. */
const LASTING = {
  address: { mails: 2, spanMs: 24 * HOUR_MS },
  recipient: { mails: 3, spanMs: 72 * HOUR_MS },
}
/** A mailbox that was full a month ago says nothing of today's. */
const WITHIN_MS = 14 * 24 * HOUR_MS
/** As of refusals at RCPT: 20 people, and 20 of 50 mails, mean us. */
const PEOPLE = 20
const OF_MAILS = 50

/**
 * Records what was told of a mail after it had been taken, and judges it as a refusal at RCPT is judged (decisions 0023 and
 * 0066). A mail counts once, however often it is told of.
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
  if (!counts || userId === null) return
  if (report.kind === 'bounce' && (await meanUs(tx, now))) {
    await withdrawBounces(tx, new Date(now.getTime() - HOUR_MS))
    await tellWhileItLasts(tx, 'bounces-mean-us', NOTICE, now)
    log.warn('so many mails bounce that they are held against nobody')
    return
  }
  if (!(await isLasting(tx, report, userId, now))) return
  const { kind, smtpCode: replyCode, status } = report
  const cause = kind === 'complaint' ? 'complained' : 'bounced'
  await suppressAddress(tx, { userId, replyCode, status, cause }, now)
}

/** Mails about positions and money alone are withheld from anybody, and a refusal by policy is as much ours as theirs. */
function isJudged({ about, topic }: MailReport): boolean {
  return about !== 'policy' && (topic === 'positions' || topic === 'money')
}

async function isLasting(tx: Queryable, report: MailReport, userId: string, now: Date): Promise<boolean> {
  if (report.kind === 'complaint') return true
  const enough = LASTING[report.about === 'address' ? 'address' : 'recipient']
  const { first, mails } = await countBounces(tx, userId, new Date(now.getTime() - WITHIN_MS))
  return mails >= enough.mails && first !== null && now.getTime() - first.getTime() >= enough.spanMs
}

/** Whether so many bounce within an hour that the mail server must have gone wrong, whatever their codes say. */
async function meanUs(tx: Queryable, now: Date): Promise<boolean> {
  const since = new Date(now.getTime() - HOUR_MS)
  const people = await countBouncing(tx, since)
  return people >= PEOPLE && people * OF_MAILS >= PEOPLE * (await countTaken(tx, since))
}

const NOTICE = {
  subject: 'so many mails bounce that something of ours is wrong',
  text: [
    'Within an hour mails to 20 people or more have bounced, and to two of five or more of those who were mailed. That speaks of the',
    'mail server or of our name and not of them: nobody is suppressed for it, and what was held against people is taken back.',
    '',
    '`npm run operator -- reports` lists what is reported; the log of the mail server says why.',
  ].join('\n'),
}
