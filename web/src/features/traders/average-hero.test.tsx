import { cleanup, screen } from '@testing-library/react'
import type { TraderProfile } from '@tradepost/contract/traders'
import { afterEach, expect, test, vi } from 'vitest'
import { renderOver } from '../positions/test-page.tsx'
import { AverageHero } from './average-hero.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const profile: TraderProfile = {
  openPositions: 0,
  closedPositions: 37,
  averageProfit: 2.19,
  canSubscribe: false,
  isSubscribed: false,
  isSelf: false,
  latestPositions: [],
}
const record: NonNullable<TraderProfile['record']> = {
  closed: 36,
  wins: null,
  median: 1,
  best: 5,
  worst: -2,
  medianDaysHeld: 13,
  average: 2.19,
  plansKept: null,
}

test('where more is closed than the average counts, the profile says how many are not settled yet', () => {
  renderOver({}, <AverageHero username="jonas" profile={{ ...profile, record }} />)
  screen.getByText('average of 36 closed')
  screen.getByText('1 not settled yet')
  cleanup()
  renderOver({}, <AverageHero username="jonas" profile={{ ...profile, record: { ...record, closed: 37 } }} />)
  screen.getByText('average of 37 closed')
  expect(screen.queryByText(/settled/)).toBeNull()
})
