import { onlineManager } from '@tanstack/react-query'
import { endpoints } from '@tradepost/contract/endpoints'
import { FALLBACK_MESSAGE } from '@tradepost/contract/fallback-message'
import { AUTH_STORAGE_KEY, THEME_STORAGE_KEY } from '@tradepost/contract/storage-keys'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { call } from './api.ts'
import { ApiRefusal } from './api-refusal.ts'
import { authClient, onSessionForgotten } from './auth-client.ts'
import { hasLeft, isLeaving, logOut, signOutEverywhere } from './end-session.ts'
import { queryClient } from './query-client.ts'
import { noteServerTime } from './server-time.ts'
import { jsonAnswer, storeSession } from './test-session.ts'

const fetched = vi.fn<typeof fetch>()

beforeEach(() => {
  vi.stubGlobal('fetch', fetched)
  fetched.mockReset()
  localStorage.clear()
  storeSession()
  hasLeft()
})
afterEach(() => vi.unstubAllGlobals())

const preview = { price: '187.52', key: 'k', symbol: 'AAPL', expiresAt: '2026-11-20T15:02:00.000Z' }

function requestOf(index = 0): { url: string; request: RequestInit } {
  const [url, request = {}] = fetched.mock.calls[index] ?? []
  return { url: String(url), request }
}

test('a call sends bearer, credentials and body, and gives back the checked answer', async () => {
  fetched.mockResolvedValueOnce(jsonAnswer(200, preview))
  expect(await call(endpoints.preview, { symbol: 'AAPL' })).toEqual(preview)
  const { url, request } = requestOf()
  expect(url).toBe('/v1/positions/preview')
  expect(request).toMatchObject({
    method: 'POST',
    credentials: 'include',
    body: '{"symbol":"AAPL"}',
    headers: { authorization: 'Bearer header.payload.signature', 'content-type': 'application/json' },
  })
})

test('a query is in the address, escaped', async () => {
  fetched.mockResolvedValueOnce(jsonAnswer(404, { message: 'no', code: 'user_not_found' }))
  await expect(call(endpoints.search, { username: 'a&b c' })).rejects.toThrow()
  expect(requestOf().url).toBe('/v1/accounts/search?username=a%26b+c')
  expect(requestOf().request.body).toBeUndefined()
})

test('a parameter of the path is not in the query too', async () => {
  fetched.mockResolvedValueOnce(jsonAnswer(200, { positions: [], next: null }))
  await call(endpoints.closedPositions, { username: 'a/b', sort: 'gain', symbol: 'KO' })
  expect(requestOf().url).toBe('/v1/traders/a%2Fb/positions/closed?sort=gain&symbol=KO')
})

test('the message of an answer is the one to show', async () => {
  fetched.mockResolvedValueOnce(
    jsonAnswer(409, { message: 'Set a username first.', code: 'username_required' }),
  )
  await expect(call(endpoints.preview, { symbol: 'AAPL' })).rejects.toMatchObject({
    name: 'ApiRefusal',
    status: 409,
    code: 'username_required',
    message: 'Set a username first.',
  })
})

test.each([
  ['no message', async () => jsonAnswer(500, {})],
  ['an empty message', async () => jsonAnswer(500, { message: '' })],
  ['a message that is no text', async () => jsonAnswer(500, { message: 7 })],
  ['no JSON', async () => new Response('<h1>Bad gateway</h1>', { status: 502 })],
  ['no network', () => Promise.reject(new TypeError('Failed to fetch'))],
  ['an answer of another shape', async () => jsonAnswer(200, { prize: 1 })],
])('with %s the fallback is shown', async (_, answer) => {
  fetched.mockImplementationOnce(answer)
  const refusal = call(endpoints.preview, { symbol: 'AAPL' })
  await expect(refusal).rejects.toBeInstanceOf(ApiRefusal)
  await expect(refusal).rejects.toThrow(FALLBACK_MESSAGE)
})

test.each([400, 404, 409, 422, 429, 500, 503])('%i keeps the session', async (status) => {
  fetched.mockResolvedValueOnce(jsonAnswer(status, { message: 'm' }))
  await expect(call(endpoints.positions)).rejects.toMatchObject({ status })
  expect(localStorage.getItem(AUTH_STORAGE_KEY)).not.toBeNull()
  expect(isLeaving()).toBe(false)
})

test.each([401, 403])(
  '%i clears storage but the theme, then notifies everybody, without a call',
  async (status) => {
    localStorage.setItem(THEME_STORAGE_KEY, 'light')
    localStorage.setItem('probe', 'x')
    queryClient.setQueryData(['positions'], [1])
    const storedWhenNotified: (string | null)[] = []
    const { data } = authClient.onAuthStateChange((event) => {
      if (event === 'SIGNED_OUT') storedWhenNotified.push(localStorage.getItem(AUTH_STORAGE_KEY))
    })
    fetched.mockImplementation(async () => jsonAnswer(status, { message: 'Please sign in again.' }))
    const [first, second] = await Promise.allSettled([call(endpoints.positions), call(endpoints.leaderboard)])
    await vi.waitFor(() => expect(storedWhenNotified).not.toEqual([]))
    data.subscription.unsubscribe()

    expect([first?.status, second?.status]).toEqual(['rejected', 'rejected'])
    expect({ ...localStorage }).toEqual({ [THEME_STORAGE_KEY]: 'light' })
    expect(storedWhenNotified).toEqual([null])
    expect(queryClient.getQueryData(['positions'])).toBeUndefined()
    expect(isLeaving()).toBe(true)
    expect(fetched.mock.calls.map(([url]) => String(url))).toEqual(['/v1/positions', '/v1/leaderboard'])
  },
)

test.each([401, 403])(
  'after %i for a token that was replaced meanwhile the call is made again with the newer one, and the session lives',
  async (status) => {
    fetched.mockImplementationOnce(async () => {
      storeSession({ accessToken: 'newer' })
      return jsonAnswer(status, {})
    })
    fetched.mockResolvedValueOnce(jsonAnswer(200, preview))
    expect(await call(endpoints.preview, { symbol: 'AAPL' })).toEqual(preview)
    expect([0, 1].map((nth) => requestOf(nth).request)).toMatchObject([
      { body: '{"symbol":"AAPL"}', headers: { authorization: 'Bearer header.payload.signature' } },
      { body: '{"symbol":"AAPL"}', headers: { authorization: 'Bearer newer' } },
    ])
    expect(localStorage.getItem(AUTH_STORAGE_KEY)).toContain('newer')
    expect(isLeaving()).toBe(false)
  },
)

test('a call that was refused is never made again as somebody else who has signed in meanwhile', async () => {
  fetched.mockImplementationOnce(async () => {
    storeSession({ accessToken: 'newer', userId: 'u2' })
    return jsonAnswer(401, {})
  })
  await expect(call(endpoints.preview, { symbol: 'AAPL' })).rejects.toMatchObject({ status: 401 })
  expect(fetched).toHaveBeenCalledTimes(1)
})

test('a token that has run out by the server’s clock alone is renewed, and the call is made again', async () => {
  const serverTime = Date.now() + 7_200_000
  const ended = `h.${btoa(JSON.stringify({ exp: serverTime / 1000 - 60 }))}.s`
  storeSession({ accessToken: ended })
  const date = { date: new Date(serverTime).toUTCString() }
  const user = { id: 'u1', email: 'maria@example.com' }
  fetched.mockResolvedValueOnce(new Response('{}', { status: 401, headers: date }))
  fetched.mockResolvedValueOnce(
    jsonAnswer(200, {
      access_token: 'newer',
      refresh_token: 'b',
      token_type: 'bearer',
      expires_in: 3600,
      user,
    }),
  )
  fetched.mockResolvedValueOnce(jsonAnswer(200, preview))
  expect(await call(endpoints.preview, { symbol: 'AAPL' })).toEqual(preview)
  expect(requestOf(2).request).toMatchObject({ headers: { authorization: 'Bearer newer' } })
  expect(isLeaving()).toBe(false)
  noteServerTime(new Date().toUTCString(), Date.now())
})

test('a refusal of the newer token too ends the session', async () => {
  fetched.mockImplementationOnce(async () => {
    storeSession({ accessToken: 'newer' })
    return jsonAnswer(401, {})
  })
  fetched.mockResolvedValueOnce(jsonAnswer(401, {}))
  await expect(call(endpoints.positions)).rejects.toMatchObject({ status: 401 })
  expect(fetched).toHaveBeenCalledTimes(2)
  expect(localStorage.getItem(AUTH_STORAGE_KEY)).toBeNull()
})

test('a theme that was never chosen is not written', async () => {
  fetched.mockResolvedValueOnce(jsonAnswer(401, {}))
  await expect(call(endpoints.positions)).rejects.toMatchObject({ status: 401 })
  expect(localStorage.length).toBe(0)
})

test('without a session nothing is sent', async () => {
  localStorage.clear()
  await expect(call(endpoints.positions)).rejects.toMatchObject({ status: 401 })
  expect(fetched).not.toHaveBeenCalled()
})

test('an aborted call ends with the reason of its caller', async () => {
  const abort = new AbortController()
  fetched.mockImplementationOnce(async (_, init) => {
    abort.abort(new Error('gone'))
    throw init?.signal?.reason
  })
  await expect(call(endpoints.positions, undefined, abort.signal)).rejects.toThrow('gone')
})

test('a call that is not answered within 15 seconds is given up, with or without a caller who could', async () => {
  for (const signal of [undefined, new AbortController().signal]) {
    const clock = new AbortController()
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(clock.signal)
    fetched.mockImplementationOnce(
      (_, init) =>
        new Promise((_resolve, reject) => {
          init?.signal?.addEventListener('abort', () => reject(init.signal?.reason))
          clock.abort(new DOMException('', 'TimeoutError'))
        }),
    )
    await expect(call(endpoints.positions, undefined, signal)).rejects.toMatchObject({
      status: 0,
      message: 'Something went wrong, please try again.',
    })
    expect(timeout.mock.calls).toEqual([[15_000]])
    timeout.mockRestore()
  }
})

test('Logout asks the server to end every session', async () => {
  fetched.mockResolvedValueOnce(new Response(null, { status: 204 }))
  await logOut()
  expect(requestOf().url).toMatch(/\/auth\/v1\/logout\?scope=global$/)
  expect(localStorage.getItem(AUTH_STORAGE_KEY)).toBeNull()
})

test('Logout works here when the server fails', async () => {
  fetched.mockImplementation(async () => jsonAnswer(500, { code: 'unexpected_failure', message: 'm' }))
  await logOut()
  expect(localStorage.getItem(AUTH_STORAGE_KEY)).toBeNull()
})

test.each([-10, 60])(
  'a session with %i s left is not renewed without a network, and nobody waits for the library to try',
  async (secondsLeft) => {
    storeSession({ secondsLeft })
    onlineManager.setOnline(false)
    fetched.mockRejectedValue(new TypeError('Failed to fetch'))
    await expect(call(endpoints.positions)).rejects.toMatchObject({ status: 0 })
    onlineManager.setOnline(true)
    expect(fetched.mock.calls.map(([url]) => String(url))).toEqual(['/healthz'])
  },
)

test('Logout beside a renewal that is on its way ends the session at once, and its answer does not bring it back', async () => {
  storeSession({ secondsLeft: -10 })
  const answer = Promise.withResolvers<Response>()
  fetched.mockImplementation(() => answer.promise)
  const events: string[] = []
  const end = onSessionForgotten(() => events.push('forgotten'))
  const { data } = authClient.onAuthStateChange((event) => events.push(event))
  const renewal = authClient.getSession()
  await vi.waitFor(() => expect(fetched).toHaveBeenCalled())
  onlineManager.setOnline(false)
  fetched.mockImplementation((url) => (url === '/healthz' ? Promise.reject(new TypeError()) : answer.promise))
  expect(await logOut()).toBe(false)
  onlineManager.setOnline(true)
  expect(localStorage.getItem(AUTH_STORAGE_KEY)).toBeNull()
  expect(events.at(-1)).toBe('forgotten')
  const user = { id: 'u1', email: 'maria@example.com' }
  answer.resolve(jsonAnswer(200, { access_token: 'a', refresh_token: 'b', expires_in: 3600, user }))
  expect((await renewal).data.session).toBeNull()
  await vi.waitFor(() => expect(events).toContain('SIGNED_OUT'))
  expect(events).not.toContain('TOKEN_REFRESHED')
  end()
  data.subscription.unsubscribe()
  expect((await authClient.getSession()).data.session).toBeNull()
  expect(localStorage.getItem(AUTH_STORAGE_KEY)).toBeNull()
})

test.each([
  [500, true],
  [502, false],
  [503, false],
  [504, false],
])('an answer %i shows that the server is reached: %s', async (status, isReached) => {
  onlineManager.setOnline(false)
  fetched.mockResolvedValueOnce(jsonAnswer(status, {}))
  await expect(call(endpoints.positions)).rejects.toMatchObject({ status })
  expect(onlineManager.isOnline()).toBe(isReached)
  onlineManager.setOnline(true)
})

test('a proxy’s 502 to the look for the server is no network', async () => {
  storeSession({ secondsLeft: -10 })
  onlineManager.setOnline(false)
  fetched.mockResolvedValueOnce(new Response('', { status: 502 }))
  await expect(call(endpoints.positions)).rejects.toMatchObject({ status: 0 })
  expect(onlineManager.isOnline()).toBe(false)
  expect(fetched.mock.calls.map(([url]) => String(url))).toEqual(['/healthz'])
  onlineManager.setOnline(true)
})

test('after signing out without a network nothing of the session is sent once there is one', async () => {
  storeSession({ secondsLeft: -10 })
  onlineManager.setOnline(false)
  fetched.mockRejectedValue(new TypeError('Failed to fetch'))
  const renewal = authClient.getSession()
  await vi.waitFor(() => expect(fetched).toHaveBeenCalled())
  expect(await logOut()).toBe(false)
  fetched.mockImplementation(async () => new Response('{}'))
  onlineManager.setOnline(true)
  expect((await renewal).data.session).toBeNull()
  expect(fetched.mock.calls.map(([url]) => String(url)).filter((url) => url !== '/healthz')).toEqual([])
})

test('signing out everywhere reports whether it was done, and 401, 403 and 404 count as done', {
  tags: ['AUTH-09'],
}, async () => {
  for (const status of [204, 401, 403, 404]) {
    storeSession()
    fetched.mockResolvedValueOnce(
      status === 204 ? new Response(null, { status }) : jsonAnswer(status, { code: 'x', message: 'm' }),
    )
    expect(await signOutEverywhere()).toBe(true)
    expect(localStorage.getItem(AUTH_STORAGE_KEY)).toBeNull()
  }
  storeSession()
  hasLeft()
  fetched.mockResolvedValueOnce(jsonAnswer(500, { code: 'unexpected_failure', message: 'm' }))
  expect(await signOutEverywhere()).toBe(false)
  expect(localStorage.getItem(AUTH_STORAGE_KEY)).not.toBeNull()
  expect(isLeaving()).toBe(false)
})
