import { cleanup, render, screen } from '@testing-library/react'
import type { ClosedOfTrader } from '@tradepost/contract/closed-positions'
import type { TraderProfile } from '@tradepost/contract/traders'
import { afterEach, expect, test, vi } from 'vitest'
import { renderOver } from '../positions/test-page.tsx'
import { ClosedPositionDialog } from './closed-list.tsx'
import { ClosedTable } from './closed-table.tsx'
import { RecentPositions } from './recent-positions.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const NOW = new Date('2026-11-28T15:00:00.000Z')
const SPAN = { opened: '2026-11-18T15:04:12.318Z', closed: '2026-11-27T18:40:05.120Z' }
const GAIN = { symbol: 'REAL', ...SPAN, percentageGain: 10 }
const real: ClosedOfTrader = {
  id: 'p1',
  holdLength: 'one_to_three_weeks',
  openPrice: 100,
  closePrice: 110,
  daysHeld: 9,
  ...GAIN,
}
const strike = { symbol: 'GLCH', struck: true, struckReason: 'Nobody traded at that price.' } as const
const struck: ClosedOfTrader = { ...real, ...strike, id: 'p2' }

const rowsWithLabel = () =>
  screen.getAllByRole('row').map(({ textContent }) => textContent?.includes('Struck'))

test('lists of closed positions label the struck one, with its gain', () => {
  render(<ClosedTable caption="All closed positions" positions={[struck, real]} onChoose={() => undefined} />)
  expect(rowsWithLabel()).toEqual([false, true, false])
  expect(screen.getAllByRole('row')[1]?.textContent).toContain('+10.00%')
  cleanup()
  const profile: TraderProfile = {
    openPositions: 0,
    closedPositions: 1,
    averageProfit: 10,
    canSubscribe: false,
    isSubscribed: false,
    isSelf: false,
    latestPositions: [GAIN, { ...GAIN, ...strike }],
  }
  render(<RecentPositions profile={profile} now={NOW} />)
  expect(rowsWithLabel()).toEqual([false, false, true])
})

test('the window of a struck position shows by whom and why', () => {
  const Window = ({ position }: { position: ClosedOfTrader }) => (
    <ClosedPositionDialog trader="maria" position={position} onDismiss={() => undefined} />
  )
  renderOver({}, <Window position={struck} />)
  screen.getByText('Struck by Tradepost: Nobody traded at that price. It counts nowhere.')
  cleanup()
  renderOver({}, <Window position={real} />)
  expect(screen.queryByText(/Struck/)).toBeNull()
})
