import pg from 'pg'
import type { Clock } from '../platform/clock.ts'
import { enterWorkers, WORKER_LOCK_CLASS } from '../platform/workers.ts'
import { type Hold, holdRange } from './holds.queries.ts'
import {
  type DueRetry,
  isWorkWaiting,
  type LeaseTerms,
  leaseRange,
  leaseRetries,
  type Range,
  releaseRange,
  releaseRetries,
  renewLeases,
} from './leases.queries.ts'
import {
  type Exception,
  type Progress,
  writeException,
  writeProgress,
  writeRetry,
} from './progress.queries.ts'

/** A lease that nobody renewed for so long belongs to a worker that hangs; a dead one's is free at once. */
const LEASE_LIMIT_MS = 10_000
const STATEMENT_TIMEOUT_MS = 4000
const INT8_OID = 20

/**
 * This worker's hand in the delivery ledger: what it leases, and the record of what it sent. It has a database session
 * of its own whose commits do not wait for the disk: the death of a worker loses nothing by that, and only a death of
 * the database itself may make it forget, and so repeat, the mails of its last moments.
 */
export type Ledger = {
  leaseRange(options: { idleEventsOnly: boolean }): Promise<Range | null>
  leaseRetries(limit: number): Promise<DueRetry[]>
  isWorkWaiting(): Promise<boolean>
  /** Resolves when it is written, to false when the range is no longer this worker's. Many writes travel as one. */
  advance(progress: Progress): Promise<boolean>
  except(progress: Progress, mailNo: number, exception: Exception): Promise<boolean>
  /** Lets a range wait because the server refuses us; the job is added when it is the first. */
  holdRange(hold: Omit<Hold, 'now'>): Promise<void>
  settleRetry(retry: DueRetry, exception: Exception): Promise<boolean>
  releaseRange(range: Range): Promise<void>
  releaseRetries(retries: DueRetry[]): Promise<void>
  renewLeases(): Promise<void>
  /** Rejects when this worker must stop using its leases. */
  lost: Promise<never>
  end(): Promise<void>
}

/** @param onNews called when ranges have been planned, by whichever process */
export async function openLedger(deps: {
  databaseUrl: string
  clock: Clock
  onNews: () => void
}): Promise<Ledger> {
  const { clock } = deps
  const presence = await enterWorkers(deps.databaseUrl)
  const session = await openSession(deps).catch(async (error: Error) => {
    await presence.end()
    throw error
  })
  const { client } = session
  const { number } = presence
  const terms = (now = clock.now()): LeaseTerms => ({
    number,
    lockClass: WORKER_LOCK_CLASS,
    now,
    staleBefore: new Date(now.getTime() - LEASE_LIMIT_MS),
  })
  const lost = Promise.race([presence.lost, session.lost])
  lost.catch(() => undefined)
  const inTurn = oneAfterAnother()
  return {
    leaseRange: ({ idleEventsOnly }) => inTurn(() => leaseRange(client, terms(), idleEventsOnly)),
    leaseRetries: (limit) => inTurn(() => leaseRetries(client, terms(), limit)),
    isWorkWaiting: () => inTurn(() => isWorkWaiting(client, terms())),
    advance: groupCommit((progress) => inTurn(() => writeProgress(client, number, progress))),
    except: (progress, mailNo, exception) =>
      inTurn(() => writeException(client, number, progress, mailNo, exception)),
    holdRange: (hold) => inTurn(() => holdRange(client, number, { ...hold, now: clock.now() })),
    settleRetry: (retry, exception) =>
      inTurn(() => writeRetry(client, number, retry, exception, clock.now())),
    releaseRange: (range) => inTurn(() => releaseRange(client, number, range)),
    releaseRetries: (retries) => inTurn(() => releaseRetries(client, number, retries)),
    renewLeases: () => inTurn(() => renewLeases(client, number, clock.now())),
    lost,
    async end() {
      await client.end().catch(() => undefined)
      await presence.end().catch(() => undefined)
    },
  }
}

async function openSession(deps: { databaseUrl: string; onNews: () => void }) {
  const types = new pg.TypeOverrides()
  types.setTypeParser(INT8_OID, Number)
  const client = new pg.Client({
    connectionString: deps.databaseUrl,
    keepAlive: true,
    connectionTimeoutMillis: STATEMENT_TIMEOUT_MS,
    query_timeout: STATEMENT_TIMEOUT_MS,
    types,
  })
  const lost = new Promise<never>((_, reject) => {
    client.on('error', reject)
    client.on('end', () => reject(new Error('the ledger lost its database session')))
  })
  lost.catch(() => undefined)
  client.on('notification', deps.onNews)
  await client.connect()
  await client.query('set synchronous_commit = off')
  await client.query('listen deliveries')
  return { client, lost }
}

/** A database session does one thing at a time. */
function oneAfterAnother(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const mine = last.then(work, work)
    last = mine.catch(() => undefined)
    return mine
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
