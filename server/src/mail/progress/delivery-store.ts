import type pg from 'pg'
import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import { openWorkerSession, type WorkerSession } from '../../work/worker-session.ts'
import { NOBODY } from '../event-mails/event-mails.ts'
import { HeldLeases } from './held-leases.ts'
import { type Hold, holdRange } from './holds.queries.ts'
import { type LeaseTerms, leaseRange, leaseRetries } from './leases.queries.ts'
import {
  type Exception,
  type Progress,
  writeException,
  writeProgress,
  writeRetry,
} from './progress.queries.ts'
import { ProgressFile, readNotedProgress } from './progress-file.ts'
import { ProgressWriter } from './progress-writer.ts'
import type { DueRetry, Range } from './range.ts'
import { type Remains, settleRemains } from './results.ts'

/** The lease of a worker that hangs ends after this long without a renewal; that of a dead worker ends at once. */
const LEASE_LIMIT_MS = 10_000

/**
 * The delivery store as one worker uses it: the ranges that the worker leases, and the record of the mails that it sent. It has its own
 * database session, whose commits do not wait for the disk. The death of a worker loses nothing by that; the death of
 * the database itself can lose the record of the last moments, and those mails are sent again.
 */
export type DeliveryStore = {
  leaseRange(options: { idleEventsOnly: boolean }): Promise<Range | null>
  /** Whether ranges waited for receipts when one was asked for last. */
  awaitsReceipts(): boolean
  leaseRetries(limit: number): Promise<DueRetry[]>
  /** Notes a mail that was taken, and writes it behind; see `ProgressWriter`. */
  advance(progress: Progress): Promise<boolean>
  except(progress: Progress, mailNo: number, exception: Exception): Promise<boolean>
  /** Lets a range wait because the server refuses us. */
  holdRange(hold: Omit<Hold, 'now'>): Promise<void>
  settleRetry(retry: DueRetry, exception: Exception): Promise<boolean>
  releaseRange(range: Range): Promise<void>
  releaseRetries(retries: DueRetry[]): Promise<void>
  renewLeases(): Promise<void>
  holdsNothing(): boolean
  /** Rejects when this worker must stop using its leases. */
  lost: Promise<never>
  /** Data for the store that follows this one, once nobody uses this one any more. */
  remains(): Remains
  end(): Promise<void>
}

/**
 * @param progressDir folder on this host where workers note how far they are
 * @param onNews called when ranges have been planned, by whichever process
 * @param onStop called when somebody has stopped mails
 * @param onHeld called when this worker leases something and held nothing before
 * @param remains of the store that this process lost, or null
 */
export async function openDeliveryStore(deps: {
  databaseUrl: string
  dropIdle: () => void
  clock: Clock
  log: Log
  progressDir: string
  onNews: () => void
  onStop: (userId: string) => void
  onHeld: () => void
  remains: Remains | null
}): Promise<DeliveryStore> {
  const { clock, remains, progressDir } = deps
  const session = await openWorkerSession({
    ...deps,
    channels: ['deliveries'],
    onNews: (_channel, userId) => (userId === '' ? deps.onNews() : deps.onStop(userId)),
  })
  const { number } = session
  try {
    const nothing = { range: { ...NOBODY, from: 0 }, reached: 0, sent: 0, done: false, at: clock.now() }
    await session.run((client) => writeProgress(client, number, [nothing]))
    if (remains) await session.run((client) => settleRemains(client, remains))
  } catch (error) {
    await session.end()
    throw error
  }
  const file = new ProgressFile({ folder: progressDir, number, log: deps.log })
  const progress = new ProgressWriter(file, (steps) =>
    session.run((client) => writeProgress(client, number, steps)),
  )
  const held = new HeldLeases(session, progress, deps.onHeld)
  const parts: Parts = { session, clock, progressDir, file, progress, held }
  return {
    ...leasing(parts),
    ...recording(parts),
    lost: session.lost,
    remains: remainsOf(parts),
    end: endOf(parts),
  }
}

type Parts = {
  session: WorkerSession
  clock: Clock
  progressDir: string
  file: ProgressFile
  progress: ProgressWriter
  held: HeldLeases
}

type Leasing =
  | 'leaseRange'
  | 'awaitsReceipts'
  | 'leaseRetries'
  | 'releaseRange'
  | 'releaseRetries'
  | 'renewLeases'
  | 'holdsNothing'

function leasing({ clock, held, progressDir, session }: Parts): Pick<DeliveryStore, Leasing> {
  const terms = (now = clock.now()): LeaseTerms => ({
    number: session.number,
    now,
    staleBefore: new Date(now.getTime() - LEASE_LIMIT_MS),
  })
  const askForRange = sharingNothing(session)
  const askForIdleEvent = sharingNothing(session)
  const askForRetries = sharingNothing(session)
  let isUnlogged = false
  return {
    async leaseRange({ idleEventsOnly }) {
      const now = clock.now()
      const ask = idleEventsOnly ? askForIdleEvent : askForRange
      const [range] = await ask(async (client) => {
        const { range: leased, unlogged } = await leaseRange(client, terms(now), idleEventsOnly)
        isUnlogged = unlogged
        return leased ? [leased] : []
      })
      if (!range) return null
      const { previousOwner } = range
      const noted = previousOwner === null ? null : readNotedProgress(progressDir, previousOwner, range)
      if (noted && noted.progress > range.progress) Object.assign(range, noted)
      held.begin(range, now)
      return range
    },
    awaitsReceipts: () => isUnlogged,
    async leaseRetries(limit) {
      const retries = await askForRetries((client) => leaseRetries(client, terms(), limit))
      held.beginRetries(retries)
      return retries
    },
    releaseRange: (range) => held.releaseRange(range),
    releaseRetries: (retries) => held.releaseRetries(retries),
    renewLeases: () => held.renew(clock.now()),
    holdsNothing: () => held.isEmpty(),
  }
}

/**
 * Senders are woken together, and ask one after the other. When a statement finds nothing, that answers all that had asked before it began.
 * @returns asks with a statement that leases
 */
function sharingNothing(session: WorkerSession) {
  let turns = 0
  let nothingAt = 0
  return <Leased>(lease: (client: pg.Client) => Promise<Leased[]>): Promise<Leased[]> => {
    turns += 1
    const askedAt = turns
    return session.run(async (client) => {
      if (nothingAt > askedAt) return []
      turns += 1
      const beganAt = turns
      const leased = await lease(client)
      if (leased.length === 0) nothingAt = beganAt
      return leased
    })
  }
}

type Recording = 'advance' | 'except' | 'holdRange' | 'settleRetry'

function recording({ clock, held, progress, session }: Parts): Pick<DeliveryStore, Recording> {
  const { number } = session
  return {
    advance: (step) => progress.advance(step),
    except: (step, mailNo, exception) =>
      held.except({ kind: 'exception', progress: step, mailNo, exception }, () =>
        session.run((client) => writeException(client, number, step, mailNo, exception)),
      ),
    holdRange: (hold) =>
      held.hold(hold.range, () =>
        session.run((client) => holdRange(client, number, { ...hold, now: clock.now() })),
      ),
    settleRetry(retry, exception) {
      const at = clock.now()
      return held.settleRetry({ kind: 'retry', retry, exception, at }, () =>
        session.run((client) => writeRetry(client, number, retry, exception, at)),
      )
    },
  }
}

function remainsOf({ held, progress, session }: Parts): () => Remains {
  return () => ({
    number: session.number,
    results: [
      ...progress.unrecorded().map((step) => ({ kind: 'sent' as const, progress: step })),
      ...held.unrecorded.values(),
    ],
  })
}

function endOf({ file, held, progress, session }: Parts): () => Promise<void> {
  return async () => {
    const recorded = await progress.settleAll().then(
      () => held.unrecorded.size === 0,
      () => false,
    )
    if (recorded) file.remove()
    else file.close()
    await session.end()
  }
}
