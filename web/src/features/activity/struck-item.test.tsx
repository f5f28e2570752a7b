import { cleanup, render, screen } from '@testing-library/react'
import type { ActivityItem } from '@tradepost/contract/activity'
import { afterEach, expect, test } from 'vitest'
import { ActivityEntry } from './activity-item.tsx'

afterEach(cleanup)

const item: ActivityItem = {
  id: 'maria.42',
  kind: 'adjusted',
  at: '2026-11-28T15:00:00.000Z',
  trader: 'maria',
  own: false,
  unread: false,
  positionId: 'p1',
  symbol: 'GLCH',
  holdLength: 'one_to_three_weeks',
  openPrice: 100,
  openedAt: '2026-11-18T15:04:12.318Z',
  openNotes: 'Long enough.',
  strike: { reason: 'Nobody traded at that price.' },
}

test.each([
  [item, '@maria’s position in GLCH was struck: Nobody traded at that price.'],
  [{ ...item, own: true }, 'Your position in GLCH was struck: Nobody traded at that price.'],
])('Activity shows whose position was struck and why (%#)', (shown, sentence) => {
  render(<ActivityEntry item={shown} isNew={false} marked={false} />)
  expect(screen.getByRole('heading').textContent).toBe(sentence)
})
