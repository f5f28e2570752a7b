import type pg from 'pg'
import { cutConnection, endInTime, isSilence } from './connections.ts'
import { isAnswer } from './database.ts'
import { makeDirectClient } from './direct-client.ts'
import { oneAfterAnother } from './one-after-another.ts'
import { enterWorkers } from './workers.ts'

/**
 * A database session under whose number a worker leases (decision 0022). Its lock shows that the worker lives, and its commits do
 * not wait for the disk. The first statement without an answer ends it, since nobody knows whether the statement was done.
 */
export type WorkerSession = {
  /** The worker's number, new with each session; leases are held under it. */
  number: number
  /** Runs `work`, one call after another. @throws what the database answers with, or why the session is lost */
  say<T>(work: (client: pg.Client) => Promise<T>): Promise<T>
  /** Rejects when the session is lost. */
  lost: Promise<never>
  /** Closes the session, within a second even if the database does not answer. */
  end(): Promise<void>
}

/**
 * Opens a session and takes a worker number.
 * @param deps.channel of PostgreSQL's notifications
 * @param deps.dropIdle of the process's database; called when the session turns out to have gone silent, as its pool probably has
 * @param deps.onNews called at each notification of the channel, whichever process sent it
 * @throws when the database cannot be reached
 */
export async function openWorkerSession(deps: {
  databaseUrl: string
  dropIdle: () => void
  channel: 'deliveries' | 'event_work' | 'outbox' | 'pushes'
  onNews: (payload: string | null) => void
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
  client.on('notification', ({ payload }) => deps.onNews(payload ?? null))
  try {
    await client.connect()
    await client.query('set synchronous_commit = off')
    const number = await enterWorkers(client)
    await client.query(`listen ${deps.channel}`)
    // Statements of two callers must not mix on one session.
    const inTurn = oneAfterAnother()
    return {
      number,
      say: (work) =>
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
