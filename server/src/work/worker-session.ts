import type pg from 'pg'
import { serialQueue } from '../platform/cache/serial-queue.ts'
import { cutConnection, endInTime, isSilence } from '../platform/database/connections.ts'
import { isAnswer } from '../platform/database/database-errors.ts'
import { makeDirectClient } from '../platform/database/direct-client.ts'
import { enterWorkers } from '../platform/database/living-workers.ts'

/**
 * Every statement of a worker names its rows by an index. By statistics from before a table was worked off, the database would read it whole
 * to find that nothing waits, or for each step of ten of a fan-out (ADR 0105). With such reads off, its cost estimates are so high that it would
 * compile these plans (JIT): that is off too.
 */
const SETTINGS = 'set synchronous_commit = off; set enable_seqscan = off; set jit = off'

/** The channels of PostgreSQL's notifications of work. */
export type WorkChannel = 'deliveries' | 'event_work' | 'outbox' | 'pushes' | 'work'

/**
 * A database session under whose number a worker leases (ADR 0022). Its lock shows that the worker lives, and its commits do
 * not wait for the disk. The first statement without an answer ends it, since nobody knows whether the statement was done.
 */
export type WorkerSession = {
  /** The worker's number, new with each session; leases are held under it. */
  number: number
  /** Runs `work`, one call after another. @throws the database's error, or why the session is lost */
  run<T>(work: (client: pg.Client) => Promise<T>): Promise<T>
  /** Rejects when the session is lost. */
  lost: Promise<never>
  /** Closes the session, within a second even if the database does not answer. */
  end(): Promise<void>
}

/**
 * Opens a session and takes a worker number.
 * @param deps.channels of PostgreSQL's notifications
 * @param deps.dropIdle of the process's database; called when the session turns out to have gone silent, as its pool probably has
 * @param deps.onNews called at each notification of these channels, whichever process sent it
 * @throws when the database cannot be reached
 */
export async function openWorkerSession<Channel extends WorkChannel>(deps: {
  databaseUrl: string
  dropIdle: () => void
  channels: readonly Channel[]
  onNews: (channel: Channel, payload: string) => void
}): Promise<WorkerSession> {
  const client = makeDirectClient(deps.databaseUrl)
  const { promise: lost, reject } = Promise.withResolvers<never>()
  lost.catch(() => undefined)
  let loss: unknown = null
  const lose = (error: unknown) => {
    loss ??= error
    reject(error)
    cutConnection(client)
  }
  client.on('error', lose)
  client.on('end', () => lose(new Error('a worker lost its database session')))
  client.on('notification', ({ channel, payload }) => deps.onNews(channel as Channel, payload ?? ''))
  try {
    await client.connect()
    await client.query(SETTINGS)
    const number = await enterWorkers(client)
    for (const channel of deps.channels) await client.query(`listen ${channel}`)
    // Statements of two callers must not mix on one session.
    const inTurn = serialQueue()
    return {
      number,
      run: (work) =>
        inTurn(async () => {
          if (loss) throw loss
          return work(client).catch((error: unknown) => {
            if (isSilence(error)) deps.dropIdle()
            if (!isAnswer(error)) lose(error)
            throw error
          })
        }),
      lost,
      end: () => endInTime(client.end(), [client]),
    }
  } catch (error) {
    lose(error)
    throw error
  }
}
