import * as z from 'zod'
import { askTwice, type Provider, StatusRefused } from './ask-provider.ts'
import { parseJson, readPrice } from './finnhub.ts'

/** `day` as `2026-11-18`, of the session in UTC; `close` as decimal text in US dollars. */
export type DailyClose = { day: string; close: string }

const DEADLINE_MS = 10_000

/** `c`: closes, `t`: instants within their days, in seconds since 1970. */
const candleAnswer = z.union([
  z.object({ s: z.literal('ok'), c: z.array(z.number()), t: z.array(z.number().int().min(0).max(1e11)) }),
  z.object({ s: z.literal('no_data') }),
])

/**
 * GET /api/v1/stock/candle by days, with one retry after a short pause.
 * @param span.from first day, as `2026-11-18`
 * @param span.until last day; ask for a year at most, the answer's size is limited
 * @returns `no past` where the key may not ask for it; days without a session are not among the closes
 * @throws when there is no usable answer in time
 */
export async function askDailyCloses(
  provider: Provider,
  symbol: string,
  span: { from: string; until: string },
): Promise<DailyClose[] | 'no past'> {
  const from = Date.parse(span.from) / 1000
  const to = Date.parse(span.until) / 1000 + 86_399
  const query = `symbol=${encodeURIComponent(symbol)}&resolution=D&from=${from}&to=${to}`
  try {
    return readCandles(await askTwice(provider, `stock/candle?${query}`, DEADLINE_MS), span)
  } catch (error) {
    if (error instanceof StatusRefused && error.status === 403) return 'no past'
    throw error
  }
}

function readCandles(body: string, span: { from: string; until: string }): DailyClose[] {
  const parsed = candleAnswer.safeParse(parseJson(body))
  if (!parsed.success) throw new Error('the answer is no list of closes')
  if (parsed.data.s === 'no_data') return []
  const { c, t } = parsed.data
  if (c.length !== t.length) throw new Error('the answer is no list of closes')
  return t
    .map((second, index) => ({
      day: new Date(second * 1000).toISOString().slice(0, 10),
      close: readPrice(c[index] ?? 0),
    }))
    .filter(({ day }) => day >= span.from && day <= span.until)
}
