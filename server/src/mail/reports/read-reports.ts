import type { Queryable } from '../../platform/database/queryable.ts'
import { countReports, countUnreadSince, findMailboxState } from './summary.queries.ts'

const DAYS = 7
const DAY_MS = 86_400_000

/**
 * For an operator: the reports of mails within seven days, how often and of which domains, without anybody's address, and whether
 * the mailbox of reports is read.
 */
export async function readReports(db: Queryable, now: Date): Promise<string> {
  const since = new Date(now.getTime() - DAYS * DAY_MS)
  const [reports, unread, mailbox] = await Promise.all([
    countReports(db, since),
    countUnreadSince(db, since),
    findMailboxState(db),
  ])
  const lines = [
    ...reports.map(({ about, domain, kind, latest, mails, status }) =>
      [latest.toISOString(), kind, about, status ?? '-', domain ?? '-', mails].join('  '),
    ),
    ...unread.map(({ count, day, reason, source }) =>
      [day, `held against nobody (${reason}, ${source})`, count].join('  '),
    ),
  ]
  const { failures, readAt } = mailbox
  const read = readAt ? `last read at ${readAt.toISOString()}` : 'not read yet'
  return [
    ...(lines.length > 0 ? lines : [`Nothing was reported within ${DAYS} days.`]),
    `The mailbox of reports: ${read}${failures > 0 ? `; ${failures} tries have failed since` : ''}.`,
  ].join('\n')
}
