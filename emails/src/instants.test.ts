import { expect, test } from 'vitest'
import { formatMarketTime } from './instants.ts'

test.each([
  ['2026-11-18T15:04:05.678Z', 'Nov 18, 2026, 15:04:05 UTC (10:04 New York)'],
  ['2026-07-01T20:59:59.000Z', 'Jul 1, 2026, 20:59:59 UTC (16:59 New York)'],
  ['2026-11-18T04:59:00.000Z', 'Nov 18, 2026, 04:59:00 UTC (Nov 17, 23:59 New York)'],
  ['2026-11-18T05:00:00.000Z', 'Nov 18, 2026, 05:00:00 UTC (00:00 New York)'],
])('%s is %s', (at, expected) => {
  expect(formatMarketTime(at)).toBe(expected)
})
