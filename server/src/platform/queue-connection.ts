import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { Connections } from './connections.ts'
import { isAnswer } from './database.ts'
import { makeDatabasePool } from './database-client.ts'
import { HeldJobs } from './held-jobs.ts'
import { type Log, reasonOf } from './log.ts'

/** Why a run of the queue ends in an outage. */
export const CONNECTION_LOST = 'the queue lost its connection to the database'

/** One listens for new jobs; two more take jobs and record their ends. */
const SIZE = 3
const CONNECT_TIMEOUT_MS = 3000
/** The server answers within the first limit, or with its refusal; by the second one nobody is there. */
const STATEMENT_TIMEOUT_MS = 4500
const ANSWER_TIMEOUT_MS = 5000
const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 1000

/** Connections of one run of a queue. */
export type QueueConnection = {
  /** For the library. */
  pool: pg.Pool
  /** From `take` until the database has recorded how the job ended. */
  held: HeldJobs
  /** Resolves, with the reason, when a statement was not answered: a job may be locked that nobody knows of. */
  lost: Promise<unknown>
  /** Resolves when no statement is under way but those that record how jobs ended. */
  idle(): Promise<void>
  /** Aborted by `close`. */
  closed: AbortSignal
  /** Jobs still in hand stay locked. A second at most, whatever hangs. */
  close(): Promise<void>
}

type Statement = { name?: string; text: string; values?: unknown[] }

type State = {
  pool: pg.Pool
  /** Of the pool itself, which the library does not see. */
  connect: pg.Pool['connect']
  held: HeldJobs
  lost: PromiseWithResolvers<unknown>
  underWay: Set<Promise<unknown>>
  closed: AbortController
  log: Log
}

export function openQueueConnection(databaseUrl: string, log: Log): QueueConnection {
  const connections = new Connections((error) =>
    log.warn({ reason: error.message }, 'a queue lost a database connection'),
  )
  const pool = makePool(databaseUrl, connections)
  const state: State = {
    pool,
    connect: pool.connect.bind(pool),
    held: new HeldJobs(),
    lost: Promise.withResolvers<unknown>(),
    underWay: new Set(),
    closed: new AbortController(),
    log,
  }
  const connect = (callback?: ConnectCallback) => {
    if (!callback) return Promise.resolve(lend(state))
    return state.connect((error, client, release) => callback(error, client, release && once(release)))
  }
  return {
    pool: Object.assign(pool, { connect: connect as pg.Pool['connect'] }),
    held: state.held,
    lost: state.lost.promise,
    closed: state.closed.signal,
    async idle() {
      while (state.underWay.size > 0) await Promise.all(state.underWay)
      // The library goes on with what it was answered, and has taken the job in hand by then.
      await nextTurn()
    },
    close() {
      state.closed.abort()
      return connections.end(pool.end())
    },
  }
}

/** A client as the library uses one: some statements, then `release`. It takes a connection with the first. */
function lend(state: State) {
  let taken: Promise<pg.PoolClient> | null = null
  async function say(statement: Statement): Promise<unknown> {
    try {
      taken ??= state.connect()
      return await (await taken).query(statement)
    } catch (error) {
      if (isAnswer(error)) throw error
      state.lost.resolve(error)
      // The library prints a failure to take a job to the terminal when it is being stopped; now there is none to take.
      if (statement.name?.startsWith('get_job/')) return { rows: [] }
      // Without its code, at which the library would wait for minutes.
      throw new Error(CONNECTION_LOST, { cause: error })
    }
  }
  return {
    query(statement: string | Statement, values?: unknown[]) {
      const said = typeof statement === 'string' ? { text: statement, ...(values && { values }) } : statement
      const jobId = endedJob(said)
      if (jobId !== null) return recordEnd(state, jobId, said)
      const answer = say(said)
      const over = answer.catch(() => undefined)
      state.underWay.add(over)
      void over.then(() => state.underWay.delete(over))
      return answer
    },
    async release() {
      const client = await taken?.catch(() => null)
      client?.release()
    },
  }
}

/**
 * The library (graphile-worker 0.18) records the end of a job without waiting for it, and a failure of that statement
 * ends the process as a rejection that nobody handles. So that none fails, such a statement is said again until the
 * database has taken it; both kinds change nothing when they are said twice.
 */
async function recordEnd(state: State, jobId: string, statement: Statement): Promise<unknown> {
  const { signal } = state.closed
  for (let wait = FIRST_PAUSE_MS; ; wait = Math.min(2 * wait, LONGEST_PAUSE_MS)) {
    try {
      const result = await state.pool.query(statement)
      state.held.letGo(jobId)
      return result
    } catch (error) {
      if (signal.aborted) return null
      if (wait === FIRST_PAUSE_MS)
        state.log.warn({ reason: reasonOf(error) }, 'the end of a job is not recorded yet')
      await pause(wait, undefined, { signal }).catch(() => undefined)
    }
  }
}

/** Without a client there may be nothing to release: a pool that has ended says only that. */
type ConnectCallback = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  release: ((error?: Error) => void) | undefined,
) => void

function makePool(databaseUrl: string, connections: Connections): pg.Pool {
  const pool = makeDatabasePool({
    connectionString: databaseUrl,
    max: SIZE,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: ANSWER_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    keepAlive: true,
  })
  connections.adoptPool(pool)
  return pool.on('connect', (client) => connections.adopt(client, () => undefined))
}

/** Id of the job whose end a statement records; null when it is another one. Jobs have no named queues here. */
function endedJob({ name, values = [] }: Statement): string | null {
  if (name?.startsWith('complete_job/')) return String(values[0])
  if (name?.startsWith('fail_job/')) return String(JSON.parse(String(values[1]))[0].jobId)
  return null
}

/** The library can give a client back twice when it stops while its `listen` is not answered. */
function once(release: (error?: Error) => void): (error?: Error) => void {
  let released = false
  return (error) => {
    if (!released) release(error)
    released = true
  }
}
