import type pg from 'pg'
import { endWorkerIfAllowed } from '../../platform/database/living-workers.ts'
import { findProgress } from './leases.queries.ts'
import {
  type Exception,
  type Progress,
  writeException,
  writeProgress,
  writeRetry,
} from './progress.queries.ts'
import { type DueRetry, rangePlace, retryPlace } from './range.ts'

/**
 * The result of one mail. `sent`: the mail server took it. `exception`: it did not take the mail of a range, which is written
 * down for this recipient. `retry`: a mail that had been an exception was tried again.
 */
export type Result =
  | { kind: 'sent'; progress: Progress }
  | { kind: 'exception'; progress: Progress; mailNo: number; exception: Exception }
  | { kind: 'retry'; retry: DueRetry; exception: Exception; at: Date }

/**
 * The state that a worker that lost its database session hands to its successor in the same process: the number of the lost session,
 * and the results that may or may not have been recorded (ADR 0022).
 */
export type Remains = { number: number; results: Result[] }

/** A key of the range or retry that a result belongs to, unique among all ranges and retries. */
export function placeOf(result: Result): string {
  return result.kind === 'retry' ? retryPlace(result.retry) : rangePlace(result.progress.range)
}

/**
 * Records a result. Does nothing when it is recorded already, or when another worker has the lease by now.
 * @param number of the worker's session under which the range or retry was leased
 */
export async function recordResult(client: pg.Client, number: number, result: Result): Promise<void> {
  if (result.kind === 'retry') {
    await writeRetry(client, number, result.retry, result.exception, result.at)
    return
  }
  const { progress } = result
  if (result.kind === 'sent') {
    await writeProgress(client, number, [progress])
    return
  }
  const reached = await findProgress(client, number, progress.range)
  if (reached === null || (reached >= progress.reached && !progress.done)) return
  await writeException(client, number, progress, result.mailNo, result.exception)
}

/**
 * Ends a lost session at the database, which may still believe in it, and then records the mails that its worker had sent, under the
 * session's number. Only after that may other workers lease its ranges (ADR 0022).
 */
export async function settleRemains(client: pg.Client, remains: Remains): Promise<void> {
  await endWorkerIfAllowed(client, remains.number)
  for (const result of remains.results) await recordResult(client, remains.number, result)
}
