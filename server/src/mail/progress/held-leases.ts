import type { WorkerSession } from '../../work/worker-session.ts'
import { releaseRange, releaseRetries, renewLeases } from './leases.queries.ts'
import type { ProgressWriter } from './progress-writer.ts'
import { type DueRetry, type LeasedRange, type RangeKey, rangePlace, retryPlace } from './range.ts'
import { placeOf, type Result, recordResult } from './results.ts'

/** The leases that one worker holds by its own record, and the results that it could not record. */
export class HeldLeases {
  readonly retries = new Map<string, DueRetry>()
  /** Exceptions whose statement failed: done or not, nobody knows. A range or retry has one at most: nothing goes on. */
  readonly unrecorded = new Map<string, Result>()
  readonly progress: ProgressWriter
  /** Retries whose release was refused. */
  private owed: DueRetry[] = []
  private readonly session: WorkerSession

  private readonly onFirst: () => void

  /** @param onFirst called when something is held and nothing was before */
  constructor(session: WorkerSession, progress: ProgressWriter, onFirst: () => void) {
    this.session = session
    this.progress = progress
    this.onFirst = onFirst
  }

  isEmpty(): boolean {
    return this.progress.isEmpty() && this.retries.size === 0
  }

  begin(range: LeasedRange, leasedAt: Date): void {
    const isFirst = this.isEmpty()
    this.progress.begin(range, leasedAt)
    if (isFirst) this.onFirst()
  }

  beginRetries(retries: DueRetry[]): void {
    const isFirst = this.isEmpty()
    for (const retry of retries) this.retries.set(retryPlace(retry), retry)
    if (isFirst && retries.length > 0) this.onFirst()
  }

  /** Writes an exception of a range, behind the progress before it. @returns false when the lease has another owner by now */
  async except(
    result: Extract<Result, { kind: 'exception' }>,
    write: () => Promise<boolean>,
  ): Promise<boolean> {
    const place = placeOf(result)
    if (!(await this.progress.settle(place))) return false
    const written = await this.attempt(result, write)
    if (written) this.progress.moved(result.progress)
    if (!written || result.progress.done) this.progress.forget(place)
    return written
  }

  /** Writes the result of a retry. @returns false when the lease has another owner by now */
  async settleRetry(
    result: Extract<Result, { kind: 'retry' }>,
    write: () => Promise<boolean>,
  ): Promise<boolean> {
    const written = await this.attempt(result, write)
    this.retries.delete(placeOf(result))
    return written
  }

  private async attempt(result: Result, write: () => Promise<boolean>): Promise<boolean> {
    try {
      return await write()
    } catch (error) {
      this.unrecorded.set(placeOf(result), result)
      throw error
    }
  }

  /** Releases a range that waits because the server refuses us. */
  async hold(range: RangeKey, write: () => Promise<void>): Promise<void> {
    await this.progress.settle(rangePlace(range))
    await write()
    this.progress.forget(rangePlace(range))
  }

  /** Gives a range back; its unrecorded results are recorded first, or it would be mailed again. */
  async releaseRange(range: RangeKey): Promise<void> {
    const { number } = this.session
    const place = rangePlace(range)
    await this.progress.settle(place)
    await this.recordNow(place)
    await this.session.run((client) => releaseRange(client, number, range))
    this.progress.forget(place)
  }

  /** Gives retries back, as `releaseRange`; a release that was refused is repeated when leases are renewed. */
  async releaseRetries(retries: DueRetry[]): Promise<void> {
    try {
      for (const retry of retries) await this.recordNow(retryPlace(retry))
      await this.session.run((client) => releaseRetries(client, this.session.number, retries))
    } catch (error) {
      this.owed.push(...retries)
      throw error
    }
    for (const retry of retries) this.retries.delete(retryPlace(retry))
  }

  private async recordNow(place: string): Promise<void> {
    const result = this.unrecorded.get(place)
    if (result) await this.session.run((client) => recordResult(client, this.session.number, result))
    this.unrecorded.delete(place)
  }

  async renew(now: Date): Promise<void> {
    const held = { ranges: this.progress.ranges(), retries: [...this.retries.values()] }
    if (this.isEmpty()) return
    await this.session.run((client) => renewLeases(client, this.session.number, held, now))
    if (this.owed.length > 0) await this.releaseRetries(this.owed.splice(0))
  }
}
