import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The provider's answer for one symbol. */
export type QuoteBehaviour = { price: number; at: Date } | ((response: ServerResponse) => void)

/** The price provider as tests need it: Finnhub's wire over real HTTP, prices and failures set by the test. */
export type QuoteServer = AsyncDisposable & {
  provider: { base: string; key: string }
  /** Leaps with every look, so that what one test was refused is not remembered for the next while the app's clock stands still. */
  clock: { now(): Date }
  set(symbol: string, behaviour: QuoteBehaviour): void
  /** Sets the answer to any search for symbols. */
  setSearch(behaviour: (response: ServerResponse) => void): void
  /** The texts that were searched for, in order. */
  searched: string[]
  /** Sets its answer to a request for its list of symbols; until then a 403, as of a provider without a list. */
  setList(behaviour: (response: ServerResponse) => void): void
  /** How often its list was asked for. */
  readonly listed: number
  /** The requests for quotes, in order. */
  asked: { symbol: string; url: string; key: string | undefined }[]
  close(): Promise<void>
}

export async function startQuoteServer(): Promise<QuoteServer> {
  const behaviours = new Map<string, QuoteBehaviour>()
  const asked: QuoteServer['asked'] = []
  const key = 'the-key-of-the-quote-server'
  const searched: string[] = []
  let search: (response: ServerResponse) => void = (response) => response.end('{"count":0,"result":[]}')
  let listed = 0
  let list: (response: ServerResponse) => void = refuseAccess
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
    if (pathname === '/api/v1/search') {
      searched.push(searchParams.get('q') ?? '')
      return search(response)
    }
    if (pathname === '/api/v1/stock/symbol') {
      listed += 1
      return list(response)
    }
    const symbol = searchParams.get('symbol') ?? ''
    asked.push({ symbol, url: request.url ?? '', key: headerOf(request, 'x-finnhub-token') })
    const behaviour = behaviours.get(symbol)
    if (typeof behaviour === 'function') behaviour(response)
    else answerQuote(response, behaviour)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  const provider = { base: `http://127.0.0.1:${port}`, key }
  return {
    provider,
    clock: leapingClock(),
    set: (symbol, behaviour) => behaviours.set(symbol, behaviour),
    setSearch(behaviour) {
      search = behaviour
    },
    searched,
    setList(behaviour) {
      list = behaviour
    },
    get listed() {
      return listed
    },
    asked,
    close,
    [Symbol.asyncDispose]: close,
  }
}

function leapingClock(): { now(): Date } {
  let instant = Date.UTC(2100, 0, 1)
  return {
    now() {
      instant += 60_000
      return new Date(instant)
    },
  }
}

/** As the provider does: a symbol that it does not know has the price 0. */
function answerQuote(response: ServerResponse, quote: { price: number; at: Date } | undefined): void {
  const c = quote?.price ?? 0
  const t = quote ? Math.floor(quote.at.getTime() / 1000) : 0
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ c, d: null, dp: null, h: c, l: c, o: c, pc: c, t }))
}

/** As the provider answers a key that has not paid for a call. */
function refuseAccess(response: ServerResponse): void {
  response.writeHead(403, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ error: "You don't have access to this resource." }))
}

function headerOf(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name]
  return Array.isArray(value) ? value[0] : value
}
