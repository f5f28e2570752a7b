import { sql } from 'kysely'
import type { Queryable } from '../../platform/database/queryable.ts'

type ReportCount = {
  kind: string
  about: string
  status: string | null
  domain: string | null
  mails: number
  latest: Date
}

/** Counts the reports of mails since an instant, by kind, cause and the domain of the reader; the latest first. */
export async function countReports(db: Queryable, since: Date): Promise<ReportCount[]> {
  const { rows } = await sql<ReportCount>`
    select report.kind, report.about, report.status, split_part(person.email, '@', 2) as domain,
      count(*)::int as mails, max(report.reported_at) as latest
    from mail_reports report left join users person on person.id = report.user_id
    where report.reported_at > ${since}
    group by 1, 2, 3, 4 order by latest desc, kind, domain limit 200`.execute(db)
  return rows
}

/** Counts the messages since an instant that were held against nobody, by day; the latest first. */
export async function countUnreadSince(
  db: Queryable,
  since: Date,
): Promise<{ day: string; source: string; reason: string; count: number }[]> {
  const { rows } = await sql<{ day: string; source: string; reason: string; count: number }>`
    select day::text as day, source, reason, count from unread_reports
    where day >= ${since}::date order by day desc, source, reason`.execute(db)
  return rows
}

/** When the mailbox was last read, and how many tries have failed since. */
export async function findMailboxState(db: Queryable): Promise<{ readAt: Date | null; failures: number }> {
  const row = await db
    .selectFrom('report_mailbox')
    .select(['read_at as readAt', 'failures'])
    .executeTakeFirst()
  return row ?? { readAt: null, failures: 0 }
}
