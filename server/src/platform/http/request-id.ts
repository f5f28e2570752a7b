import type { IncomingMessage } from 'node:http'
import proxyAddr from '@fastify/proxy-addr'
import { newId } from '../ids.ts'

/** Nothing that could be an address, a token with a secret part, or a line of a log. */
const SAFE = /^[A-Za-z0-9][A-Za-z0-9_-]{7,63}$/

/**
 * Names each request: with the id that a proxy of ours gave it, so that one search finds it there too, else with a new one. A stranger's
 * id is ignored: it could be the id of somebody else's request.
 * @param trusted addresses of proxies, as in TRUST_PROXY
 */
export function nameRequests(trusted: string[]): (request: IncomingMessage) => string {
  const isTrusted = proxyAddr.compile(trusted)
  return ({ headers, socket }) => {
    const given = headers['x-request-id']
    if (typeof given !== 'string' || !SAFE.test(given)) return newId()
    return isTrusted(socket.remoteAddress ?? '', 0) ? given : newId()
  }
}
