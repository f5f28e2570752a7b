import { expect, test } from 'vitest'
import { centsOfEmptyMonth, monthsOf, returnedInTens } from './paid-months.ts'

const at = (text: string) => new Date(`${text}Z`)
const beginnings = (start: string, end: string, anchor = start) =>
  monthsOf({ start: at(start), end: at(end) }, at(anchor)).map((month) =>
    month.start.toISOString().slice(0, 19),
  )

test('a month is as its provider bounds it, to the second', () => {
  const period = { start: at('2026-01-31T10:11:12'), end: at('2026-02-28T10:11:12') }
  expect(monthsOf(period, at('2025-12-31T10:11:12'))).toEqual([period])
})

test('the twelve months of a year follow one another from its first instant to its last', () => {
  const months = monthsOf(
    { start: at('2026-03-04T15:00:00'), end: at('2027-03-04T15:00:00') },
    at('2026-03-04T15:00:00'),
  )
  expect(months).toHaveLength(12)
  expect(months[0]).toEqual({ start: at('2026-03-04T15:00:00'), end: at('2026-04-04T15:00:00') })
  expect(months[11]).toEqual({ start: at('2027-02-04T15:00:00'), end: at('2027-03-04T15:00:00') })
  for (const [nth, { start }] of months.slice(1).entries()) expect(start).toEqual(months[nth]?.end)
})

test.each([
  [
    '2026-01-31T23:59:59',
    '2027-01-31T23:59:59',
    '02-28 03-31 04-30 05-31 06-30 07-31 08-31 09-30 10-31 11-30 12-31',
  ],
  // With a 29th of February.
  [
    '2028-01-30T00:00:00',
    '2029-01-30T00:00:00',
    '02-29 03-30 04-30 05-30 06-30 07-30 08-30 09-30 10-30 11-30 12-30',
  ],
])('a year from %s has its months on that day, or on the last one of a short month', (start, end, days) => {
  expect(
    beginnings(start, end)
      .slice(1)
      .map((day) => day.slice(5, 10))
      .join(' '),
  ).toBe(days)
  expect(new Set(beginnings(start, end).map((day) => day.slice(11)))).toEqual(new Set([start.slice(11)]))
})

test('a year that begins on a 28th of February because of its anchor goes on with the 29th', () => {
  const [start, end, anchor] = ['2029-02-28T12:00:00', '2030-02-28T12:00:00', '2028-02-29T12:00:00']
  expect(
    beginnings(start, end, anchor)
      .slice(0, 3)
      .map((day) => day.slice(5, 10)),
  ).toEqual(['02-28', '03-29', '04-29'])
  // One that was begun on the 28th stays there.
  expect(
    beginnings(start, end, '2027-02-28T12:00:00')
      .slice(0, 3)
      .map((day) => day.slice(5, 10)),
  ).toEqual(['02-28', '03-28', '04-28'])
  // A leap year's 28th is not its month's last day.
  expect(beginnings('2028-02-28T12:00:00', '2029-02-28T12:00:00', '2024-02-29T12:00:00')[1]).toBe(
    '2028-03-28T12:00:00',
  )
})

const PAID = { paidCents: 1000, refundedCents: 0, monthsCents: 0, disputedCents: 0, endedEarly: false }

test('a month goes back whole, less what came back or is disputed, and never more than is left', () => {
  expect(centsOfEmptyMonth(PAID, 0, 1)).toBe(1000)
  expect(centsOfEmptyMonth({ ...PAID, refundedCents: 333 }, 0, 1)).toBe(667)
  expect(centsOfEmptyMonth({ ...PAID, refundedCents: 967, endedEarly: true }, 0, 1)).toBe(33)
  expect(centsOfEmptyMonth({ ...PAID, disputedCents: 1000 }, 0, 1)).toBe(0)
  expect(centsOfEmptyMonth({ ...PAID, disputedCents: 400, refundedCents: 100 }, 0, 1)).toBe(500)
  expect(centsOfEmptyMonth({ ...PAID, refundedCents: 1000 }, 0, 1)).toBe(0)
  expect(centsOfEmptyMonth({ ...PAID, paidCents: 0 }, 0, 1)).toBe(0)
})

test('twelve empty months of a year add up to what was paid, to the cent', () => {
  for (const paidCents of [12_500, 9999, 11, 12_007]) {
    let back = 0
    const cents = Array.from({ length: 12 }, (_, nth) => {
      const one = centsOfEmptyMonth({ ...PAID, paidCents, refundedCents: back, monthsCents: back }, nth, 12)
      back += one
      return one
    })
    expect(back).toBe(paidCents)
    expect(new Set(cents.slice(0, 11))).toEqual(new Set([Math.floor(paidCents / 12)]))
  }
  expect(centsOfEmptyMonth({ ...PAID, paidCents: 12_500 }, 0, 12)).toBe(1041)
  expect(centsOfEmptyMonth({ ...PAID, paidCents: 12_500 }, 11, 12)).toBe(1049)
})

test('a part that came back of a running year is of all its months alike, one of an ended year of its last ones', () => {
  const year = { ...PAID, paidCents: 12_000 }
  expect(centsOfEmptyMonth({ ...year, refundedCents: 1200 }, 3, 12)).toBe(900)
  // Ended in its fourth month, of which 300 of 1000 cents came back, with the eight months behind it.
  const ended = { ...year, refundedCents: 8300, endedEarly: true }
  expect([2, 3, 4, 11].map((nth) => centsOfEmptyMonth(ended, nth, 12))).toEqual([1000, 700, 0, 0])
  // Two months before had come back as empty ones.
  expect(centsOfEmptyMonth({ ...ended, refundedCents: 10_300, monthsCents: 2000 }, 3, 12)).toBe(700)
})

test('numbers for everybody are rounded down to tens', () => {
  expect([0, 9, 10, 19, 20, 1234].map(returnedInTens)).toEqual([
    'fewer than 10',
    'fewer than 10',
    'at least 10',
    'at least 10',
    'at least 20',
    'at least 1,230',
  ])
})
