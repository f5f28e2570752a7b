import pg from 'pg'
import { endWorker } from '../platform/workers.ts'
import { type DueRetry, findProgress } from './leases.queries.ts'
import {
  type Exception,
  type Progress,
  writeException,
  writeProgress,
  writeRetry,
} from './progress.queries.ts'

/** What became of a mail. */
export type Result =
  | { kind: 'sent'; progress: Progress }
  | { kind: 'exception'; progress: Progress; mailNo: number; exception: Exception }
  | { kind: 'retry'; retry: DueRetry; exception: Exception; at: Date }

/** What a worker that lost its session leaves to the next one of its process: results that may not be recorded. */
export type Remains = { number: number; results: Result[] }

/** Which range or retry a result is of. */
export function placeOf(result: Result): string {
  return result.kind === 'retry' ? retryPlace(result.retry) : rangePlace(result.progress.range)
}

export function rangePlace(range: Progress['range']): string {
  return `range ${range.traderId} ${range.eventNo} ${range.from}`
}

export function retryPlace(retry: Pick<DueRetry, 'traderId' | 'eventNo' | 'mailNo'>): string {
  return `retry ${retry.traderId} ${retry.eventNo} ${retry.mailNo}`
}

/** Records a result once, whether or not it was recorded before, while the lease is still that worker's. */
export async function recordResult(client: pg.Client, number: number, result: Result): Promise<void> {
  if (result.kind === 'retry') {
    await writeRetry(client, number, result.retry, result.exception, result.at)
    return
  }
  const { progress } = result
  const reached = await findProgress(client, number, progress.range)
  if (reached === null || (reached >= progress.reached && !progress.done)) return
  if (result.kind === 'sent') await writeProgress(client, number, [progress])
  else await writeException(client, number, progress, result.mailNo, result.exception)
}

/**
 * Makes an end of a worker whose session was lost: the server may know nothing of that yet. Once it is over, what the
 * worker sent is recorded under its number, and only then is what it had leased anybody's.
 */
export async function settleRemains(client: pg.Client, remains: Remains): Promise<void> {
  await endWorker(client, remains.number).catch((error: unknown) => {
    // Where the database does not allow it, its leases are free once they have grown old.
    if (!(error instanceof pg.DatabaseError)) throw error
  })
  for (const result of remains.results) await recordResult(client, remains.number, result)
}
