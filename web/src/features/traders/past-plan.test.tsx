import { cleanup, render, screen } from '@testing-library/react'
import type { TraderProfile } from '@tradepost/contract/traders'
import { afterEach, expect, test } from 'vitest'
import { PastPlan } from './past-plan.tsx'

afterEach(cleanup)

const NOW = new Date('2026-11-28T15:00:00.000Z')
const profile: TraderProfile = {
  openPositions: 2,
  closedPositions: 0,
  averageProfit: null,
  canSubscribe: false,
  isSubscribed: false,
  isSelf: false,
  latestPositions: [],
}
const position = { symbol: 'MSFT', opened: '2026-10-27T15:00:00.000Z', openPrice: 478.2 }

test('the card has ticker, opening and gain so far of each position past its plan, and the number of further ones', () => {
  const priced = {
    ...position,
    companyName: 'MICROSOFT CORP',
    gain: -3.4,
    at: '2026-11-27T18:39:30.000Z',
    publicAt: '2026-11-18T15:00:00.000Z',
  }
  const unpriced = { ...position, symbol: 'GONE', gain: null, at: null }
  render(<PastPlan profile={{ ...profile, pastPlan: [priced, unpriced], morePastPlan: 7 }} now={NOW} />)
  screen.getByRole('region', { name: 'Past its plan' })
  const [head, first, second] = screen.getAllByRole('row').map(({ textContent }) => textContent)
  expect(head).toBe('StockOpenedOpen PriceGain so far')
  expect(first).toMatch(/^MSFTMICROSOFT CORPOct 27.*\$478\.20loss -3\.40%10 d over plan$/)
  expect(second).toMatch(/^GONE.*\$478\.20no price yet$/)
  screen.getByText('And 7 more.')
})

test.each([
  ['delayed', /\$478\.20loss -3\.40%15 min late$/],
  ['percent', /\$478\.20loss -3%$/],
] as const)('where prices are %s each gain shows it', (rights, words) => {
  const held = { ...position, gain: rights === 'percent' ? -3 : -3.4, at: '2026-11-27T18:39:30.000Z', rights }
  render(<PastPlan profile={{ ...profile, pastPlan: [held], morePastPlan: 0 }} now={NOW} />)
  expect(screen.getAllByRole('row')[1]?.textContent).toMatch(words)
})

test('without a position past its plan there is no card', () => {
  const { container } = render(<PastPlan profile={{ ...profile, pastPlan: [], morePastPlan: 0 }} now={NOW} />)
  expect(container.textContent).toBe('')
  cleanup()
  // An older server sends no such field.
  expect(render(<PastPlan profile={profile} now={NOW} />).container.textContent).toBe('')
})
