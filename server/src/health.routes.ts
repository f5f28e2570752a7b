import type { FastifyInstance } from 'fastify'
import type pg from 'pg'
import type { DiskWatch } from './platform/disk-watch.ts'
import { isMigrated } from './platform/migrate.ts'
import { isWorkerRunning } from './platform/workers.ts'

/**
 * `/healthz`: the process is alive. `/readyz`: it can do its work (database reached and able to write, migrations applied,
 * a worker there); 503 with the reason otherwise, for load balancers and for anyone who waits for a start.
 */
export function healthRoutes(app: FastifyInstance, deps: { pool: pg.Pool; disk: DiskWatch }): void {
  app.get('/healthz', async () => ({ alive: true }))
  app.get('/readyz', async (_request, reply) => {
    const state = { database: false as boolean | 'full', migrations: false, worker: false }
    try {
      state.migrations = await isMigrated(deps.pool)
      state.database = true
      state.worker = await isWorkerRunning(deps.pool)
      if (await deps.disk.isFull(deps.pool)) state.database = 'full'
    } catch {
      // What is missing is the answer.
    }
    const ready = state.database === true && state.migrations && state.worker
    return reply.code(ready ? 200 : 503).send({ ready, ...state })
  })
}
