import { expect, test, vi } from 'vitest'
import { isMarketOpen, lastSessionClose, nextMarketChange } from './market-hours.ts'

const at = (instant: string) => new Date(instant)

test.each([
  ['2026-03-02T14:29:59.999Z', false],
  ['2026-03-02T14:30:00.000Z', true],
])('Monday %s is open: %s', (instant, open) => {
  expect(isMarketOpen(at(instant), null)).toBe(open)
})

test.each([
  ['2026-03-02T20:59:59.999Z', true],
  ['2026-03-02T21:00:00.000Z', false],
])('Monday %s is open: %s', (instant, open) => {
  expect(isMarketOpen(at(instant), null)).toBe(open)
})

test('the market is open on the five weekdays and closed on Saturday and Sunday', () => {
  const week = [1, 2, 3, 4, 5, 6, 7].map((day) => isMarketOpen(at(`2026-03-0${day}T15:00:00Z`), null))
  // The first is a Sunday.
  expect(week).toEqual([false, true, true, true, true, true, false])
})

test.each([
  ['Asia/Tokyo', -540],
  ['America/Los_Angeles', 480],
  ['UTC', 0],
])('the weekday is that of UTC on a machine in %s', (zone, offset) => {
  vi.stubEnv('TZ', zone)
  try {
    expect(at('2026-03-01T00:00:00Z').getTimezoneOffset()).toBe(offset)
    expect(isMarketOpen(at('2026-03-06T20:59:59.999Z'), null)).toBe(true)
    expect(isMarketOpen(at('2026-03-07T15:00:00Z'), null)).toBe(false)
    expect(isMarketOpen(at('2026-03-08T20:00:00Z'), null)).toBe(false)
    expect(isMarketOpen(at('2026-03-09T14:30:00Z'), null)).toBe(true)
  } finally {
    vi.unstubAllEnvs()
  }
})

test('the override forces the market open, and its absence forces nothing', () => {
  const sunday = at('2026-03-01T03:00:00Z')
  expect(isMarketOpen(sunday, 'open')).toBe(true)
  expect(isMarketOpen(sunday, 'hours')).toBe(true)
  expect(isMarketOpen(sunday, null)).toBe(false)
})

test('the hours are the same in July: no daylight saving, no holidays', () => {
  expect(isMarketOpen(at('2026-07-15T13:45:00Z'), null)).toBe(false)
  expect(isMarketOpen(at('2026-07-15T20:30:00Z'), null)).toBe(true)
  expect(isMarketOpen(at('2026-12-25T15:00:00Z'), null)).toBe(true)
})

test.each([
  ['2026-03-02T10:00:00.000Z', '2026-03-02T14:30:00.000Z'],
  ['2026-03-02T14:29:59.999Z', '2026-03-02T14:30:00.000Z'],
  ['2026-03-02T14:30:00.000Z', '2026-03-02T21:00:00.000Z'],
  ['2026-03-06T20:59:59.999Z', '2026-03-06T21:00:00.000Z'],
  ['2026-03-06T21:00:00.000Z', '2026-03-09T14:30:00.000Z'],
  ['2026-03-08T23:59:59.999Z', '2026-03-09T14:30:00.000Z'],
])('after %s the market changes at %s', (now, change) => {
  expect(nextMarketChange(at(now)).toISOString()).toBe(change)
})

test('over a fortnight, every change found is the next one', () => {
  const start = at('2026-03-01T00:00:00Z').getTime()
  for (let minute = 0; minute < 14 * 1440; minute += 7) {
    const now = new Date(start + minute * 60_000)
    const change = nextMarketChange(now)
    expect(change > now).toBe(true)
    expect(isMarketOpen(change, null)).not.toBe(isMarketOpen(now, null))
    expect(isMarketOpen(new Date(change.getTime() - 1), null)).toBe(isMarketOpen(now, null))
  }
})

test.each([
  [
    'before the end of a session it is that of the day before',
    '2026-03-04T20:59:59.999Z',
    '2026-03-03T21:00:00.000Z',
  ],
  ['at the end it is this one', '2026-03-04T21:00:00.000Z', '2026-03-04T21:00:00.000Z'],
  ['on a Sunday it is that of Friday', '2026-03-08T23:00:00.000Z', '2026-03-06T21:00:00.000Z'],
  ['on a Monday morning too', '2026-03-09T03:00:00.000Z', '2026-03-06T21:00:00.000Z'],
])('of the last session that is over, %s', (_title, now, close) => {
  expect(lastSessionClose(new Date(now)).toISOString()).toBe(close)
})
