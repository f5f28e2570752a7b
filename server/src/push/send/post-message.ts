import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { isPushEndpoint } from '@tradepost/contract/push'
import { lookUpLoopback, makePublicLookUp } from './public-address.ts'

/** The most that is read of an answer's body, so that its connection can be used again; a longer body costs the connection. */
const BODY_MAX_BYTES = 16 * 1024

/** An answer, or in words without addresses why there is none. @property waitMs what `Retry-After` asks for, 0 without it */
export type PushAnswer = { status: number; waitMs: number } | { status: null; fault: string }

/** A message as it goes over the wire. */
export type SealedMessage = { endpoint: string; headers: Record<string, string | number>; body: Buffer }

/** The way to push services, over connections that are kept. */
export type PushWire = {
  /** Never rejects. @param limitMs from the name's resolution to the answer's head */
  post(message: SealedMessage, limitMs: number, now: Date): Promise<PushAnswer>
  close(): void
}

/**
 * @param options.loopback whether push services may be on this machine, as tests have them
 * @param options.nameServers those of the machine unless given
 */
export function makePushWire(options: {
  loopback: boolean
  connections: number
  nameServers: string[] | null
}): PushWire {
  const keeping = { keepAlive: true, maxSockets: options.connections, maxFreeSockets: options.connections }
  // Only tests speak http, and to this machine alone.
  const plain = new HttpAgent({ ...keeping, lookup: lookUpLoopback })
  const secure = new HttpsAgent({ ...keeping, lookup: makePublicLookUp(options.nameServers) })
  return {
    async post(message, limitMs, now) {
      // The address was allowed when the device was turned on; it may not be allowed now.
      if (!isPushEndpoint(message.endpoint, options)) return { status: 400, waitMs: 0 }
      try {
        const answer = await send(message, limitMs, { plain, secure })
        const wait = waitOf(answer.headers['retry-after'], now)
        return { status: answer.statusCode ?? 0, waitMs: wait }
      } catch (error) {
        return { status: null, fault: faultOf(error, limitMs) }
      }
    },
    close() {
      plain.destroy()
      secure.destroy()
    },
  }
}

/** Redirects are not followed: anybody who could set one could have the server call anything. */
function send(
  { body, endpoint, headers }: SealedMessage,
  limitMs: number,
  agents: { plain: HttpAgent; secure: HttpsAgent },
): Promise<IncomingMessage> {
  const signal = AbortSignal.timeout(limitMs)
  const options = { method: 'POST', headers, signal }
  const { promise, reject, resolve } = Promise.withResolvers<IncomingMessage>()
  const answered = (answer: IncomingMessage) => {
    readAway(answer)
    resolve(answer)
  }
  const request = endpoint.startsWith('https:')
    ? httpsRequest(endpoint, { ...options, agent: agents.secure }, answered)
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

function faultOf(error: unknown, limitMs: number): string {
  if (error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError'))
    return `no answer in ${limitMs / 1000} s`
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined
  return code === undefined ? 'no answer' : `no answer: ${code}`
}
