import { endpoints } from '@tradepost/contract/endpoints'
import { AUTH_STORAGE_KEY } from '@tradepost/contract/storage-keys'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { call } from './api.ts'
import { hasLeft, isLeaving } from './end-session.ts'
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

test('a token that has run out by the server’s clock alone, and that cannot be renewed just now, keeps the session', async () => {
  const serverTime = Date.now() + 7_200_000
  storeSession({ accessToken: `h.${btoa(JSON.stringify({ exp: serverTime / 1000 - 60 }))}.s` })
  fetched.mockResolvedValueOnce(
    new Response('{}', { status: 401, headers: { date: new Date(serverTime).toUTCString() } }),
  )
  fetched.mockImplementation(async () => jsonAnswer(503, {}))
  await expect(call(endpoints.preview, { symbol: 'AAPL' })).rejects.toThrow()
  noteServerTime(new Date().toUTCString(), Date.now())
  expect(localStorage.getItem(AUTH_STORAGE_KEY)).not.toBeNull()
}, 60_000)

test('a refusal of one person’s call does not end the session of another who has signed in meanwhile', async () => {
  fetched.mockImplementationOnce(async () => {
    storeSession({ accessToken: 'newer', userId: 'u2' })
    return jsonAnswer(401, {})
  })
  await expect(call(endpoints.preview, { symbol: 'AAPL' })).rejects.toMatchObject({ status: 401 })
  expect(localStorage.getItem(AUTH_STORAGE_KEY)).toContain('u2')
})

test('a late refusal after the session has ended already does not count as leaving again', async () => {
  fetched.mockImplementationOnce(async () => {
    localStorage.removeItem(AUTH_STORAGE_KEY)
    hasLeft()
    return jsonAnswer(401, {})
  })
  await expect(call(endpoints.preview, { symbol: 'AAPL' })).rejects.toMatchObject({ status: 401 })
  expect(isLeaving()).toBe(false)
})
