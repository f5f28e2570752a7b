import type { Clock } from '../../platform/clock.ts'
import { openWorkerSession } from '../../platform/worker-session.ts'
import { HeldLeases } from './held-leases.ts'
import { type Hold, holdRange } from './holds.queries.ts'
import {
  type DueRetry,
  isWorkWaiting,
  type LeaseTerms,
  leaseRange,
  leaseRetries,
  type Range,
} from './leases.queries.ts'
import {
  type Exception,
  type Progress,
  writeException,
  writeProgress,
  writeRetry,
} from './progress.queries.ts'
import { type Remains, rangePlace, retryPlace, settleRemains } from './results.ts'

/** A lease that nobody renewed for so long belongs to a worker that hangs; a dead one's is free at once. */
const LEASE_LIMIT_MS = 10_000

/**
 * The delivery store as one worker uses it: what the worker leases, and the record of what it sent. It has its own
 * database session, whose commits do not wait for the disk. The death of a worker loses nothing by that; the death of
 * the database itself can lose the record of the last moments, and those mails are sent again.
 */
export type DeliveryStore = {
  leaseRange(options: { idleEventsOnly: boolean }): Promise<Range | null>
  leaseRetries(limit: number): Promise<DueRetry[]>
  isWorkWaiting(): Promise<boolean>
  /** Resolves when it is written, to false when the range is no longer this worker's. Many writes travel as one. */
  advance(progress: Progress): Promise<boolean>
  except(progress: Progress, mailNo: number, exception: Exception): Promise<boolean>
  /** Lets a range wait because the server refuses us. */
  holdRange(hold: Omit<Hold, 'now'>): Promise<void>
  settleRetry(retry: DueRetry, exception: Exception): Promise<boolean>
  releaseRange(range: Range): Promise<void>
  releaseRetries(retries: DueRetry[]): Promise<void>
  renewLeases(): Promise<void>
  /** Rejects when this worker must stop using its leases. */
  lost: Promise<never>
  /** For the store that follows this one, once nobody uses this one any more. */
  remains(): Remains
  end(): Promise<void>
}

/**
 * @param onNews called when ranges have been planned, by whichever process
 * @param remains of the store that this process lost, or null
 */
export async function openDeliveryStore(deps: {
  databaseUrl: string
  dropIdle: () => void
  clock: Clock
  onNews: () => void
  remains: Remains | null
}): Promise<DeliveryStore> {
  const { clock, remains } = deps
  const session = await openWorkerSession({ ...deps, channel: 'deliveries' })
  const { number } = session
  try {
    if (remains) await session.say((client) => settleRemains(client, remains))
  } catch (error) {
    await session.end()
    throw error
  }
  const held = new HeldLeases(session)
  const terms = (now = clock.now()): LeaseTerms => ({
    number,
    now,
    staleBefore: new Date(now.getTime() - LEASE_LIMIT_MS),
  })
  const writeTogether = groupCommit((steps: Progress[]) =>
    session.say((client) => writeProgress(client, number, steps)),
  )
  return {
    async leaseRange({ idleEventsOnly }) {
      const range = await session.say((client) => leaseRange(client, terms(), idleEventsOnly))
      if (range) held.ranges.set(rangePlace(range), range)
      return range
    },
    async leaseRetries(limit) {
      const retries = await session.say((client) => leaseRetries(client, terms(), limit))
      for (const retry of retries) held.retries.set(retryPlace(retry), retry)
      return retries
    },
    isWorkWaiting: () => session.say((client) => isWorkWaiting(client, terms())),
    advance: (progress) => held.settle({ kind: 'sent', progress }, () => writeTogether(progress)),
    except: (progress, mailNo, exception) =>
      held.settle({ kind: 'exception', progress, mailNo, exception }, () =>
        session.say((client) => writeException(client, number, progress, mailNo, exception)),
      ),
    holdRange: (hold) =>
      held.hold(hold.range, () =>
        session.say((client) => holdRange(client, number, { ...hold, now: clock.now() })),
      ),
    settleRetry(retry, exception) {
      const at = clock.now()
      return held.settle({ kind: 'retry', retry, exception, at }, () =>
        session.say((client) => writeRetry(client, number, retry, exception, at)),
      )
    },
    releaseRange: (range) => held.release([range], []),
    releaseRetries: (retries) => held.releaseRetries(retries),
    renewLeases: () => held.renew(clock.now()),
    lost: session.lost,
    remains: () => ({ number, results: [...held.unrecorded.values()] }),
    end: () => session.end(),
  }
}

/** Gathers what is asked for while a write is on its way, and writes it together. */
function groupCommit<Item>(write: (items: Item[]) => Promise<boolean[]>): (item: Item) => Promise<boolean> {
  type Waiting = { item: Item; resolve: (written: boolean) => void; reject: (error: unknown) => void }
  let waiting: Waiting[] = []
  let writing = false
  async function flush(): Promise<void> {
    writing = true
    // Replies that arrived together are recorded together.
    await new Promise((resolve) => setImmediate(resolve))
    while (waiting.length > 0) {
      const group = waiting
      waiting = []
      try {
        const written = await write(group.map(({ item }) => item))
        group.forEach(({ resolve }, index) => {
          resolve(written[index] ?? false)
        })
      } catch (error) {
        for (const { reject } of group) reject(error)
      }
    }
    writing = false
  }
  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      if (!writing) void flush()
    })
}
