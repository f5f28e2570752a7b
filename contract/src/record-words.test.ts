import { expect, test } from 'vitest'
import { sayRecordState } from './record-words.ts'

const now = new Date('2026-11-26T15:03:00Z')
const signed = (secondsAgo: number) => now.getTime() / 1000 - secondsAgo

test.each([
  [24_640, 12, 2, '24,640 entries, signed 12 s ago, 2 witnesses'],
  [1, 300, 0, '1 entry, signed 5 min ago, no witness'],
  [2, 10_000, 1, '2 entries, signed 2 h ago, 1 witness'],
  [2, -5, 1, '2 entries, signed 0 s ago, 1 witness'],
])('%d entries, signed %d seconds ago by %d witnesses, are said so', (size, ago, witnesses, words) => {
  expect(sayRecordState({ size, signedAt: signed(ago), witnesses }, now)).toBe(words)
})
