import { afterEach, expect, test, vi } from 'vitest'
import { keepSentCode, readSentCode } from './sent-code.ts'

afterEach(() => {
  vi.restoreAllMocks()
  sessionStorage.clear()
})

const NOON = Date.UTC(2026, 0, 5, 12)
const sent = { email: 'maria@example.com', at: NOON, mailed: true }

test('a code is waited for during its ten minutes, and forgotten then', () => {
  keepSentCode(sent)
  expect(readSentCode(NOON)).toEqual(sent)
  expect(readSentCode(NOON + 599_999)).toEqual(sent)
  expect(readSentCode(NOON + 600_000)).toBeNull()
  expect(readSentCode(NOON)).toBeNull()
})

test('a code that went before is waited for as well, and one that an earlier version kept was mailed', () => {
  keepSentCode({ ...sent, mailed: false })
  expect(readSentCode(NOON)).toEqual({ ...sent, mailed: false })
  const key = sessionStorage.key(0) ?? ''
  sessionStorage.setItem(key, JSON.stringify({ email: sent.email, at: NOON }))
  expect(readSentCode(NOON)).toEqual(sent)
})

test.each([
  '',
  'nonsense',
  'null',
  '[]',
  '{"email":"maria@example.com"}',
  `{"email":"abcd","at":${NOON}}`,
  `{"email":["maria@example.com"],"at":${NOON}}`,
  `{"email":"maria@example.com","at":"${NOON}"}`,
  `{"email":"maria@example.com","at":${NOON + 1}}`,
])('a stored value that is no code step (%j) leads to the first step, and does not stay', (text) => {
  keepSentCode(sent)
  const key = sessionStorage.key(0) ?? ''
  sessionStorage.setItem(key, text)
  expect(readSentCode(NOON)).toBeNull()
  expect(sessionStorage.length).toBe(0)
})

test('where storage is forbidden, nothing is kept and nothing breaks', () => {
  vi.stubGlobal('sessionStorage', null)
  keepSentCode(sent)
  expect(readSentCode(NOON)).toBeNull()
  vi.unstubAllGlobals()
})
