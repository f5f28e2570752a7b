import type { Queryable } from '../platform/database.ts'
import { adoptQueuedJobs, findEarlierJobs } from './adopt-jobs.queries.ts'
import { adoptJobsOf, type DueTable } from './due-rows.queries.ts'

/**
 * Takes over what the version before has queued. While that version is rolled out of use its processes go on adding some.
 * @param tables whose work it had jobs for
 */
export async function adoptEarlierJobs(db: Queryable, tables: readonly DueTable[], now: Date): Promise<void> {
  const left = await findEarlierJobs(
    db,
    tables.map(({ earlierJob }) => earlierJob),
  )
  if (left.hasQueue) await adoptQueuedJobs(db)
  for (const table of tables) if (left.names.includes(table.earlierJob)) await adoptJobsOf(db, table, now)
}
