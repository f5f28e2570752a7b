import { expect, test } from 'vitest'
import { marketClockText } from './market-clock.tsx'

test.each([
  [
    'on a Saturday in winter',
    '2026-11-21T10:00:00.000Z',
    'Trading hours: closed until Mon 14:30 UTC (9:30 AM New York), 2 d 4 h',
  ],
  [
    'on a morning in summer',
    '2026-07-15T11:10:00.000Z',
    'Trading hours: closed until Wed 14:30 UTC (10:30 AM New York), 3 h 20 min',
  ],
  [
    'in the last minute before the opening',
    '2026-11-18T14:29:30.000Z',
    'Trading hours: closed until Wed 14:30 UTC (9:30 AM New York), 1 min',
  ],
  [
    'at the opening',
    '2026-11-18T14:30:00.000Z',
    'Trading hours: open until 21:00 UTC (4:00 PM New York), 6 h 30 min',
  ],
  [
    'an hour before the close',
    '2026-11-18T20:00:00.000Z',
    'Trading hours: open until 21:00 UTC (4:00 PM New York), 1 h',
  ],
  [
    'on a Friday evening',
    '2026-11-20T21:00:00.000Z',
    'Trading hours: closed until Mon 14:30 UTC (9:30 AM New York), 2 d 17 h',
  ],
])('%s the clock shows what comes next, and when', (_, now, text) => {
  expect(marketClockText(new Date(now))).toBe(text)
})
