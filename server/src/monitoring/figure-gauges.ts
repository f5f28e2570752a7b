import { Gauge, type Registry } from 'prom-client'
import type { FigureName, Figures } from './figures.ts'

type Shown = {
  count: string
  /** Null where only the number counts. */
  oldest: string | null
  label: 'reader' | 'lane' | null
  what: string
}

/** By which names the figures of the database are told. Each is of the whole product, whichever process tells it. */
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
}

const EVERYWHERE = 'Of the whole database: the same from every process.'

type Shower = { name: FigureName; gauge: Gauge; label: string | null; value: 'count' | 'oldestSeconds' }

/** @returns shows figures from then on; null shows that there are none */
export function showFigures(registry: Registry): (figures: Figures | null) => void {
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

/** A gauge without a label would be 0 again, which says that nothing waits. */
function forget(gauge: Gauge, label: string | null = null): void {
  gauge.reset()
  if (label === null) gauge.remove()
}
