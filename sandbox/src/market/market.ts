import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sendPage } from '../page.ts'
import type { Part } from '../part.ts'
import { type Exchange, makeExchange } from './exchange.ts'
import { marketPage } from './market-page.ts'
import { searchTickers } from './search.ts'
import { TICKERS } from './tickers.ts'

const FAULTS = ['none', 'error', 'hang', 'stale'] as const
type Fault = (typeof FAULTS)[number]

/** Finnhub's quote call over a simulated market, and a few extra calls with which tests move it. */
export const startMarket: Part = async (app, { clock }) => {
  const exchange = makeExchange()
  let fault: Fault = 'none'
  app.get<{ Querystring: Record<string, unknown> }>('/api/v1/quote', (request, reply) => {
    if (fault === 'hang') return reply.hijack()
    if (fault === 'error') return reply.code(500).send({ error: 'The sandbox market was told to fail.' })
    if (!keyOf(request)) return reply.code(401).send({ error: 'Please use an API key.' })
    const { symbol } = request.query
    if (typeof symbol !== 'string' || !symbol)
      return reply.code(422).send({ error: 'Missing parameter: symbol.' })
    return reply.send(exchange.quote(symbol, clock.now()))
  })
  app.get<{ Querystring: Record<string, unknown> }>('/api/v1/search', (request, reply) => {
    if (fault === 'hang') return reply.hijack()
    if (fault === 'error') return reply.code(500).send({ error: 'The sandbox market was told to fail.' })
    if (!keyOf(request)) return reply.code(401).send({ error: 'Please use an API key.' })
    const { q } = request.query
    if (typeof q !== 'string' || !q) return reply.code(422).send({ error: 'Missing parameter: q.' })
    return reply.send(searchTickers(q))
  })
  app.put<{ Body: { mode: Fault } }>(
    '/api/v1/sandbox/fault',
    { schema: { body: { type: 'object', required: ['mode'], properties: { mode: { enum: FAULTS } } } } },
    (request, reply) => {
      fault = request.body.mode
      exchange.setStale(fault === 'stale')
      return reply.send({ mode: fault })
    },
  )
  serveFixedPrices(app, exchange)
  app.get('/market', (_request, reply) => sendPage(reply, marketPage(exchange, clock.now())))
  return {
    card: {
      title: 'Market',
      summary: `Quotes ${TICKERS.length} United States tickers as Finnhub does. The prices are simulated, move every second, around the clock, and are the same for everybody.`,
      links: [
        { href: '/market', text: 'See the prices' },
        { href: '/api/v1/quote?symbol=AAPL&token=sandbox', text: 'A quote as JSON' },
      ],
    },
  }
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
