import type { Position } from '@tradepost/contract/positions'

/** A position for tests; name only what the test is about. */
export function makePosition(part: Partial<Position> = {}): Position {
  return {
    id: 'p1',
    active: true,
    stock: 'AAPL',
    holdLength: 'one_to_three_weeks',
    openNotes: 'Earnings look better than the price says.',
    openPrice: 100,
    openedAt: '2026-11-16T15:00:00.000Z',
    user: 'maria',
    ...part,
  }
}
