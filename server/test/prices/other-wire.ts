/**
 * A provider of prices whose wire is unlike Finnhub's, and its adapter: everything is asked by POST at one address with a bearer key, and
 * answered with status 200, errors too. Prices are texts in a currency, times are ISO texts, the class of a share stands behind a hyphen,
 * and the list comes in pages. The product is run over it to see that its port takes any wire (ADR 0081).
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { checkSymbol, normaliseSymbol } from '@tradepost/contract/symbol'
import Big from 'big.js'
import * as z from 'zod'
import {
  type Listing,
  OddAnswer,
  type PriceProvider,
  ProviderFault,
} from '../../src/quotes/provider/provider.ts'

type Question =
  | { about: 'price' | 'company'; share: string }
  | { about: 'days'; share: string; from: string; until: string }
  | { about: 'shares'; after: string | null }

/** `last` and the bounds of `range` as `187.52 USD`; `traded` as `2026-03-04T15:00:00.000Z`. */
const priceAnswer = z.object({
  share: z.string(),
  last: z.string(),
  traded: z.iso.datetime(),
  range: z.object({ low: z.string(), high: z.string() }).nullish(),
})
const daysAnswer = z.object({ days: z.array(z.object({ session: z.iso.date(), settled: z.string() })) })
const sharesAnswer = z.object({
  shares: z.array(z.object({ share: z.string(), company: z.string() })),
  after: z.string().nullable(),
})
const companyAnswer = z.object({ company: z.string() })
const errorAnswer = z.object({ error: z.string() })

const PAGES_AT_MOST = 100
const DOLLARS = /^(\d{1,12}(?:\.\d{1,12})?) USD$/

/** The adapter. @param options.clock a price from its future counts as of now */
export function makeOtherWire(options: { base: string; key: string; clock: { now(): Date } }): PriceProvider {
  const ask = (question: Question, signal: AbortSignal) => askWire(options, question, signal)
  return {
    async quote(symbol, signal) {
      const answer = await ask({ about: 'price', share: shareOf(symbol) }, signal)
      if ('refused' in answer) return 'unknown symbol'
      const { last, range, share, traded } = parsed(priceAnswer, answer.content)
      if (share !== shareOf(symbol)) throw new OddAnswer('the price is of another share')
      const at = new Date(Math.min(Date.parse(traded), options.clock.now().getTime()))
      return {
        price: dollarsOf(last),
        at,
        high: range ? dollarsOf(range.high) : null,
        low: range ? dollarsOf(range.low) : null,
      }
    },
    async closes(symbol, span, signal) {
      const answer = await ask({ about: 'days', share: shareOf(symbol), ...span }, signal)
      if ('refused' in answer) return answer.refused === 'NOT_IN_PLAN' ? 'no past' : []
      const { days } = parsed(daysAnswer, answer.content)
      return days.map(({ session, settled }) => ({ day: session, close: dollarsOf(settled) }))
    },
    async directory(signal) {
      const listings: Listing[] = []
      for (let page = 0, after: string | null = null; page < PAGES_AT_MOST; page += 1) {
        const answer = await ask({ about: 'shares', after }, signal)
        if ('refused' in answer) return 'no list'
        const content: z.infer<typeof sharesAnswer> = parsed(sharesAnswer, answer.content)
        listings.push(...content.shares.flatMap(listingOf))
        if (content.after === null) return listings
        after = content.after
      }
      throw new OddAnswer('the list has no end')
    },
    async name(symbol, signal) {
      const answer = await ask({ about: 'company', share: shareOf(symbol) }, signal)
      return 'refused' in answer ? null : parsed(companyAnswer, answer.content).company
    },
  }
}

/** One call. `refused`: the provider does not know the share, or does not answer about it to this key. */
async function askWire(
  { base, key }: { base: string; key: string },
  question: Question,
  signal: AbortSignal,
): Promise<{ content: unknown } | { refused: 'NOT_FOUND' | 'NOT_IN_PLAN' }> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const sent = { method: 'POST', body: JSON.stringify(question), headers, signal }
  const lost = (everybodys: boolean) =>
    signal.aborted
      ? new ProviderFault('no answer in time', { passing: true, everybodys: false })
      : new ProviderFault('the connection broke', { passing: true, everybodys })
  // A redirect that is followed would carry the key to another host.
  const response = await fetch(`${base}/ask`, { ...sent, redirect: 'manual' }).catch(() => {
    throw lost(true)
  })
  const body = await response.text().catch(() => {
    throw lost(false)
  })
  if (response.status >= 500) throw new ProviderFault('it is broken', { passing: true, everybodys: false })
  if (!response.ok) throw new OddAnswer('a status that this wire has not')
  return judge(parseJson(body))
}

function judge(content: unknown): { content: unknown } | { refused: 'NOT_FOUND' | 'NOT_IN_PLAN' } {
  const { data } = errorAnswer.safeParse(content)
  switch (data?.error) {
    case undefined:
      return { content }
    case 'NOT_FOUND':
    case 'NOT_IN_PLAN':
      return { refused: data.error }
    case 'TOO_MANY':
    case 'BAD_KEY':
      throw new ProviderFault('it refuses the key', { passing: false, everybodys: true })
    case 'BUSY':
      throw new ProviderFault('it is busy', { passing: true, everybodys: false })
    default:
      throw new OddAnswer('an error that this wire has not')
  }
}

function parsed<Schema extends z.ZodType>(schema: Schema, content: unknown): z.infer<Schema> {
  const { data, success } = schema.safeParse(content)
  if (!success) throw new OddAnswer('the answer is none to the question')
  return data
}

/** @returns decimal text of six places at most */
function dollarsOf(money: string): string {
  const dollars = new Big(DOLLARS.exec(money)?.[1] ?? 0).round(6, Big.roundHalfUp)
  if (dollars.lte(0)) throw new OddAnswer('the price is none in dollars')
  return dollars.toFixed()
}

/** `BRK.B` as this wire spells it, `BRK-B`. */
function shareOf(symbol: string): string {
  return symbol.replace('.', '-')
}

/** @returns nothing for a share that nobody can ask with */
function listingOf({ company, share }: { share: string; company: string }): Listing[] {
  const symbol = normaliseSymbol(share)
  if (checkSymbol(symbol) !== null || shareOf(symbol) !== share || company === '') return []
  return [{ symbol, name: company, figi: null }]
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return null
  }
}

type Behaviour = object | ((response: ServerResponse) => void)

/** The provider, over real HTTP. It does not know anything that was not set. */
export type OtherWire = AsyncDisposable & {
  provider: { base: string; key: string }
  /** Its answer to a question: an object as JSON. */
  set(about: Question['about'], share: string, behaviour: Behaviour): void
  /** Its answer to every question; null: as it was set. */
  setAll(behaviour: Behaviour | null): void
  /** All questions, in order; of a list each page. */
  asked: Question[]
}

export async function startOtherWire(): Promise<OtherWire> {
  const behaviours = new Map<string, Behaviour>()
  const asked: Question[] = []
  const key = 'the-key-of-the-other-wire'
  let toAll: Behaviour | null = null
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    if (request.method !== 'POST' || request.url !== '/ask') return response.writeHead(404).end()
    const question = JSON.parse(await text(request)) as Question
    asked.push(question)
    const about = 'share' in question ? question.share : (question.after ?? '')
    const known = behaviours.get(`${question.about} ${about}`) ?? { error: 'NOT_FOUND' }
    const has = request.headers.authorization === `Bearer ${key}`
    const behaviour = has ? (toAll ?? known) : { error: 'BAD_KEY' }
    if (typeof behaviour === 'function') return behaviour(response)
    return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(behaviour))
  }
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    provider: { base: `http://127.0.0.1:${port}`, key },
    set: (about, share, behaviour) => behaviours.set(`${about} ${share}`, behaviour),
    setAll(behaviour) {
      toAll = behaviour
    },
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
