import { expect, test } from 'vitest'
import { elapsedBetween, elapsedWords } from './elapsed.ts'

const FROM = new Date('2026-11-18T15:00:00.000Z')
const words = (to: string) => {
  const elapsed = elapsedBetween(FROM, new Date(to))
  return elapsed && elapsedWords(elapsed)
}

test.each([
  ['2026-11-18T15:01:00.000Z', '1 minute'],
  ['2026-11-18T15:59:59.999Z', '59 minutes'],
  ['2026-11-18T16:00:00.000Z', '1 hour'],
  ['2026-11-19T14:59:59.999Z', '23 hours'],
  ['2026-11-19T15:00:00.000Z', '1 day'],
  ['2026-11-20T14:59:59.999Z', '1 day'],
  ['2026-11-20T15:00:00.000Z', '2 days'],
  ['2027-11-18T15:00:00.000Z', '365 days'],
])('from 2026-11-18 15:00 to %s are %s', (to, expected) => {
  expect(words(to)).toBe(expected)
})

test('less than a minute is no time yet, and neither is what lies ahead', () => {
  expect(words('2026-11-18T15:00:59.999Z')).toBeNull()
  expect(words('2026-11-18T14:00:00.000Z')).toBeNull()
})
