import type { Session } from '@supabase/auth-js'
import type { Endpoint } from '@tradepost/contract/endpoint'
import * as z from 'zod/mini'
import { ApiRefusal, endsSession } from './api-refusal.ts'
import { authClient, readStoredSession } from './auth-client.ts'
import { endSession } from './end-session.ts'
import { readAnswer } from './read-answer.ts'
import { noteServerTime, serverNow } from './server-time.ts'
import { claimsOf } from './token-claims.ts'
import { isReachable, noteReached } from './use-online.ts'

const ANSWER_TIMEOUT_MS = 15_000
/** The library renews a token so long before its end. */
const RENEWED_BEFORE_MS = 90_000

type Part<E, Name extends 'params' | 'query' | 'body'> =
  E extends Record<Name, infer S extends z.ZodMiniType> ? z.input<S> : unknown

/** Everything that a call takes, in one object: what stands in its path, its query and its body. */
type Input<E extends Endpoint> = E extends { params: unknown } | { query: unknown } | { body: unknown }
  ? Part<E, 'params'> & Part<E, 'query'> & Part<E, 'body'>
  : undefined

type CallArguments<E extends Endpoint> = [Input<E>] extends [undefined]
  ? [input?: undefined, signal?: AbortSignal]
  : [input: Input<E>, signal?: AbortSignal]

const errorBody = z.object({
  message: z.optional(z.string()),
  code: z.optional(z.string()),
  fields: z.optional(z.record(z.string(), z.string())),
})

/**
 * Calls one entry of a table of calls: `await call(positionEndpoints.preview, { symbol })`.
 * @param endpoint the entry; its schemas define the input and the answer
 * @returns the checked answer
 * @throws ApiRefusal with the sentence to show; after a 401 or 403 the session has been ended (docs/specification.md section
 * 8). The reason of `signal` when the caller aborted.
 */
export async function call<E extends Endpoint>(
  endpoint: E,
  ...[input, signal]: CallArguments<E>
): Promise<z.output<E['answer']>> {
  let session: Session | null = null
  try {
    session = await newestSession()
    return await send(endpoint, input, session.access_token, signal)
  } catch (error) {
    if (signal?.aborted) throw signal.reason
    // Nothing was done: the call is refused before anything else.
    if (await isOutdated(error, session)) return call(endpoint, ...([input, signal] as CallArguments<E>))
    if (endsSession(error)) endSession(session)
    throw error
  }
}

async function send<E extends Endpoint>(
  endpoint: E,
  input: unknown,
  token: string,
  signal: AbortSignal | undefined,
): Promise<z.output<E['answer']>> {
  const headers: Record<string, string> = { authorization: `Bearer ${token}` }
  const request: RequestInit = { method: endpoint.method, headers, credentials: 'include' }
  if (endpoint.body !== undefined) {
    headers['content-type'] = 'application/json'
    request.body = JSON.stringify(z.parse(endpoint.body, input))
  }
  const timeout = AbortSignal.timeout(ANSWER_TIMEOUT_MS)
  request.signal = signal ? AbortSignal.any([signal, timeout]) : timeout
  const { status, ok, body } = await answerOf(address(endpoint, input), request)
  if (!ok) throw new ApiRefusal(status, errorBody.safeParse(body).data, body)
  const answer = readAnswer<E['answer']>(endpoint.answer, body)
  if (answer === null) throw new ApiRefusal(status)
  return answer
}

function address(endpoint: Endpoint, input: unknown): string {
  const query = new URLSearchParams(input as Record<string, string>)
  const path = endpoint.path.replace(/:(\w+)/g, (_, name: string) => {
    const value = query.get(name) ?? ''
    query.delete(name)
    return encodeURIComponent(value)
  })
  return endpoint.query === undefined ? path : `${path}?${query}`
}

/** Status and parsed body; no network, no time left and no JSON all lead to the fallback sentence. */
async function answerOf(url: string, request: RequestInit) {
  let status = 0
  const askedAt = Date.now()
  try {
    const answer = await fetch(url, request)
    status = answer.status
    if (status < 502) noteReached()
    noteServerTime(answer.headers.get('date'), askedAt)
    return { status, ok: answer.ok, body: (await answer.json()) as unknown }
  } catch {
    throw new ApiRefusal(status)
  }
}

/**
 * The session whose access token is to be sent, from the library, which refreshes one near its end first.
 * @throws ApiRefusal without a session, or when it could not be refreshed
 */
export async function newestSession(): Promise<Session> {
  // Without a network the library would try for half a minute to renew one that ends soon or has run out.
  const endsAt = (readStoredSession()?.expires_at ?? Number.POSITIVE_INFINITY) * 1000
  if (endsAt - RENEWED_BEFORE_MS <= Date.now() && !(await isReachable())) throw new ApiRefusal(0)
  const { data, error } = await authClient.getSession()
  if (data.session) return data.session
  // With an error the sign-in server could not be asked; without one there is no session, as a 401 would mean.
  throw new ApiRefusal(error ? 0 : 401)
}

/**
 * Whether a refusal that speaks of the session is about a token that is not the newest any more: meanwhile the session was confirmed with a
 * second factor, here or in another tab, and lives (ADR 0071). Or the token has run out by the server's clock and not by this device's,
 * which is behind; it is renewed then. Never where somebody else has signed in.
 * @param sent whose token was refused; null for none
 * @throws ApiRefusal where the sign-in server could not be asked for a newer one
 */
export async function isOutdated(error: unknown, sent: Session | null): Promise<boolean> {
  if (sent === null || !endsSession(error)) return false
  const endsAt = (claimsOf(sent.access_token).exp ?? Number.POSITIVE_INFINITY) * 1000
  if (endsAt <= serverNow().getTime()) {
    const { error: failure } = await authClient.refreshSession()
    // It could not be renewed, and is not over: the refusal says nothing of it.
    if (failure && readStoredSession() !== null) throw new ApiRefusal(0)
  }
  const newest = await newestSession().catch(() => sent)
  return newest.access_token !== sent.access_token && newest.user.id === sent.user.id
}
