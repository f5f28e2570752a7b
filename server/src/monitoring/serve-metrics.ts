import { createServer, type Server } from 'node:http'
import type pg from 'pg'
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { Clock } from '../platform/clock.ts'
import { openPool } from '../platform/database.ts'
import { type Log, reasonOf } from '../platform/log.ts'
import { processRegistry } from '../platform/metrics.ts'
import { showFigures } from './figure-gauges.ts'
import { readFigures } from './figures.ts'

/** A scrape has ten seconds by Prometheus's own habit; a database that does not answer in this time is left out. */
const FIGURES_LIMIT_MS = 1000
const REQUEST_LIMIT_MS = 5000

export type MetricsDeps = {
  /** The process's pool. */
  pool: pg.Pool
  /** Past a pooler. */
  databaseUrl: string
  clock: Clock
  log: Log
}

/**
 * Serves `/metrics` on a port of its own, so that nothing of it is public where the product is (decision 0065). What is of the
 * database as a whole is read at each scrape, over one connection beside the pool: a pool that is full is what one wants to see.
 * @param options.port 0 for any free one
 * @returns the port that was taken
 */
export async function serveMetrics(
  deps: MetricsDeps,
  options: { host: string; port: number },
): Promise<{ port: number; close(): Promise<void> }> {
  const source = openSource(deps)
  const server = createServer(async (request, response) => {
    if (
      request.url?.split('?', 1)[0] !== '/metrics' ||
      (request.method !== 'GET' && request.method !== 'HEAD')
    ) {
      response.writeHead(404).end()
      return
    }
    try {
      const text = await source.read()
      response.writeHead(200, { 'content-type': source.contentType }).end(text)
    } catch (error) {
      deps.log.error({ reason: reasonOf(error) }, 'metrics could not be told')
      response.writeHead(500).end()
    }
  })
  server.requestTimeout = REQUEST_LIMIT_MS
  server.headersTimeout = REQUEST_LIMIT_MS
  const port = await listen(server, options)
  return {
    port,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await source.close()
    },
  }
}

function listen(server: Server, { host, port }: { host: string; port: number }): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(port, host, () => {
      const address = server.address()
      resolve(typeof address === 'object' && address ? address.port : port)
    })
  })
}

/** All that is told: what the process counts, its pool, itself, and the database. */
function openSource({ clock, databaseUrl, log, pool }: MetricsDeps) {
  const own = new Registry()
  collectDefaultMetrics({ register: own, prefix: 'tradepost_' })
  showPool(own, pool)
  const show = showFigures(own)
  const registry = Registry.merge([processRegistry(), own])
  const connection = openPool(
    {
      connectionString: databaseUrl,
      connectionTimeoutMillis: FIGURES_LIMIT_MS,
      statement_timeout: FIGURES_LIMIT_MS,
      query_timeout: FIGURES_LIMIT_MS,
    },
    1,
    { lost: () => undefined, failed: () => undefined },
  )
  let reading: Promise<void> | null = null
  const refresh = async () => {
    try {
      show(await readFigures(connection.db, clock.now()))
    } catch (error) {
      show(null)
      log.warn({ reason: reasonOf(error) }, 'figures of the database could not be read')
    }
  }
  return {
    contentType: registry.contentType,
    async read() {
      // Scrapes that meet share one look at the database.
      reading ??= refresh().finally(() => {
        reading = null
      })
      await reading
      return registry.metrics()
    },
    close: () => connection.connections.end(connection.db.destroy()),
  }
}

function showPool(registry: Registry, pool: pg.Pool): void {
  const registers = [registry]
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help: `${help} Of this process.`,
      registers,
      collect() {
        this.set(read())
      },
    })
  gauge('tradepost_database_pool_size', 'Connections that the pool may open.', () => pool.options.max ?? 0)
  gauge(
    'tradepost_database_connections_in_use',
    'Connections of the pool that somebody uses.',
    () => pool.totalCount - pool.idleCount,
  )
  gauge(
    'tradepost_database_waiting',
    'Requests and jobs that wait for a connection of the pool.',
    () => pool.waitingCount,
  )
}
