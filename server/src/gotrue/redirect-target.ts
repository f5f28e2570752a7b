import type { WireError } from './wire-error.ts'

/** GoTrue's names for what a status means, as OAuth (RFC 6749, 4.1.2.1) has them. */
const ERROR_OF_STATUS = new Map([
  [400, 'invalid_request'],
  [401, 'unauthorized_client'],
  [403, 'access_denied'],
  [500, 'server_error'],
  [503, 'temporarily_unavailable'],
])

/** Characters that browsers drop from or rewrite in an address without notice: none of them has a place in ours. */
const REWRITTEN_BY_BROWSERS = /[^!-~]|\\/

/**
 * Where a redirect may lead: to the product's own origin, spelt exactly so, and nowhere else.
 * @param asked as the client sent it
 * @returns the address without its fragment; the origin's root for whatever is not allowed
 */
export function redirectTarget(origin: string, asked: string | undefined): URL {
  const home = new URL('/', origin)
  if (!asked || REWRITTEN_BY_BROWSERS.test(asked) || !asked.startsWith(origin)) return home
  if (!['', '/', '?', '#'].includes(asked.charAt(origin.length))) return home
  if (!URL.canParse(asked)) return home
  const target = new URL(asked)
  if (target.origin !== home.origin || target.username || target.password) return home
  target.hash = ''
  return target
}

/** The target with what was given in its fragment, which browsers do not send to servers. */
export function withFragment(target: URL, parameters: Record<string, string>): string {
  const location = new URL(target)
  location.hash = new URLSearchParams(parameters).toString()
  return location.href
}

/** The target with the code that a client with a verifier exchanges for a session. */
export function withCode(target: URL, code: string): string {
  const location = new URL(target)
  location.searchParams.set('code', code)
  return location.href
}

/** @param inQueryToo for clients of the PKCE flow, which read the query */
export function withError(target: URL, error: WireError, inQueryToo: boolean): string {
  const name = ERROR_OF_STATUS.get(error.status)
  const parameters = {
    ...(name && { error: name }),
    error_code: error.code,
    error_description: error.message,
  }
  const location = new URL(target)
  if (inQueryToo) for (const [key, value] of Object.entries(parameters)) location.searchParams.set(key, value)
  return withFragment(location, { ...parameters, sb: '' })
}
