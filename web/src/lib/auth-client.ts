import { AuthClient, type Session } from '@supabase/auth-js'
import { KNOWN_DEVICE_HEADER } from '@tradepost/contract/auth'
import { AUTH_STORAGE_KEY } from '@tradepost/contract/storage-keys'
import { makeListeners } from './listeners.ts'
import { isReachable } from './use-online.ts'

/** An answer that takes longer counts as no answer, so that signing out never hangs on a silent server. */
const ANSWER_TIMEOUT_MS = 20_000

/**
 * The one sign-in client of the page. PKCE, so that tokens never stand in a URL and a crafted `#access_token=` link is
 * refused (rule G-03). Created with the module: two clients of one storage key would refresh against each other.
 */
export const authClient = new AuthClient({
  url: new URL('/auth/v1', location.origin).href,
  storageKey: AUTH_STORAGE_KEY,
  flowType: 'pkce',
  detectSessionInUrl: true,
  autoRefreshToken: true,
  persistSession: true,
  fetch: fetchForAuth,
})

/** The code challenge of the newest call, where that asked for a code: the server recognises this page by it (ADR 0091). */
export let codeChallenge: string | null = null

/**
 * The library keeps a session whose refresh was refused until its access token has run out; the product ends it at
 * once (docs/specification.md section 4, rule G-39). A 5xx or no network keeps it: the server could not judge.
 */
async function fetchForAuth(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const url = new URL(input instanceof Request ? input.url : input, location.href)
  codeChallenge = textIn(init?.body, 'code_challenge')
  const isRefresh = url.pathname.endsWith('/token') && url.searchParams.get('grant_type') === 'refresh_token'
  // The library tries by itself, and again: without a network nothing is sent (rule G-79).
  if (isRefresh && !(await isReachable())) throw new TypeError('There is no network')
  // The session has ended meanwhile: the answer would be of no use to anybody.
  if (isRefresh && storedSession() === null)
    return Response.json({ code: 'session_not_found' }, { status: 400 })
  const headers = await withProof(url, init)
  const answer = await fetch(input, { ...init, headers, signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) })
  if (isRefresh && answer.status >= 400 && answer.status < 500) {
    const refused = textIn(init?.body, 'refresh_token')
    setTimeout(() => forgetRefused(refused))
  }
  if (!answer.ok) return answer
  const body = await jsonOf(answer)
  // Nobody waits for the storing.
  void keepProofOf(answer, body)
  return endingByOwnClock(answer, body)
}

/** The path of a second factor's code. Its body names no address: the session that waits for it has one (ADR 0083). */
const FACTOR_CODE = /\/factors\/[^/]+\/verify$/

/** The headers of a call, and on behalf of an address what this browser is known by to it. */
async function withProof(url: URL, init: RequestInit | undefined): Promise<Headers> {
  const headers = new Headers(init?.headers)
  const email = FACTOR_CODE.test(url.pathname)
    ? textIn(storedSession(), 'user', 'email')
    : textIn(init?.body, 'email')
  const proof = email === null ? null : await knownDevice((module) => module.findProof(email))
  if (proof !== null) headers.set(KNOWN_DEVICE_HEADER, proof)
  // The library shows no session there, and without it the call counts as a stranger's (rule G-119).
  const token = textIn(init?.body, 'type') === 'email_change' ? textIn(storedSession(), 'access_token') : null
  if (token !== null) headers.set('authorization', `Bearer ${token}`)
  return headers
}

/** Loaded at a sign-in only. @returns null where it cannot be loaded: the device is an unknown one then */
function knownDevice<T>(use: (module: typeof import('./known-device.ts')) => Promise<T>): Promise<T | null> {
  return import('./known-device.ts').then(use).catch(() => null)
}

/** A sign-in that succeeded brings what this browser is known by from then on. */
async function keepProofOf(answer: Response, body: AnswerBody): Promise<void> {
  const proof = answer.headers.get(KNOWN_DEVICE_HEADER)
  const email = body?.user?.email
  if (proof !== null && typeof email === 'string')
    await knownDevice((module) => module.keepProof(email, proof))
}

type AnswerBody = { expires_in?: unknown; user?: { email?: unknown } } | null

async function jsonOf(answer: Response): Promise<AnswerBody> {
  return (await answer
    .clone()
    .json()
    .catch(() => null)) as AnswerBody
}

/**
 * The library compares the end of a token with the clock of this device, and believes the server's `expires_at`. With a
 * clock that is minutes slow the token would be used after its end, which signs out; with one that is an hour fast every
 * call would refresh. So the end of a new session is counted from here on.
 */
function endingByOwnClock(answer: Response, body: AnswerBody): Response {
  if (typeof body?.expires_in !== 'number') return answer
  const expires_at = Math.floor(Date.now() / 1000) + body.expires_in
  return Response.json({ ...body, expires_at }, { status: answer.status, headers: answer.headers })
}

const forgotten = makeListeners()
let isNotifying = false

/** @param listener called when this page has ended the session @returns ends it */
export const onSessionForgotten = forgotten.add

/**
 * Ends the session in this browser at once, without asking the server: with nothing stored, the library's own local sign-out
 * makes no call and only notifies every listener, other tabs among them (rule G-12). Nobody waits for that: without a network the library
 * may be trying for half a minute to renew a token.
 */
export function forgetSession(): void {
  localStorage.removeItem(AUTH_STORAGE_KEY)
  forgotten.call()
  // Several refusals at a time end it once.
  if (isNotifying) return
  isNotifying = true
  const done = () => {
    isNotifying = false
  }
  void authClient.signOut({ scope: 'local' }).then(done, done)
}

/**
 * Where another tab has stored newer tokens meanwhile (it refreshed first, or confirmed the session with a second factor), only the
 * old ones were refused and the session lives.
 */
function forgetRefused(refused: string | null): void {
  if (refused !== null && textIn(storedSession(), 'refresh_token') === refused) forgetSession()
}

/** The session that this browser keeps, whatever it is worth; null for none. */
export function readStoredSession(): Session | null {
  const kept = storedSession()
  return textIn(kept, 'refresh_token') === null || textIn(kept, 'user', 'id') === null
    ? null
    : (JSON.parse(String(kept)) as Session)
}

/** Id of whose session this browser keeps; null for none. */
export function storedPerson(): string | null {
  return textIn(storedSession(), 'user', 'id')
}

/** @returns JSON, or null where none is kept */
function storedSession(): string | null {
  try {
    return localStorage.getItem(AUTH_STORAGE_KEY)
  } catch {
    // Storage is forbidden: nothing is kept.
    return null
  }
}

/** A text at a path of a JSON object; a stored session and the request that renews it name its token alike. */
function textIn(json: unknown, ...path: string[]): string | null {
  try {
    const text = path.reduce((value, name) => value[name], JSON.parse(String(json)))
    return typeof text === 'string' ? text : null
  } catch {
    return null
  }
}
