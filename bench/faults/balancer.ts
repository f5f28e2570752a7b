import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

const LOOK_EVERY_MS = 500
const LOOK_WITHIN_MS = 2000
/** Looks without an answer after which nobody is there; one that answers that it is not ready is believed at once. */
const PATIENCE = 3
const TRY_MS = 5000
const AGAIN_MS = 50
/** Longer than clients keep a connection that they do not use. */
const KEPT_MS = 60_000

type Backend = { port: number; ready: boolean; silent: number }

/** A balancer as one stands in front of several api: asks `/readyz` of each every half second, and gives no request to one that is not ready. */
export type Balancer = {
  url: string
  add(port: number): Promise<void>
  remove(port: number): void
  close(): Promise<void>
}

export async function startBalancer(): Promise<Balancer> {
  const backends: Backend[] = []
  const agent = new Agent({ keepAlive: true })
  const over = new AbortController()
  const look = async (backend: Backend) => {
    const answer = await fetch(`http://127.0.0.1:${backend.port}/readyz`, {
      signal: AbortSignal.timeout(LOOK_WITHIN_MS),
    }).catch(() => null)
    await answer?.arrayBuffer().catch(() => undefined)
    backend.silent = answer ? 0 : backend.silent + 1
    backend.ready = answer ? answer.ok : backend.ready && backend.silent < PATIENCE
  }
  const keepLooking = async () => {
    while (!over.signal.aborted) {
      await Promise.all(backends.map(look))
      await pause(LOOK_EVERY_MS, undefined, { signal: over.signal }).catch(() => undefined)
    }
  }
  void keepLooking()
  let turn = 0
  const next = () => {
    const ready = backends.filter((backend) => backend.ready)
    turn += 1
    return ready[turn % ready.length]
  }
  const server = createServer((asked, answer) => void passOn(asked, answer, next, agent))
  server.keepAliveTimeout = KEPT_MS
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async add(port) {
      const backend = { port, ready: false, silent: 0 }
      await look(backend)
      backends.push(backend)
    },
    remove(port) {
      const place = backends.findIndex((backend) => backend.port === port)
      if (place >= 0) backends.splice(place, 1)
    },
    async close() {
      over.abort()
      agent.destroy()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** To one backend, and to another for as long as none has been reached; a request that one may have begun is not repeated. */
async function passOn(
  asked: IncomingMessage,
  answer: ServerResponse,
  next: () => Backend | undefined,
  agent: Agent,
): Promise<void> {
  const parts: Buffer[] = []
  for await (const part of asked) parts.push(part as Buffer)
  const end = performance.now() + TRY_MS
  for (;;) {
    const backend = next()
    const outcome = backend ? await tryOne(backend, asked, Buffer.concat(parts), answer, agent) : 'unreached'
    if (outcome === 'answered') return
    if (outcome === 'lost' || performance.now() > end) {
      answer.writeHead(502, { 'content-type': 'application/json' })
      answer.end(JSON.stringify({ code: outcome === 'lost' ? 'lost on the way' : 'nobody is ready' }))
      return
    }
    await pause(AGAIN_MS)
  }
}

/** Without the headers about the api's own connection, which do not hold for the client's. */
function ofTheAnswer(headers: IncomingMessage['headers']): IncomingMessage['headers'] {
  const { connection: _, 'keep-alive': __, ...rest } = headers
  return rest
}

function tryOne(
  { port }: Backend,
  { headers, method = 'GET', url = '/' }: IncomingMessage,
  body: Buffer,
  answer: ServerResponse,
  agent: Agent,
): Promise<'answered' | 'unreached' | 'lost'> {
  return new Promise((resolve) => {
    const passed = request({ host: '127.0.0.1', port, path: url, method, headers, agent })
    passed.on('response', (response) => {
      answer.writeHead(response.statusCode ?? 502, ofTheAnswer(response.headers))
      response.pipe(answer)
      response.on('end', () => resolve('answered'))
      response.on('error', () => resolve('answered'))
    })
    passed.on('error', (error: NodeJS.ErrnoException) => {
      // A kept connection that was closed meanwhile has carried nothing, as Go's and Nginx's clients judge too.
      const isUnreached =
        error.code === 'ECONNREFUSED' || (passed.reusedSocket && error.code === 'ECONNRESET')
      resolve(isUnreached ? 'unreached' : 'lost')
    })
    passed.end(body)
  })
}
