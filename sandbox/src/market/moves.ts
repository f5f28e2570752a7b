import type { FastifyInstance, FastifyRequest } from 'fastify'
import qs from 'qs'
import type { Clock } from '../clock.ts'
import { sendPage } from '../page.ts'
import { type Exchange, Refused } from './exchange.ts'
import { marketPage } from './market-page.ts'
import { RANGES, type Range } from './quote.ts'

const PROPERTIES = {
  symbol: { type: 'string', minLength: 1, maxLength: 20 },
  price: { type: 'number', exclusiveMinimum: 0 },
  seconds: { type: 'integer', minimum: 1, maximum: 86_400 },
  range: { enum: RANGES, default: 'outside' },
  ratio: { type: 'string', pattern: '^[1-9][0-9]{0,4}:[1-9][0-9]{0,4}$' },
  to: { type: 'string', minLength: 1, maxLength: 20 },
  name: { type: 'string', pattern: '\\S', maxLength: 100 },
}

type Order = {
  symbol: string
  price: number
  seconds: number
  range: Range
  ratio: string
  to: string
  name: string
}
/** `run` gets its parameters read and valid, and returns a sentence about the result. */
type Move = { needs: readonly (keyof Order)[]; run(exchange: Exchange, order: Order, now: Date): string }

const MOVES = {
  halt: {
    needs: ['symbol'],
    run(exchange, { symbol }, now) {
      exchange.halt(symbol, now)
      return `${symbol} is halted.`
    },
  },
  resume: {
    needs: ['symbol'],
    run(exchange, { symbol }) {
      exchange.resume(symbol)
      return `${symbol} trades.`
    },
  },
  glitch: {
    needs: ['symbol', 'price', 'seconds', 'range'],
    run(exchange, order, now) {
      exchange.glitch(order.symbol, order, now)
      return `${order.symbol} is quoted at ${order.price} for ${order.seconds} seconds.`
    },
  },
  split: {
    needs: ['symbol', 'ratio'],
    run(exchange, { ratio, symbol }, now) {
      const [newShares = 1, oldShares = 1] = ratio.split(':').map(Number)
      exchange.split(symbol, { newShares, oldShares }, now)
      return `${symbol} is split ${ratio}.`
    },
  },
  rename: {
    needs: ['symbol', 'to'],
    run(exchange, { symbol, to }, now) {
      exchange.rename(symbol, to, now)
      return `${symbol} trades as ${to}.`
    },
  },
  delist: {
    needs: ['symbol'],
    run(exchange, { symbol }) {
      exchange.delist(symbol)
      return `${symbol} is delisted.`
    },
  },
  list: {
    needs: ['symbol', 'name', 'price'],
    run(exchange, order, now) {
      exchange.list(order.symbol, order, now)
      return `${order.name} is listed as ${order.symbol}.`
    },
  },
  free: {
    needs: ['symbol'],
    run(exchange, { symbol }) {
      exchange.free(symbol)
      return `${symbol} is as simulated again.`
    },
  },
} satisfies Record<string, Move>

/** Moves of prices and of the list, as calls for tests and as forms for people. */
export function serveMoves(scope: FastifyInstance, exchange: Exchange, clock: Clock): void {
  scope.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => done(null, qs.parse(String(body), { depth: 0 })),
  )
  for (const name of ['halt', 'glitch', 'split', 'rename', 'delist', 'list'] as const)
    scope.put<{ Body: Order }>(
      `/api/v1/sandbox/${name}`,
      { schema: { body: schemaOf(MOVES[name]) } },
      (request, reply) => reply.send({ done: MOVES[name].run(exchange, request.body, clock.now()) }),
    )
  scope.delete<{ Querystring: Order }>(
    '/api/v1/sandbox/halt',
    { schema: { querystring: schemaOf(MOVES.resume) } },
    (request, reply) => {
      MOVES.resume.run(exchange, request.query)
      return reply.code(204).send()
    },
  )
  scope.get<{ Querystring: { done?: string; failed?: string } }>('/market', (request, reply) =>
    sendPage(reply, marketPage(exchange, clock.now(), request.query)),
  )
  for (const [name, move] of Object.entries<Move>(MOVES))
    serveForm(scope, { name, move }, (order) => move.run(exchange, order, clock.now()))
}

function schemaOf({ needs }: Move): object {
  return {
    type: 'object',
    required: needs.filter((name) => !('default' in PROPERTIES[name])),
    properties: Object.fromEntries(needs.map((name) => [name, PROPERTIES[name]])),
  }
}

function serveForm(
  scope: FastifyInstance,
  { move, name }: { move: Move; name: string },
  run: (order: Order) => string,
): void {
  const options = { attachValidation: true, schema: { body: schemaOf(move) }, preValidation: readSymbols }
  scope.post<{ Body: Order }>(`/market/${name}`, options, (request, reply) => {
    if (!isFromHere(request)) return reply.code(403).send({ error: 'This form is on another page.' })
    const { failed, words } = request.validationError
      ? { failed: true, words: `That cannot be: ${request.validationError.message}.` }
      : attempt(() => run(request.body))
    return reply.redirect(`/market?${failed ? 'failed' : 'done'}=${encodeURIComponent(words)}`, 303)
  })
}

/** People type tickers in any case. */
async function readSymbols({ body }: FastifyRequest): Promise<void> {
  const form = body as Partial<Record<string, unknown>> | null
  for (const field of ['symbol', 'to']) {
    const typed = form?.[field]
    if (form && typeof typed === 'string') form[field] = typed.trim().toUpperCase()
  }
}

/** Browsers send the origin of a form, so that no other website moves the market. */
function isFromHere({ headers }: FastifyRequest): boolean {
  return ['same-origin', undefined].includes(headers['sec-fetch-site'] as string | undefined)
}

function attempt(run: () => string): { failed: boolean; words: string } {
  try {
    return { failed: false, words: run() }
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    return { failed: true, words: error.message }
  }
}
