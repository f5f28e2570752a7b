import { cleanup, screen } from '@testing-library/react'
import type { FollowingResults } from '@tradepost/contract/following'
import { afterEach, expect, test, vi } from 'vitest'
import { FollowingStrip } from './following-strip.tsx'
import { press, renderOver } from './test-provider.tsx'

const RESULTS = 'GET /v1/following/results'
const results: FollowingResults = {
  indexSymbol: 'SPY',
  following: 3,
  closed: 14,
  mean: 2.1,
  won: 9,
  index: -0.8,
  open: 3,
  fromClose: 2,
  recent: { closed: 4, mean: -0.3, won: 1, index: 0.2 },
  costs: [
    { currency: 'usd', cents: 3000 },
    { currency: 'eur', cents: 490 },
  ],
  traders: [],
  renewalMail: true,
}

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const words = async () => {
  const strip = await screen.findByRole('region', { name: 'What following brought' })
  return [...strip.querySelectorAll('p, li')].map(({ textContent }) => textContent)
}

test('the mean since one follows stands beside that of the last month, the index and the price', async () => {
  renderOver({ [RESULTS]: { body: results } }, <FollowingStrip />)
  expect(await words()).toEqual([
    'Since you followgain +2.10%',
    'Last 30 daysloss -0.30%',
    'mean of 14 closed',
    'SPY -0.80%',
    '9 won',
    '3 open',
    '2 counted from the day’s close',
    'you pay $30.00 and €4.90 a month',
  ])
})

test('where a year is paid at once the price of a month is named as a mean', async () => {
  const costs: FollowingResults['costs'] = [
    { currency: 'usd', cents: 2042, ofYears: true },
    { currency: 'eur', cents: 490 },
  ]
  renderOver({ [RESULTS]: { body: { ...results, costs } } }, <FollowingStrip />)
  expect((await words()).at(-1)).toBe('you pay $20.42 and €4.90 a month on average')
})

test('before the first close the strip says that, and what is open and paid', async () => {
  const none = { closed: 0, mean: null, won: 0, index: null }
  const body = { ...results, ...none, fromClose: 0, recent: none, costs: results.costs.slice(0, 1) }
  renderOver({ [RESULTS]: { body } }, <FollowingStrip />)
  expect(await words()).toEqual([
    'Nothing has been closed yet since you follow',
    '3 open',
    'you pay $30.00 a month',
  ])
})

test('somebody who follows nobody any more reads that, and a failure can be tried again', async () => {
  const none = { closed: 0, mean: null, won: 0, index: null }
  const left = { ...results, ...none, fromClose: 0, recent: none, costs: [], following: 0, open: 0 }
  const api: Parameters<typeof renderOver>[0] = { [RESULTS]: { status: 500, body: {} } }
  renderOver(api, <FollowingStrip />)
  await screen.findByRole('alert')
  api[RESULTS] = { body: left }
  press('Try again')
  expect(await words()).toEqual(['You follow nobody now'])
})
