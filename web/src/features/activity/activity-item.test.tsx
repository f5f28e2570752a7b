import { cleanup, render, screen } from '@testing-library/react'
import type { ActivityItem } from '@tradepost/contract/activity'
import { afterEach, expect, test } from 'vitest'
import { ActivityEvent } from './activity-event.tsx'
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
  [item, 'maria’s position in GLCH was struck: Nobody traded at that price.'],
  [{ ...item, own: true }, 'Your position in GLCH was struck: Nobody traded at that price.'],
])('Activity shows whose position was struck and why (%#)', (shown, sentence) => {
  render(<ActivityEntry item={shown} isNew={false} marked={false} onChoose={() => undefined} />)
  expect(screen.getByRole('heading').textContent).toBe(sentence)
})

const closed: ActivityItem = {
  ...item,
  kind: 'closed',
  unread: true,
  strike: undefined,
  close: { price: 90, percentageGain: -10, notes: 'Out, as I said.' },
}

test('an item is a button whose name is the whole sentence, and says that it is unread', () => {
  const chosen: string[] = []
  render(<ActivityEntry isNew item={closed} marked={false} onChoose={({ id }) => chosen.push(id)} />)
  // In a browser its name has the blanks too, as e2e/activity.spec.ts shows.
  const button = screen.getByRole('button')
  expect(button.textContent).toBe('maria closed GLCH at $90.00 loss -10.00%, unread')
  button.click()
  expect(chosen).toEqual(['maria.42'])
  screen.getByText('Out, as I said.')
})

test('in the window an event has its sentence, its time and how long its mail took, and a settlement what settled it', () => {
  const settled: ActivityItem = {
    ...item,
    kind: 'settled',
    strike: undefined,
    mailedAfterSeconds: 2,
    settlement: { price: 92, percentageGain: -8, by: 'trade' },
  }
  const { container } = render(<ActivityEvent item={settled} />)
  expect(container.textContent).toMatch(
    /^maria’s GLCH settled at \$92\.00It was the first trade after the close: this price is final, and counts from now on\.Nov 28, 2026 · .*15:00 UTCMailed to you about 2 s after publishing$/,
  )
})
