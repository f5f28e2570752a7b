import type { WorkerSession } from '../../platform/worker-session.ts'
import { type DueRetry, type RangeKey, releaseRange, releaseRetries, renewLeases } from './leases.queries.ts'
import { placeOf, type Result, rangePlace, recordResult, retryPlace } from './results.ts'

/** What one worker holds, as it knows itself, and what it could not record of it. */
export class HeldLeases {
  readonly ranges = new Map<string, RangeKey>()
  readonly retries = new Map<string, DueRetry>()
  /** Results whose statement failed: done or not, nobody knows. A range or retry has one at most: nothing goes on. */
  readonly unrecorded = new Map<string, Result>()
  /** Retries whose release was refused. */
  private owed: DueRetry[] = []
  private readonly session: WorkerSession

  constructor(session: WorkerSession) {
    this.session = session
  }

  /** Writes a result. @returns false when the lease is somebody else's by now */
  async settle(result: Result, write: () => Promise<boolean>): Promise<boolean> {
    const place = placeOf(result)
    try {
      const written = await write()
      if (!written || result.kind === 'retry' || result.progress.done) this.forget(place)
      return written
    } catch (error) {
      this.unrecorded.set(place, result)
      throw error
    }
  }

  /** Lets go of a range that waits because the server refuses us. */
  async hold(range: RangeKey, write: () => Promise<void>): Promise<void> {
    await write()
    this.forget(rangePlace(range))
  }

  /** Gives leases back; what was not recorded of them is recorded first, or they would be mailed again. */
  async release(ranges: RangeKey[], retries: DueRetry[]): Promise<void> {
    const { number } = this.session
    for (const place of [...ranges.map(rangePlace), ...retries.map(retryPlace)]) {
      const result = this.unrecorded.get(place)
      if (result) await this.session.say((client) => recordResult(client, number, result))
      this.unrecorded.delete(place)
    }
    for (const range of ranges) {
      await this.session.say((client) => releaseRange(client, number, range))
      this.forget(rangePlace(range))
    }
    if (retries.length === 0) return
    await this.session.say((client) => releaseRetries(client, number, retries))
    for (const retry of retries) this.forget(retryPlace(retry))
  }

  /** As `release`; what was refused is given back when leases are renewed. */
  async releaseRetries(retries: DueRetry[]): Promise<void> {
    await this.release([], retries).catch((error: unknown) => {
      this.owed.push(...retries)
      throw error
    })
  }

  async renew(now: Date): Promise<void> {
    const held = { ranges: [...this.ranges.values()], retries: [...this.retries.values()] }
    await this.session.say((client) => renewLeases(client, this.session.number, held, now))
    if (this.owed.length > 0) await this.releaseRetries(this.owed.splice(0))
  }

  private forget(place: string): void {
    this.ranges.delete(place)
    this.retries.delete(place)
  }
}
