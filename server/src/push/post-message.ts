import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { isPushEndpoint } from '@tradepost/contract/push'
import { lookUpPublic } from './public-address.ts'

/** From the name's resolution to the answer's head; push services answer in a fraction of a second. */
const ANSWER_TIMEOUT_MS = 10_000
/** What more of an answer is read, so that its connection can be used again; the rest costs the connection. */
const BODY_MAX_BYTES = 16 * 1024

/** An answer, or in words without addresses why there is none. @property waitMs what `Retry-After` asks for, 0 without it */
export type PushAnswer = { status: number; waitMs: number } | { status: null; fault: string }

/** A message as it goes over the wire. */
export type SealedMessage = { endpoint: string; headers: Record<string, string | number>; body: Buffer }

/** The way to push services, over connections that are kept. */
export type PushWire = {
  /** Never rejects. */
  post(message: SealedMessage, now: Date): Promise<PushAnswer>
  close(): void
}

/** @param options.loopback whether push services may be on this machine, as tests have them */
export function makePushWire(options: { loopback: boolean; connections: number }): PushWire {
  const keeping = { keepAlive: true, maxSockets: options.connections, maxFreeSockets: options.connections }
  const plain = new HttpAgent(keeping)
  const secure = new HttpsAgent(keeping)
  return {
    async post(message, now) {
      // What was allowed when the device was turned on need not be now.
      if (!isPushEndpoint(message.endpoint, options)) return { status: 400, waitMs: 0 }
      try {
        const answer = await send(message, { plain, secure })
        const wait = waitOf(answer.headers['retry-after'], now)
        return { status: answer.statusCode ?? 0, waitMs: wait }
      } catch (error) {
        return { status: null, fault: faultOf(error) }
      }
    },
    close() {
      plain.destroy()
      secure.destroy()
    },
  }
}

/** Redirects are not followed: whoever could set one could have the server call anything. */
function send(
  { body, endpoint, headers }: SealedMessage,
  agents: { plain: HttpAgent; secure: HttpsAgent },
): Promise<IncomingMessage> {
  const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS)
  const options = { method: 'POST', headers, signal }
  const { promise, reject, resolve } = Promise.withResolvers<IncomingMessage>()
  const answered = (answer: IncomingMessage) => {
    readAway(answer)
    resolve(answer)
  }
  // Only tests speak http, and to this machine alone.
  const request = endpoint.startsWith('https:')
    ? httpsRequest(endpoint, { ...options, agent: agents.secure, lookup: lookUpPublic }, answered)
    : httpRequest(endpoint, { ...options, agent: agents.plain }, answered)
  request.on('error', reject)
  request.end(body)
  return promise
}

function readAway(answer: IncomingMessage): void {
  let read = 0
  answer.on('error', () => undefined)
  answer.on('data', (part: Buffer) => {
    read += part.length
    if (read > BODY_MAX_BYTES) answer.destroy()
  })
}

/** Seconds or a date (RFC 9110 section 10.2.3). @returns milliseconds from now, 0 for anything else */
function waitOf(header: string | undefined, now: Date): number {
  if (header === undefined) return 0
  const wait = /^\d{1,9}$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now.getTime()
  return Number.isFinite(wait) ? Math.max(0, wait) : 0
}

function faultOf(error: unknown): string {
  if (error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError'))
    return 'no answer in time'
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined
  return code === undefined ? 'no answer' : `no answer: ${code}`
}
