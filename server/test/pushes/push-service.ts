import { createECDH, type ECDH, randomBytes, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { PushSubscriptionPayload } from '@tradepost/contract/push'
import type { PushMessage } from '@tradepost/contract/push-worker'
import { importJWK, type JWK, jwtVerify } from 'jose'
import { decryptPush } from './decrypt-push.ts'

/** A browser that has subscribed. */
export type TestBrowser = { id: string; subscription: PushSubscriptionPayload }

/** A message that was taken and that its browser could read. */
export type TakenPush = { browser: string; message: PushMessage; topic: string; ttl: number; text: string }

/**
 * The handling of the nth request for a browser, from 0: it is taken (null), answered otherwise, taken without the answer going
 * out, never answered, cut after half of the answer, or answered with what is no HTTP.
 */
export type PushScript = (
  browser: string,
  nth: number,
) =>
  | null
  | { status: number; headers?: Record<string, string> }
  | 'taken in silence'
  | 'silent'
  | 'half'
  | 'rude'

/** A push service that decrypts what it takes with the keys of its browsers, and holds every request to RFC 8030, 8188, 8291 and 8292. */
export type PushService = {
  origin: string
  /** @param publicKey for which the browser subscribes */
  subscribe(publicKey: string): TestBrowser
  script: PushScript
  /** Before a request is dealt with, which has begun. */
  hold: (browser: string) => Promise<void>
  readonly taken: TakenPush[]
  /** Requests, taken or not, by browser. */
  readonly asked: Map<string, number>
  /** Each request as it begins (1) and is over, answered or given up (-1). */
  readonly course: { browser: string; step: 1 | -1 }[]
  /** Breaches of the protocols. */
  readonly breaches: string[]
  /** Connections that are open. */
  connections(): number
  /** Resolves when the condition holds; looked at after every request. */
  until(condition: () => boolean): Promise<void>
  close(): Promise<void>
}

type Browser = { ecdh: ECDH; auth: Buffer; publicKey: string }

const DAY_S = 86_400

export async function startPushService(): Promise<PushService> {
  const browsers = new Map<string, Browser>()
  const sockets = new Set<Socket>()
  let waiting: { condition: () => boolean; resolve: () => void }[] = []
  const look = () => {
    const met = waiting.filter(({ condition }) => condition())
    waiting = waiting.filter((one) => !met.includes(one))
    for (const { resolve } of met) resolve()
  }
  const server = createServer((request, response) => {
    serve(request, response).then(look, (error: unknown) => {
      service.breaches.push(String(error))
      response.writeHead(400).end()
      look()
    })
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const service: PushService = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    subscribe(publicKey) {
      const id = randomUUID()
      const ecdh = createECDH('prime256v1')
      const p256dh = ecdh.generateKeys('base64url')
      const auth = randomBytes(16)
      browsers.set(id, { ecdh, auth, publicKey })
      const keys = { p256dh, auth: auth.toString('base64url') }
      return { id, subscription: { endpoint: `${service.origin}/send/${id}`, keys, publicKey } }
    },
    script: () => null,
    hold: async () => undefined,
    taken: [],
    asked: new Map(),
    course: [],
    breaches: [],
    connections: () => sockets.size,
    until: (condition) =>
      condition() ? Promise.resolve() : new Promise((resolve) => waiting.push({ condition, resolve })),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await request.toArray())
    const id = request.url?.split('/').at(-1) ?? ''
    const nth = service.asked.get(id) ?? 0
    service.course.push({ browser: id, step: 1 })
    response.on('close', () => service.course.push({ browser: id, step: -1 }))
    service.asked.set(id, nth + 1)
    await service.hold(id)
    const browser = browsers.get(id)
    if (!browser) return void response.writeHead(404).end()
    const act = service.script(id, nth)
    if (act === null || act === 'taken in silence') {
      service.taken.push({ browser: id, ...(await read(request, body, browser, service.origin)) })
      if (act === null) response.writeHead(201).end()
    } else misbehave(act, response)
  }
  return service
}

/** @throws what is wrong with a request */
async function read(request: IncomingMessage, body: Buffer, browser: Browser, origin: string) {
  const { authorization = '', topic, ttl, urgency } = request.headers
  if (request.method !== 'POST') throw new Error(`its method is ${request.method}`)
  if (request.headers['content-encoding'] !== 'aes128gcm') throw new Error('it is not aes128gcm')
  if (!/^[A-Za-z0-9_-]{1,32}$/.test(String(topic))) throw new Error(`its topic is ${topic}`)
  if (!/^\d+$/.test(String(ttl))) throw new Error(`its TTL is ${ttl}`)
  if (urgency !== 'high') throw new Error(`its urgency is ${urgency}`)
  await checkSignature(authorization, browser.publicKey, origin)
  const text = decryptPush(body, browser)
  return { message: JSON.parse(text) as PushMessage, topic: String(topic), ttl: Number(ttl), text }
}

/** RFC 8292: a token for this service, of the key that the browser subscribed for, that ends within a day. */
async function checkSignature(authorization: string, publicKey: string, origin: string): Promise<void> {
  const [, token = '', key] = /^vapid t=([^,]+), k=(\S+)$/.exec(authorization) ?? []
  if (key !== publicKey) throw new Error('it is signed with another key')
  const point = Buffer.from(publicKey, 'base64url')
  const part = (from: number) => point.subarray(from, from + 32).toString('base64url')
  const jwk: JWK = { kty: 'EC', crv: 'P-256', x: part(1), y: part(33) }
  const { payload } = await jwtVerify(token, await importJWK(jwk, 'ES256'), { audience: origin })
  const left = (payload.exp ?? 0) - Date.now() / 1000
  if (left <= 0 || left > DAY_S) throw new Error(`its signature ends in ${left} s`)
  if (!/^(mailto:\S+@\S+|https:.+)$/.test(payload.sub ?? '')) throw new Error(`its contact is ${payload.sub}`)
}

function misbehave(
  act: Exclude<ReturnType<PushScript>, null | 'taken in silence'>,
  response: ServerResponse,
): void {
  if (act === 'silent') return
  if (act === 'half') {
    response.socket?.end('HTTP/1.1 201 Crea')
    return
  }
  if (act === 'rude') {
    response.socket?.end(`\0\xff${'A'.repeat(100_000)}\r\n\r\n`)
    return
  }
  response.writeHead(act.status, act.headers).end('x'.repeat(100_000))
}

/** The most requests for these browsers that were under way at once. */
export function mostAtOnce({ course }: Pick<PushService, 'course'>, browsers: ReadonlySet<string>): number {
  let now = 0
  let most = 0
  for (const { browser, step } of course) {
    if (!browsers.has(browser)) continue
    now += step
    most = Math.max(most, now)
  }
  return most
}
