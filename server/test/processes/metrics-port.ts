import { serveMetrics } from '../../src/monitoring/serve-metrics.ts'
import type { TestApp } from '../build-test-app.ts'
import { silentLog } from '../database/database.ts'

/** The metrics that the process of a test exposes for Prometheus, read over HTTP. */
export type MetricsPort = AsyncDisposable & {
  port: number
  scrape(): Promise<string>
  /** The value of a series now; null where it is absent. @param series as it is written, with its labels */
  read(series: string): Promise<number | null>
  /** By how much series grow while something happens: other tests of the process have counted too. */
  growth(happens: () => Promise<unknown>, ...series: string[]): Promise<number[]>
  /** @returns of a counter by how much each of its series that grew has grown since, by its labels */
  since(before: string, counter: string): Promise<Record<string, number>>
}

export async function openMetricsPort(
  app: Pick<TestApp, 'clock' | 'product' | 'url'>,
  databaseUrl = app.url,
): Promise<MetricsPort> {
  const { clock, product } = app
  const metrics = await serveMetrics(
    { pool: product.pool, databaseUrl, clock, log: silentLog },
    { host: '127.0.0.1', port: 0 },
  )
  const scrape = async () => {
    const answer = await fetch(`http://127.0.0.1:${metrics.port}/metrics`)
    if (answer.status !== 200) throw new Error(`answered ${answer.status}`)
    return answer.text()
  }
  return {
    port: metrics.port,
    scrape,
    read: async (series) => valueIn(await scrape(), series),
    async growth(happens, ...series) {
      const before = await scrape()
      await happens()
      const after = await scrape()
      return series.map((each) => (valueIn(after, each) ?? 0) - (valueIn(before, each) ?? 0))
    },
    async since(before, counter) {
      const after = await scrape()
      const series = after.match(new RegExp(`^${counter}\\{[^}]*\\}`, 'gm')) ?? []
      const grown = series.map((each) => [
        each.slice(counter.length),
        (valueIn(after, each) ?? 0) - (valueIn(before, each) ?? 0),
      ])
      return Object.fromEntries(grown.filter(([, by]) => by !== 0)) as Record<string, number>
    },
    [Symbol.asyncDispose]: () => metrics.close(),
  }
}

/** The value of a series in a text; null where it is absent. */
export function valueIn(text: string, series: string): number | null {
  const line = text.split('\n').find((each) => each.startsWith(`${series} `))
  return line === undefined ? null : Number(line.slice(series.length + 1))
}
