import {
  isAuthRetryableFetchError,
  isAuthSessionMissingError,
  isAuthWeakPasswordError,
} from '@supabase/auth-js'
import { KNOWN_DEVICE_HEADER } from '@tradepost/contract/auth'
import { AUTH_STORAGE_KEY } from '@tradepost/contract/storage-keys'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { authClient } from './auth-client.ts'
import { jsonAnswer, storeSession } from './test-session.ts'

vi.mock('./known-device.ts', () => ({
  findProof: async (email: string) => `proof of ${email}`,
  keepProof: async () => undefined,
}))

const fetched = vi.fn<typeof fetch>()

beforeEach(() => {
  vi.stubGlobal('fetch', fetched)
  fetched.mockReset()
})
afterEach(() => vi.unstubAllGlobals())

/** Within the margin of 90 s, so that asking for the session refreshes it; the token is still good for a minute. */
const NEAR_THE_END = { secondsLeft: 60 }

test('a refused refresh ends the session at once, though the token is still good', async () => {
  // The library gives a refused token a rest of a minute, and another file of this page may have had one refused.
  storeSession({ ...NEAR_THE_END, refreshToken: 'refused' })
  fetched.mockImplementation(async () => jsonAnswer(400, { code: 'refresh_token_not_found', message: 'm' }))
  const ended = new Promise<void>((resolve) => {
    const { data } = authClient.onAuthStateChange((event) => {
      if (event !== 'SIGNED_OUT') return
      data.subscription.unsubscribe()
      resolve()
    })
  })
  await authClient.getSession()
  await ended
  expect(localStorage.getItem(AUTH_STORAGE_KEY)).toBeNull()
  // Nothing is left to revoke, so nobody is asked to.
  expect(fetched.mock.calls.filter(([url]) => String(url).includes('/logout'))).toEqual([])
})

test('a session that another tab stored meanwhile outlives the refusal of the older token', async () => {
  storeSession({ ...NEAR_THE_END, refreshToken: 'older' })
  fetched.mockImplementation(async () => {
    storeSession({ refreshToken: 'newer' })
    return jsonAnswer(400, { code: 'refresh_token_already_used', message: 'm' })
  })
  const events: string[] = []
  const { data } = authClient.onAuthStateChange((event) => void events.push(event))
  expect((await authClient.getSession()).data.session?.refresh_token).toBe('newer')
  // Scheduled after whatever the refusal has scheduled.
  await new Promise((resolve) => setTimeout(resolve))
  data.subscription.unsubscribe()
  expect(localStorage.getItem(AUTH_STORAGE_KEY)).toContain('"newer"')
  expect(events).not.toContain('SIGNED_OUT')
})

test.each([
  ['503', async () => jsonAnswer(503, { message: 'm' })],
  ['no network', () => Promise.reject(new TypeError('Failed to fetch'))],
])('%s keeps the session', async (name, answer) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  try {
    // The library gives a refused token a rest of a minute, so each case has its own.
    storeSession({ ...NEAR_THE_END, refreshToken: name })
    fetched.mockImplementation(answer)
    const asked = authClient.getSession()
    await vi.advanceTimersByTimeAsync(40_000)
    await asked
    expect(fetched.mock.calls.length).toBeGreaterThan(1)
    expect(localStorage.getItem(AUTH_STORAGE_KEY)).not.toBeNull()
  } finally {
    vi.useRealTimers()
  }
})

test('the end of a new session is counted by the clock of the device', async () => {
  storeSession(NEAR_THE_END)
  const session = { access_token: 'a.b.c', refresh_token: 'r', token_type: 'bearer', expires_in: 3600 }
  const user = { id: 'u1', email: 'maria@example.com' }
  const byServer = Math.floor(Date.now() / 1000) - 1800
  fetched.mockImplementation(async () => jsonAnswer(200, { ...session, user, expires_at: byServer }))
  const { data } = await authClient.getSession()
  expect(data.session?.access_token).toBe('a.b.c')
  expect(data.session?.expires_at).toBeGreaterThan(byServer + 1800 + 3590)
})

test('a code of a second factor goes with what this browser is known by to the address of its session, and nothing else of it does', async () => {
  storeSession({ factors: [{ id: 'f1', status: 'verified' }] })
  fetched.mockImplementation(async () => jsonAnswer(422, { code: 'mfa_verification_failed', message: 'm' }))
  await authClient.mfa.challenge({ factorId: 'f1' })
  await authClient.mfa.verify({ factorId: 'f1', challengeId: 'c1', code: '123456' })
  const sent = fetched.mock.calls.map(([url, init]) => [
    new URL(String(url)).pathname,
    new Headers(init?.headers).get(KNOWN_DEVICE_HEADER),
  ])
  expect(sent).toEqual([
    ['/auth/v1/factors/f1/challenge', null],
    ['/auth/v1/factors/f1/verify', 'proof of maria@example.com'],
  ])
})

test('the library distinguishes a missing session, a failure that may be repeated, and a weak password', {
  tags: ['ERR-15'],
}, async () => {
  localStorage.removeItem(AUTH_STORAGE_KEY)
  const change = async () => (await authClient.updateUser({ password: 'weak' })).error
  expect(isAuthSessionMissingError(await change())).toBe(true)
  storeSession()
  fetched.mockImplementation(async () => jsonAnswer(503, { message: 'm' }))
  expect(isAuthRetryableFetchError(await change())).toBe(true)
  fetched.mockImplementation(async () =>
    jsonAnswer(422, { code: 'weak_password', message: 'm', weak_password: { reasons: ['length'] } }),
  )
  expect(isAuthWeakPasswordError(await change())).toBe(true)
})

test('the codes of a change of address are given and asked for with the token of the session, others without one', async () => {
  storeSession({ accessToken: 'header.payload.own' })
  const shown: (string | null)[] = []
  fetched.mockImplementation(async (_url, init) => {
    shown.push(new Headers(init?.headers).get('authorization'))
    return jsonAnswer(200, {})
  })
  await authClient.verifyOtp({ type: 'email_change', email: 'new@example.com', token: '123456' })
  await authClient.resend({ type: 'email_change', email: 'maria@example.com' })
  await authClient.verifyOtp({ type: 'email', email: 'maria@example.com', token: '123456' })
  expect(shown).toEqual(['Bearer header.payload.own', 'Bearer header.payload.own', null])
})
