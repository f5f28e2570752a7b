import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Part } from '../part.ts'
import { RESOLUTIONS, type Resolution } from './candles.ts'
import { type Exchange, makeExchange } from './exchange.ts'
import { serveMoves } from './moves.ts'
import { searchTickers } from './search.ts'
import { listSymbols } from './symbol-list.ts'
import { TICKERS } from './tickers.ts'

const FAULTS = ['none', 'error', 'hang', 'stale', 'no-past', 'no-list', 'half-list'] as const
type Fault = (typeof FAULTS)[number]

/** Finnhub's calls for quotes, symbols and the past over a simulated market, and a few extra calls with which tests move it. */
export const startMarket: Part = async (app, { clock }) => {
  const exchange = makeExchange()
  const state: State = { fault: 'none', asked: { quote: 0, search: 0, candle: 0, list: 0 } }
  serveCall(app, state, { name: 'quote', path: '/api/v1/quote', wants: ['symbol'] }, ({ symbol = '' }) =>
    exchange.quote(symbol, clock.now()),
  )
  serveCall(app, state, { name: 'search', path: '/api/v1/search', wants: ['q'] }, ({ q = '' }) =>
    searchTickers(exchange.listed(), q),
  )
  serveList(app, state, exchange)
  servePast(app, state, exchange, () => clock.now())
  app.put<{ Body: { mode: Fault } }>(
    '/api/v1/sandbox/fault',
    { schema: { body: { type: 'object', required: ['mode'], properties: { mode: { enum: FAULTS } } } } },
    (request, reply) => {
      state.fault = request.body.mode
      exchange.setStale(state.fault === 'stale')
      return reply.send({ mode: state.fault })
    },
  )
  app.get('/api/v1/sandbox/asked', (_request, reply) => reply.send(state.asked))
  serveFixedPrices(app, exchange)
  await app.register(async (scope) => serveMoves(scope, exchange, clock))
  return {
    card: {
      title: 'Market',
      summary: `Quotes ${TICKERS.length} United States tickers as Finnhub does. The prices are simulated, move every second, around the clock, and are the same for everybody.`,
      links: [
        { href: '/market', text: 'See and move the prices' },
        { href: '/api/v1/quote?symbol=AAPL&token=sandbox', text: 'A quote as JSON' },
      ],
    },
  }
}

/** The fault that tests have set, and how often each call was asked, refused or not. */
type State = { fault: Fault; asked: Record<'quote' | 'search' | 'candle' | 'list', number> }
type Call = { name: keyof State['asked']; path: string; wants: readonly string[] }
type Query = Partial<Record<string, string>>

/** Serves a call of Finnhub's with its refusals: the fault that was ordered, no key, a parameter that is missing. */
function serveCall(
  app: FastifyInstance,
  state: State,
  { name, path, wants }: Call,
  answer: (query: Query, reply: FastifyReply) => object,
): void {
  app.get<{ Querystring: Record<string, unknown> }>(path, (request, reply) => {
    state.asked[name] += 1
    if (state.fault === 'hang') return reply.hijack()
    if (state.fault === 'error')
      return reply.code(500).send({ error: 'The sandbox market was told to fail.' })
    if (!keyOf(request)) return reply.code(401).send({ error: 'Please use an API key.' })
    const query: Query = {}
    for (const parameter of wants) {
      const value = request.query[parameter]
      if (typeof value !== 'string' || !value)
        return reply.code(422).send({ error: `Missing parameter: ${parameter}.` })
      query[parameter] = value
    }
    return reply.send(answer(query, reply))
  })
}

function servePast(app: FastifyInstance, state: State, exchange: Exchange, now: () => Date): void {
  const wants = ['symbol', 'resolution', 'from', 'to']
  serveCall(app, state, { name: 'candle', path: '/api/v1/stock/candle', wants }, (query, reply) => {
    if (state.fault === 'no-past') return refuseAccess(reply)
    const resolution = RESOLUTIONS.find((known): known is Resolution => known === query.resolution)
    const span = { from: Number(query.from), to: Number(query.to) }
    if (!resolution || !Number.isInteger(span.from) || !Number.isInteger(span.to)) {
      reply.code(422)
      return { error: 'Invalid parameter.' }
    }
    return exchange.candles(query.symbol ?? '', resolution, span, now())
  })
}

function serveList(app: FastifyInstance, state: State, exchange: Exchange): void {
  const call: Call = { name: 'list', path: '/api/v1/stock/symbol', wants: ['exchange'] }
  serveCall(app, state, call, (query, reply) => {
    if (state.fault === 'no-list') return refuseAccess(reply)
    const list = query.exchange === 'US' ? listSymbols(exchange.listed()) : []
    return state.fault === 'half-list' ? list.filter((_, index) => index % 2 === 0) : list
  })
}

/** As Finnhub answers a key that has not paid for a call. */
function refuseAccess(reply: FastifyReply): object {
  reply.code(403)
  return { error: "You don't have access to this resource." }
}

/** Any key will do, but there must be one, in one of the two places where Finnhub looks. */
function keyOf(request: FastifyRequest<{ Querystring: Record<string, unknown> }>): unknown {
  return request.headers['x-finnhub-token'] || request.query.token
}

type Fix = { symbol: string; price: number; at?: unknown }

const FIX = {
  type: 'object',
  required: ['symbol', 'price'],
  properties: {
    symbol: { type: 'string', minLength: 1, maxLength: 20 },
    price: { type: 'number', exclusiveMinimum: 0 },
  },
}

function serveFixedPrices(app: FastifyInstance, exchange: Exchange): void {
  app.put<{ Body: Fix }>('/api/v1/sandbox/quote', { schema: { body: FIX } }, (request, reply) => {
    const { symbol, price, at = null } = request.body
    const instant = at === null ? null : readInstant(at)
    if (instant && Number.isNaN(instant.getTime())) return refuseInstant(reply)
    exchange.fix(symbol, price, instant)
    return reply.send({ symbol, price, at: instant?.toISOString() ?? null })
  })
  app.delete<{ Querystring: { symbol?: string } }>('/api/v1/sandbox/quote', (request, reply) => {
    exchange.free(request.query.symbol ?? null)
    return reply.code(204).send()
  })
}

/** Unix seconds, as in `t` of a quote, or ISO 8601. */
function readInstant(at: unknown): Date {
  return new Date(typeof at === 'number' ? at * 1000 : String(at))
}

function refuseInstant(reply: FastifyReply): FastifyReply {
  return reply.code(400).send({ error: 'at must be Unix seconds or an ISO 8601 instant.' })
}
