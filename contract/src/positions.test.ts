import { expect, test } from 'vitest'
import { closePayload, openPayload } from './positions.ts'

const open = { symbol: 'AAPL', key: 'k', openNotes: 'Ten or more', positionLength: 'x' }

test('exactly the stated fields are read, others are ignored', () => {
  expect(openPayload.parse({ ...open, openPrice: 1, user: 'x' })).toEqual(open)
})

test.each(['a\u0000b', '\ud800 alone', 'and \udc00'])('text that cannot be kept (%j) is refused', (text) => {
  expect(openPayload.safeParse({ ...open, openNotes: text }).success).toBe(false)
  expect(closePayload.safeParse({ symbol: 'A', key: 'k', closeNotes: text }).success).toBe(false)
})

test('any other text is kept, emoji and control characters too', () => {
  expect(openPayload.safeParse({ ...open, openNotes: '🚀\r\n\t\u0007' }).success).toBe(true)
})
