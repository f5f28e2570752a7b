import { setTimeout as pause } from 'node:timers/promises'
import { keptText } from '@tradepost/contract/kept-text'
import { checkSymbol } from '@tradepost/contract/symbol'
import { type FoundSymbol, SYMBOLS_MAX_COUNT } from '@tradepost/contract/symbols'
import Big from 'big.js'
import * as z from 'zod'

/** A price as quoted: decimal text in US dollars, six places at most, and the instant of its last trade. */
export type Quote = { price: string; at: Date }

/** What the provider says of a symbol. */
export type ProviderAnswer = Quote | 'unknown symbol'

/** A request must be answered in 5 s whatever the provider does; suggestions that come later help nobody. */
const DEADLINE_MS = 5000
const SEARCH_DEADLINE_MS = 2000
const BACK_OFF_MS = 150
const ANSWER_MAX_BYTES = 64 * 1024

/** Decimal places of a stored price (numeric(18, 6)); what is shown, recorded and computed with is the same number. */
const PRICE_DECIMALS = 6
const PRICE_LIMIT = 1e12

/** More than these in one answer are no answer to a search. */
const SEARCH_MAX_RESULTS = 10_000
const NAME_MAX_LENGTH = 60

/** `c`: last price, 0 or null for a symbol it does not know; `t`: its time in seconds since 1970. */
const quoteAnswer = z.object({ c: z.number().nullable(), t: z.number().nullish() })

/** `description`: the company's name. Of a share class `symbol` is what a quote is asked with. */
const searchAnswer = z.object({
  result: z.array(z.object({ symbol: z.string(), description: z.string() })).max(SEARCH_MAX_RESULTS),
})

/** A failure that asking again at once may cure. Messages are written here and quote nothing that was received. */
class PassingFailure extends Error {}

type Provider = { base: string; key: string; clock: { now(): Date } }

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

/**
 * GET /api/v1/search, of stocks and funds at exchanges in the US, with one retry after a short pause.
 * @returns those that a price can be asked for, in the provider's order
 * @throws when there is no usable answer in time
 */
export async function askSymbols(provider: Provider, query: string): Promise<FoundSymbol[]> {
  const path = `search?q=${encodeURIComponent(query)}&exchange=US`
  return readSymbols(await askTwice(provider, path, SEARCH_DEADLINE_MS))
}

async function askTwice(provider: Provider, path: string, deadlineMs: number): Promise<string> {
  const deadline = AbortSignal.timeout(deadlineMs)
  const ask = () => askOnce(provider, path, deadline)
  return ask().catch(async (error: unknown) => {
    if (!(error instanceof PassingFailure) || deadline.aborted) throw error
    await pause(BACK_OFF_MS * (1 + Math.random()))
    return ask()
  })
}

async function askOnce(provider: Provider, path: string, signal: AbortSignal): Promise<string> {
  const url = `${provider.base.replace(/\/+$/, '')}/api/v1/${path}`
  let response: Response
  try {
    response = await fetch(url, {
      headers: { 'x-finnhub-token': provider.key, accept: 'application/json' },
      // A redirect would carry the key to another host.
      redirect: 'error',
      signal,
    })
  } catch {
    throw new PassingFailure(signal.aborted ? 'no answer in time' : 'no connection')
  }
  if (response.status >= 500) {
    await response.body?.cancel()
    throw new PassingFailure(`status ${response.status}`)
  }
  if (!response.ok) {
    await response.body?.cancel()
    throw new Error(`status ${response.status}`)
  }
  return readText(response, signal)
}

async function readText(response: Response, signal: AbortSignal): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  try {
    for await (const chunk of response.body ?? []) {
      size += chunk.length
      if (size > ANSWER_MAX_BYTES) break
      text += decoder.decode(chunk, { stream: true })
    }
  } catch {
    throw new PassingFailure(signal.aborted ? 'no answer in time' : 'the answer broke off')
  }
  if (size > ANSWER_MAX_BYTES) throw new Error('the answer is too long')
  return text
}

/**
 * @param body text of the answer
 * @throws when it is no quote, or its price is none that anybody could trade at
 */
export function readQuote(body: string, now: Date): ProviderAnswer {
  const parsed = quoteAnswer.safeParse(parseJson(body))
  if (!parsed.success) throw new Error('the answer is no quote')
  const { c, t } = parsed.data
  if (c === null || c === 0) return 'unknown symbol'
  if (c < 0 || c >= PRICE_LIMIT) throw new Error('the price is absurd')
  const price = new Big(c).round(PRICE_DECIMALS, Big.roundHalfUp)
  if (price.lte(0) || price.gte(PRICE_LIMIT)) throw new Error('the price is absurd')
  if (!t || t < 0 || t > Number.MAX_SAFE_INTEGER / 1000) throw new Error('the price has no time')
  return { price: price.toFixed(), at: new Date(Math.min(t * 1000, now.getTime())) }
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

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return null
  }
}
