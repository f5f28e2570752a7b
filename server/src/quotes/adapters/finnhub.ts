import { keptText } from '@tradepost/contract/kept-text'
import { checkSymbol, normaliseSymbol } from '@tradepost/contract/symbol'
import Big from 'big.js'
import * as z from 'zod'
import {
  type DailyClose,
  type Listing,
  OddAnswer,
  type PriceProvider,
  type ProviderAnswer,
  type Span,
} from '../provider/provider.ts'
import { getText } from './get-text.ts'

/** Decimal places of a stored price (numeric(18, 6)); screens, records and computations use the same number. */
const PRICE_DECIMALS = 6
const PRICE_LIMIT = 1e12
/** Seconds since 1970. */
const TIME_LIMIT_S = 1e11

/** Thirty thousand symbols take about ten million bytes. */
const LIST_MAX_BYTES = 64 * 1024 * 1024
const LIST_MAX_COUNT = 200_000
/** More than these in one answer are no answer to a search. */
const SEARCH_MAX_RESULTS = 10_000
const NAME_MAX_LENGTH = 60
const FIGI = /^[A-Z0-9]{1,20}$/

/** Statuses that speak of a symbol: beyond the key's plan, or none. */
const NO_SUCH_SYMBOL = [403, 404, 422]

/**
 * `c`: last price, 0 or null for a symbol it does not know; `t`: its time in seconds since 1970; `h`, `l`: high and low of its day;
 * `symbol`: some providers of this wire send it.
 */
const quoteAnswer = z.object({
  c: z.number().nullable(),
  t: z.number().nullish(),
  h: z.number().nullish().catch(null),
  l: z.number().nullish().catch(null),
  symbol: z.string().nullish().catch(null),
})

/** `c`: closes, `t`: instants within their days, in seconds since 1970. */
const candleAnswer = z.union([
  z.object({
    s: z.literal('ok'),
    c: z.array(z.number()),
    t: z.array(z.number().int().min(0).max(TIME_LIMIT_S)),
  }),
  z.object({ s: z.literal('no_data') }),
])

/** `description`: the company's name. Of a share class `symbol` is what a quote is asked with. */
const company = z.object({ symbol: z.string(), description: z.string() })
const searchAnswer = z.object({ result: z.array(company).max(SEARCH_MAX_RESULTS) })

/** `figi`: an empty text where it is not known. One row that is odd costs no other one, and its symbol is listed all the same. */
const listed = z.object({
  symbol: z.string(),
  description: z.string().nullish().catch(null),
  figi: z.string().regex(FIGI).nullish().catch(null),
})
const listAnswer = z.array(listed.nullable().catch(null)).max(LIST_MAX_COUNT)

/**
 * Finnhub's wire (rule G-45), which the sandbox's market speaks too.
 * @param options.base its address
 * @param options.key sent as a header, never logged and never part of an address
 * @param options.clock a quote from its future counts as of now, so that no price stays fresh for ever
 */
export function makeFinnhub(options: { base: string; key: string; clock: { now(): Date } }): PriceProvider {
  const { base, clock, key } = options
  const headers = { 'x-finnhub-token': key, accept: 'application/json' }
  const get = (path: string, signal: AbortSignal, maxBytes?: number) =>
    getText(`${base.replace(/\/+$/, '')}/api/v1/${path}`, headers, { signal, ...(maxBytes && { maxBytes }) })
  return {
    async quote(symbol, signal) {
      const answer = await get(`quote?symbol=${encodeURIComponent(symbol)}`, signal)
      if (typeof answer !== 'string' && NO_SUCH_SYMBOL.includes(answer.status)) return 'unknown symbol'
      return readQuote(textOf(answer), symbol, clock.now())
    },
    async closes(symbol, span, signal) {
      const from = Date.parse(span.from) / 1000
      const to = Date.parse(span.until) / 1000 + 86_399
      const query = `symbol=${encodeURIComponent(symbol)}&resolution=D&from=${from}&to=${to}`
      const answer = await get(`stock/candle?${query}`, signal)
      if (typeof answer !== 'string' && answer.status === 403) return 'no past'
      return readCandles(textOf(answer), span)
    },
    async directory(signal) {
      const answer = await get('stock/symbol?exchange=US', signal, LIST_MAX_BYTES)
      if (typeof answer !== 'string' && NO_SUCH_SYMBOL.includes(answer.status)) return 'no list'
      return readList(textOf(answer))
    },
    async name(symbol, signal) {
      const answer = await get(`search?q=${encodeURIComponent(symbol)}&exchange=US`, signal)
      return readName(textOf(answer), symbol)
    },
  }
}

function textOf(answer: string | { status: number }): string {
  if (typeof answer === 'string') return answer
  throw new OddAnswer(`status ${answer.status}`)
}

/**
 * @param body text of the answer
 * @throws `OddAnswer` when it is no quote of the symbol, or its price is none that anybody could trade at
 */
export function readQuote(body: string, symbol: string, now: Date): ProviderAnswer {
  const parsed = quoteAnswer.safeParse(parseJson(body))
  if (!parsed.success) throw new OddAnswer('the answer is no quote')
  const { c, h, l, symbol: answered, t } = parsed.data
  if (answered && answered !== symbol) throw new OddAnswer('the quote is of another symbol')
  if (c === null || c === 0) return 'unknown symbol'
  const price = readPrice(c)
  if (!t || t < 0) throw new OddAnswer('the price has no time')
  // Milliseconds, for example: counted as of now an old price would be fresh.
  if (t > TIME_LIMIT_S) throw new OddAnswer('the time of the price is absurd')
  const at = new Date(Math.min(t * 1000, now.getTime()))
  return { price, at, high: readBound(h), low: readBound(l) }
}

/** Zeros and prices that nobody could trade at are no bound of a day. */
function readBound(dollars: number | null | undefined): string | null {
  return dollars && dollars > 0 && dollars < PRICE_LIMIT ? new Big(dollars).toFixed() : null
}

/** @returns decimal text of six places at most @throws `OddAnswer` when nobody could trade at it */
function readPrice(dollars: number): string {
  if (dollars < 0 || dollars >= PRICE_LIMIT) throw new OddAnswer('the price is absurd')
  const price = new Big(dollars).round(PRICE_DECIMALS, Big.roundHalfUp)
  if (price.lte(0) || price.gte(PRICE_LIMIT)) throw new OddAnswer('the price is absurd')
  return price.toFixed()
}

function readCandles(body: string, span: Span): DailyClose[] {
  const parsed = candleAnswer.safeParse(parseJson(body))
  if (!parsed.success) throw new OddAnswer('the answer is no list of closes')
  if (parsed.data.s === 'no_data') return []
  const { c, t } = parsed.data
  if (c.length !== t.length) throw new OddAnswer('the answer is no list of closes')
  return t
    .map((second, index) => ({
      day: new Date(second * 1000).toISOString().slice(0, 10),
      close: readPrice(c[index] ?? 0),
    }))
    .filter(({ day }) => day >= span.from && day <= span.until)
}

function readList(body: string): Listing[] {
  const parsed = listAnswer.safeParse(parseJson(body))
  if (!parsed.success) throw new OddAnswer('the answer is no list of symbols')
  const listings = parsed.data.flatMap((row): Listing[] => {
    if (!row || !isTicker(row.symbol)) return []
    return [{ symbol: row.symbol, name: nameIn(row.description), figi: row.figi ?? null }]
  })
  if (listings.length === 0) throw new OddAnswer('the list of symbols is empty')
  return listings
}

/** Symbols in another spelling, or of another shape, are none that anybody can ask with. */
function isTicker(symbol: string): boolean {
  return checkSymbol(symbol) === null && normaliseSymbol(symbol) === symbol
}

function readName(body: string, symbol: string): string | null {
  const parsed = searchAnswer.safeParse(parseJson(body))
  if (!parsed.success) throw new OddAnswer('the answer is no list of symbols')
  const found = parsed.data.result.find((row) => row.symbol === symbol)
  return nameIn(found?.description)
}

/** @returns null for a name of which nothing can be seen */
function nameIn(description: string | null | undefined): string | null {
  const visible = keptText((description ?? '').replaceAll(/[\p{Control}\p{Format}\s]+/gu, ' '))
  return visible.slice(0, NAME_MAX_LENGTH).trim() || null
}

/** @returns null for a text that is no JSON */
function parseJson(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return null
  }
}
