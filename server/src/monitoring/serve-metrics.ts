import { createServer, type Server } from 'node:http'
import type pg from 'pg'
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { Clock } from '../platform/clock.ts'
import { openPool } from '../platform/database/database.ts'
import { type Log, reasonOf } from '../platform/log.ts'
import { processRegistry } from '../platform/metrics.ts'
import { type FigureName, type Figures, readFigures } from './figures.ts'

type Shown = {
  count: string
  /** Null where only the number counts. */
  oldest: string | null
  label: 'reader' | 'lane' | null
  what: string
}

/** The metric names of the figures of the database. Each is of the whole product, whichever process exposes it. */
const SHOWN: Readonly<Record<Exclude<FigureName, 'worker'>, Shown>> = {
  job: {
    count: 'tradepost_queue_jobs',
    oldest: 'tradepost_queue_oldest_job_seconds',
    label: null,
    what: 'jobs that are due',
  },
  'lost job': {
    count: 'tradepost_queue_jobs_given_up',
    oldest: null,
    label: null,
    what: 'jobs that were tried too often',
  },
  event: {
    count: 'tradepost_reader_events',
    oldest: 'tradepost_reader_lag_seconds',
    label: 'reader',
    what: 'events that a reader has not done yet',
  },
  'lost event': {
    count: 'tradepost_reader_events_given_up',
    oldest: null,
    label: 'reader',
    what: 'events that a reader gave up',
  },
  'signal mail': {
    count: 'tradepost_delivery_mails',
    oldest: 'tradepost_delivery_oldest_seconds',
    label: null,
    what: 'mails of events that are planned and not sent',
  },
  'single mail': {
    count: 'tradepost_outbox_mails',
    oldest: 'tradepost_outbox_oldest_seconds',
    label: 'lane',
    what: 'single mails that are due',
  },
  push: {
    count: 'tradepost_push_messages',
    oldest: 'tradepost_push_oldest_seconds',
    label: null,
    what: 'notifications to devices that are due',
  },
  webhook: {
    count: 'tradepost_webhooks',
    oldest: 'tradepost_webhook_oldest_seconds',
    label: null,
    what: 'events of Stripe that were received and not dealt with',
  },
  record: {
    count: 'tradepost_record_entries',
    oldest: 'tradepost_record_checkpoint_age_seconds',
    label: null,
    what: 'entries of the record, and its newest checkpoint',
  },
  'card warning': {
    count: 'tradepost_card_warnings',
    oldest: null,
    label: null,
    what: 'payments that card networks have warned of in this calendar month (UTC)',
  },
  'card dispute': {
    count: 'tradepost_card_disputes',
    oldest: null,
    label: null,
    what: 'payments that were disputed in this calendar month (UTC)',
  },
  'card payment': {
    count: 'tradepost_card_payments',
    oldest: null,
    label: null,
    what: 'payments that were made in this calendar month (UTC)',
  },
}

const EVERYWHERE = 'Of the whole database: the same from every process.'

type Shower = { name: FigureName; gauge: Gauge; label: string | null; value: 'count' | 'oldestSeconds' }

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
 * Serves `/metrics` on a port of its own, so that nothing of it is public where the product is (ADR 0065). Figures of the
 * database as a whole are read at each scrape, over one connection beside the pool: they are needed most when the pool is full.
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

/** All sources of metrics: what the process counts, its pool, itself, and the database. */
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

/** @returns shows figures from then on; null shows that there are none */
function showFigures(registry: Registry): (figures: Figures | null) => void {
  const gauge = (name: string, help: string, label: string | null) =>
    new Gauge({
      name,
      help: `${help} ${EVERYWHERE}`,
      labelNames: label ? [label] : [],
      registers: [registry],
    })
  const showers = Object.entries(SHOWN).flatMap(([key, { count, label, oldest, what }]): Shower[] => {
    const name = key as FigureName
    const shown: Shower[] = [
      { name, gauge: gauge(count, `Number of ${what}.`, label), label, value: 'count' },
    ]
    if (!oldest) return shown
    const age = gauge(oldest, `Age of the oldest of the ${what}, 0 for none.`, label)
    return [...shown, { name, gauge: age, label, value: 'oldestSeconds' }]
  })
  const worker = gauge('tradepost_worker_running', 'Whether any worker lives, 1 or 0.', null)
  const ok = new Gauge({
    name: 'tradepost_database_figures_ok',
    help: 'Whether the database answered in time what is told of it as a whole; where not, 0, those figures are absent. Of this process.',
    registers: [registry],
  })
  return (figures) => {
    ok.set(figures ? 1 : 0)
    forget(worker)
    for (const { gauge, label } of showers) forget(gauge, label)
    if (!figures) return
    worker.set((figures.get('worker')?.[0]?.count ?? 0) > 0 ? 1 : 0)
    for (const { gauge, label, name, value } of showers)
      for (const waiting of figures.get(name) ?? [])
        gauge.set(label ? { [label]: waiting.label } : {}, waiting[value])
  }
}

/** Removes a gauge's series. A reset gauge without a label would be 0, which means that nothing waits. */
function forget(gauge: Gauge, label: string | null = null): void {
  gauge.reset()
  if (label === null) gauge.remove()
}
