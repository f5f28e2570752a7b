import type { FastifyInstance } from 'fastify'
import type pg from 'pg'
import { findBearer } from './auth/sessions/sessions.queries.ts'
import { isAnswer } from './platform/database/database-errors.ts'
import type { DiskWatch } from './platform/database/disk-watch.ts'
import { isWorkerRunning } from './platform/database/living-workers.ts'
import type { Queryable } from './platform/database/queryable.ts'
import { type Log, reasonOf } from './platform/log.ts'
import { isMigrated } from './platform/upgrade/migrate.ts'

const LOG_EVERY_MS = 60_000
/** A session that nobody has. */
const NOBODY = '00000000-0000-0000-0000-000000000000'

/** The dependencies of these routes; `hasWorker` when this process is a worker too (role `all`). */
export type HealthDeps = {
  pool: pg.Pool
  /** Over which sessions are checked. */
  pipelined: Queryable
  disk: DiskWatch
  log: Log
  hasWorker: boolean
  /** Aborted when the process is about to end: it still answers, and wants no new callers. */
  draining: AbortSignal
}

/**
 * `/healthz`: the process is alive. `/readyz`: it can serve (database reached and able to write, a session can be looked up as each
 * request does it, migrations applied); 503 with the reason otherwise, also while the process drains before it ends, for load balancers
 * and for anyone who waits for a start. Whether any worker lives is part of the answer, and decides it only where this process brings one: an `api` serves without. `/readyz?worker` asks for a
 * worker everywhere, for an alarm.
 */
export function healthRoutes(app: FastifyInstance, deps: HealthDeps): void {
  const noteWorker = makeWatch(deps.log, {
    lost: 'no worker runs: mails and payments wait until one does',
    back: 'a worker runs again',
  })
  const noteSessions = makeWatch(deps.log, {
    lost: 'the database refuses to look a session up: every call is answered with a fault',
    back: 'sessions can be looked up again',
  })
  app.get('/healthz', async () => ({ alive: true }))
  app.get<{ Querystring: Record<string, string> }>('/readyz', async (request, reply) => {
    const state = { database: false as boolean | 'full' | 'refuses', migrations: false, worker: false }
    try {
      state.migrations = await isMigrated(deps.pool)
      const refused = await refusalOfSessions(deps.pipelined)
      noteSessions(refused === null, refused)
      state.worker = await isWorkerRunning(deps.pool)
      if (!deps.hasWorker) noteWorker(state.worker)
      const isFull = await deps.disk.isFull(deps.pool)
      state.database = refused !== null ? 'refuses' : isFull ? 'full' : true
    } catch {
      // The checks that did not succeed stay false in the answer.
    }
    const needsWorker = deps.hasWorker || 'worker' in request.query
    const isDraining = deps.draining.aborted
    const ready = !isDraining && state.database === true && state.migrations && (state.worker || !needsWorker)
    return reply.code(ready ? 200 : 503).send({ ready, ...state, ...(isDraining && { draining: true }) })
  })
}

/**
 * Looks a session up as each request begins: what refuses it there, a pooler or a right that is missing, refuses everybody.
 * @returns why it is refused; null when it is not
 * @throws when nobody answers
 */
async function refusalOfSessions(pipelined: Queryable): Promise<string | null> {
  try {
    await findBearer(pipelined, NOBODY)
    return null
  } catch (error) {
    if (!isAnswer(error)) throw error
    return reasonOf(error)
  }
}

/** Logs, once a minute at most, that something is lost, and when it is back. */
function makeWatch(
  log: Log,
  words: { lost: string; back: string },
): (isThere: boolean, reason?: string | null) => void {
  let lastLogged: number | null = null
  return (isThere, reason = null) => {
    if (isThere) {
      if (lastLogged !== null) log.info(words.back)
      lastLogged = null
      return
    }
    if (lastLogged !== null && performance.now() - lastLogged < LOG_EVERY_MS) return
    lastLogged = performance.now()
    log.error(reason === null ? {} : { reason }, words.lost)
  }
}
