import { webPaths } from '@tradepost/contract/web-paths'

/** The parameters that an authentication redirect leaves behind (docs/specification.md section 5), successful or not. */
const PARAMETERS = [
  'error',
  'error_code',
  'error_description',
  'code',
  'access_token',
  'refresh_token',
  'expires_in',
  'expires_at',
  'token_type',
  'provider_token',
  'provider_refresh_token',
  'sb',
]

/** Whether an address of /login came out of a mail: it holds a link's secret, or the error in which a link ended. */
export function isOfMailedLink(url: URL): boolean {
  const names = ['token_hash', 'error', 'error_code', 'error_description']
  return url.pathname === webPaths.login && names.some((name) => parameterOf(url, name) !== null)
}

export function parameterOf(url: URL, name: string): string | null {
  return url.searchParams.get(name) ?? new URLSearchParams(url.hash.slice(1)).get(name)
}

/** The same address without what the redirect left; a sign-in link's own `token_hash` stays. */
export function withoutCallback(url: URL): URL {
  const clean = new URL(url)
  const fragment = new URLSearchParams(clean.hash.slice(1))
  if (![...clean.searchParams.keys(), ...fragment.keys()].some((name) => PARAMETERS.includes(name)))
    return clean
  if (!fragment.has('token_hash')) fragment.delete('type')
  for (const name of PARAMETERS) {
    clean.searchParams.delete(name)
    fragment.delete(name)
  }
  clean.hash = fragment.toString()
  return clean
}
