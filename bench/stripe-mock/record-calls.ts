/**
 * Loaded before a process's own program (`--import`): writes every call that a sandbox in this process answers to the
 * file that CALLS_FILE names, one line of JSON each. The product, its tests and the sandbox know nothing of it.
 */
import { subscribe } from 'node:diagnostics_channel'
import { appendFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'

export type RecordedCall = {
  method: string
  /** Path and query. */
  url: string
  /** Content-Type of the request, empty without a body. */
  type: string
  body: string
  /** Sent by the product's client, the SDK as `stripe-client.ts` makes it; the server's tests use it too. */
  byProduct: boolean
  status: number
  answer: string
}

const file = process.env.CALLS_FILE
if (file !== undefined)
  subscribe('http.server.request.start', (message) => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse }
    if (/^\/v[12]\//.test(request.url ?? '')) record(file, request, response)
  })

function record(into: string, request: IncomingMessage, response: ServerResponse): void {
  const sent: Buffer[] = []
  const answered: Buffer[] = []
  let bySandbox = false
  // To listen for `data` would let it flow before the server is ready for it.
  const emit = request.emit
  request.emit = (name: string, ...values: unknown[]) => {
    if (name === 'data') sent.push(Buffer.from(values[0] as Uint8Array))
    return Reflect.apply(emit, request, [name, ...values])
  }
  // The product's own API has /v1 too; this header is Stripe's alone.
  const writeHead = response.writeHead
  response.writeHead = (...values: unknown[]) => {
    bySandbox ||= Object.hasOwn(Object(values.at(-1)), 'stripe-version')
    return Reflect.apply(writeHead, response, values)
  }
  const end = response.end
  response.end = (...values: unknown[]) => {
    const [last] = values
    if (typeof last === 'string' || Buffer.isBuffer(last)) answered.push(Buffer.from(last as string))
    return Reflect.apply(end, response, values)
  }
  response.on('finish', () => {
    if (!bySandbox) return
    const call: RecordedCall = {
      method: request.method ?? '',
      url: request.url ?? '',
      type: request.headers['content-type'] ?? '',
      body: Buffer.concat(sent).toString(),
      byProduct: String(request.headers['x-stripe-client-user-agent']).includes('Tradepost'),
      status: response.statusCode,
      answer: Buffer.concat(answered).toString(),
    }
    appendFileSync(into, `${JSON.stringify(call)}\n`)
  })
}
