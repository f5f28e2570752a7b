import type { FastifyInstance } from 'fastify'
import type pg from 'pg'
import { isMigrated } from './platform/migrate.ts'
import { isWorkerRunning } from './platform/workers.ts'

/**
 * `/healthz`: the process is alive. `/readyz`: it can do its work (database reached, migrations applied); 503 with the
 * reason otherwise, for load balancers and for whoever waits for a start.
 */
export function healthRoutes(app: FastifyInstance, deps: { pool: pg.Pool }): void {
  app.get('/healthz', async () => ({ alive: true }))
  app.get('/readyz', async (_request, reply) => {
    const state = { database: false, migrations: false, worker: false }
    try {
      state.migrations = await isMigrated(deps.pool)
      state.database = true
      state.worker = await isWorkerRunning(deps.pool)
    } catch {
      // What is missing is the answer.
    }
    const ready = state.database && state.migrations && state.worker
    return reply
      .code(ready ? 200 : 503)
      .header('cache-control', 'no-store')
      .send({ ready, ...state })
  })
}
