import type { FastifyRequest } from 'fastify'
import qs from 'qs'
import { invalid } from '../refusals/errors.ts'
import { isPlainObject } from '../shape/plain-object.ts'
import { randomText } from '../store/ids.ts'
import type { Params } from './check-request.ts'

/** A request as it came, before anything of it is believed. */
export type Incoming = {
  method: string
  path: string
  v2: boolean
  text: string
  requestId: string
  key: string | null
  onBehalfOf: string | null
}

export function readIncoming(request: FastifyRequest): Incoming {
  const key = request.headers['idempotency-key']
  const account = request.headers['stripe-account'] ?? request.headers['stripe-context']
  const [path = ''] = request.url.split('?')
  const query = request.url.slice(path.length + 1)
  const hasBody = request.method === 'POST' || request.method === 'PUT' || request.method === 'PATCH'
  return {
    method: request.method,
    path,
    v2: path.startsWith('/v2/'),
    text: hasBody ? String(request.body ?? '') : query || String(request.body ?? ''),
    requestId: `req_${randomText(14)}`,
    key: request.method === 'POST' && typeof key === 'string' && key !== '' ? key : null,
    onBehalfOf: typeof account === 'string' ? account : null,
  }
}

/** @throws SyntaxError when v2's JSON is none, ApiError when it is no object */
export function parseBody(incoming: Incoming): Params {
  if (isJson(incoming)) {
    const body: unknown = incoming.text === '' ? {} : JSON.parse(incoming.text)
    if (!isPlainObject(body)) throw invalid('Invalid request: the body is not a JSON object.')
    return body
  }
  return qs.parse(incoming.text, { depth: 10, arrayLimit: 200, parameterLimit: 2000 })
}

/** v2 takes JSON where v1 takes forms; both ask by the query. */
export function isJson(incoming: Incoming): boolean {
  return incoming.v2 && incoming.method !== 'GET'
}
