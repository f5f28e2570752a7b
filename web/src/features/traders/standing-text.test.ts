import { expect, test } from 'vitest'
import { standingText } from './trader-standing.tsx'

test.each([
  [{ since: '2026-04-01', closedPositions: 28 }, '28 closed since Apr 2026'],
  [{ since: '2026-04-30', closedPositions: 1 }, '1 closed since Apr 2026'],
  [{ since: '2026-04-08', closedPositions: 0 }, 'no closed positions yet'],
  [{ since: null, closedPositions: 0 }, 'no closed positions yet'],
  // The answer of an older server.
  [{ closedPositions: 3 }, '3 closed'],
])('beside Subscribe %j reads %s', (trader, text) => {
  expect(standingText(trader)).toBe(text)
})
