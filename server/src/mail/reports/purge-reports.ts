import type { Queryable } from '../../platform/database.ts'
import { deleteOldReports } from './reports.queries.ts'

const HOUR_MS = 3_600_000
/** Far longer than a bounce is under way, so that none counts twice. */
const REPORTS_MS = 90 * 24 * HOUR_MS
/** Longer than a signature is good for. */
const SIGNATURES_MS = HOUR_MS

/** Deletes reports of 90 days ago, and signatures of webhooks that nobody would take any more. */
export function purgeReports(db: Queryable, now: Date): Promise<void> {
  return deleteOldReports(db, {
    reports: new Date(now.getTime() - REPORTS_MS),
    signatures: new Date(now.getTime() - SIGNATURES_MS),
  })
}
