import { keptText } from '@tradepost/contract/kept-text'
import { checkSymbol } from '@tradepost/contract/symbol'
import { type FoundSymbol, SYMBOLS_MAX_COUNT } from '@tradepost/contract/symbols'
import Big from 'big.js'
import * as z from 'zod'
import { askOnce, askTwice, type Provider } from './ask-provider.ts'

/** A price as quoted: decimal text in US dollars, six places at most, and the instant of its last trade; high and low of its day where they are told. */
export type Quote = { price: string; at: Date; high: string | null; low: string | null }

/** What the provider says of a symbol. */
export type ProviderAnswer = Quote | 'unknown symbol'

/** A request must be answered in 5 s whatever the provider does; suggestions that come later help nobody. */
const DEADLINE_MS = 5000
const SEARCH_DEADLINE_MS = 2000

/** Decimal places of a stored price (numeric(18, 6)); what is shown, recorded and computed with is the same number. */
const PRICE_DECIMALS = 6
const PRICE_LIMIT = 1e12

/** More than these in one answer are no answer to a search. */
const SEARCH_MAX_RESULTS = 10_000
const NAME_MAX_LENGTH = 60

/** `c`: last price, 0 or null for a symbol it does not know; `t`: its time in seconds since 1970; `h`, `l`: high and low of its day. */
const quoteAnswer = z.object({
  c: z.number().nullable(),
  t: z.number().nullish(),
  h: z.number().nullish().catch(null),
  l: z.number().nullish().catch(null),
})

/** `description`: the company's name. Of a share class `symbol` is what a quote is asked with. */
const searchAnswer = z.object({
  result: z.array(z.object({ symbol: z.string(), description: z.string() })).max(SEARCH_MAX_RESULTS),
})

/**
 * GET /api/v1/quote with one retry after a short pause.
 * @param provider.clock a quote from its future counts as of now, so that no price stays fresh for ever
 * @param deadlineMs for both tries together
 * @throws when there is no usable answer in time
 */
export async function askQuote(
  provider: Provider,
  symbol: string,
  deadlineMs: number = DEADLINE_MS,
): Promise<ProviderAnswer> {
  const body = await askTwice(provider, `quote?symbol=${encodeURIComponent(symbol)}`, deadlineMs)
  return readQuote(body, provider.clock.now())
}

/** As `askQuote`, with one try, for those that count what they ask. @param signal ends it */
export async function askQuoteOnce(
  provider: Provider,
  symbol: string,
  signal: AbortSignal,
): Promise<ProviderAnswer> {
  const until = AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)])
  const body = await askOnce(provider, `quote?symbol=${encodeURIComponent(symbol)}`, until)
  return readQuote(body, provider.clock.now())
}

/**
 * GET /api/v1/search, of stocks and funds at exchanges in the US, with one retry after a short pause.
 * @returns those that a price can be asked for, in the provider's order
 * @throws when there is no usable answer in time
 */
export async function askSymbols(provider: Provider, query: string): Promise<FoundSymbol[]> {
  const path = `search?q=${encodeURIComponent(query)}&exchange=US`
  return readSymbols(await askTwice(provider, path, SEARCH_DEADLINE_MS))
}

/**
 * @param body text of the answer
 * @throws when it is no quote, or its price is none that anybody could trade at
 */
export function readQuote(body: string, now: Date): ProviderAnswer {
  const parsed = quoteAnswer.safeParse(parseJson(body))
  if (!parsed.success) throw new Error('the answer is no quote')
  const { c, h, l, t } = parsed.data
  if (c === null || c === 0) return 'unknown symbol'
  const price = readPrice(c)
  if (!t || t < 0 || t > Number.MAX_SAFE_INTEGER / 1000) throw new Error('the price has no time')
  const at = new Date(Math.min(t * 1000, now.getTime()))
  return { price, at, high: readBound(h), low: readBound(l) }
}

/** Zeros and what nobody could trade at say nothing of a day. */
function readBound(dollars: number | null | undefined): string | null {
  return dollars && dollars > 0 && dollars < PRICE_LIMIT ? new Big(dollars).toFixed() : null
}

/** @returns decimal text of six places at most @throws when nobody could trade at it */
export function readPrice(dollars: number): string {
  if (dollars < 0 || dollars >= PRICE_LIMIT) throw new Error('the price is absurd')
  const price = new Big(dollars).round(PRICE_DECIMALS, Big.roundHalfUp)
  if (price.lte(0) || price.gte(PRICE_LIMIT)) throw new Error('the price is absurd')
  return price.toFixed()
}

/**
 * @param body text of the answer
 * @throws when it is no list of symbols
 */
function readSymbols(body: string): FoundSymbol[] {
  const parsed = searchAnswer.safeParse(parseJson(body))
  if (!parsed.success) throw new Error('the answer is no list of symbols')
  return parsed.data.result
    .map(({ symbol, description }) => ({ symbol, name: keptText(description).slice(0, NAME_MAX_LENGTH) }))
    .filter(({ symbol, name }) => checkSymbol(symbol) === null && name !== '')
    .slice(0, SYMBOLS_MAX_COUNT)
}

/** @returns null for what is no JSON */
export function parseJson(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return null
  }
}
