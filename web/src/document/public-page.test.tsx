import type { PublicRecord } from '@tradepost/contract/public-record'
import { beforeEach, expect, test } from 'vitest'
import { drawPicture, drawPublicHead, drawPublicPage } from './drawings.tsx'

const NOW = new Date('2026-03-12T15:00:00Z')
const track = {
  asOf: '2026-03-03',
  indexSymbol: 'SPY',
  withOpen: false,
  days: [
    { day: '2026-03-02', level: 0, index: 0 },
    { day: '2026-03-03', level: 4.2, index: -1 },
  ],
  closedBefore: 0,
  drawdown: null,
  allIn: null,
  versusIndex: { mean: 1.5, positions: 24, missing: 0 },
  closes: [],
  moreCloses: 0,
}
const record = {
  closed: 24,
  average: 5.69,
  wins: { count: 19, of: 24 },
  median: 4,
  best: 9,
  worst: -2,
  medianDaysHeld: 3,
  plansKept: null,
}
const of: PublicRecord = {
  username: 'maria',
  since: '2026-03-02',
  record,
  latest: [],
  pastPlan: [],
  morePastPlan: 0,
  openedAt: [],
  track,
  proven: null,
  price: { cents: 1250, yearlyCents: null, currency: 'usd', taxLiable: null },
}

let page = document.createElement('div')
beforeEach(() => {
  page = document.createElement('div')
})

/** The page as the elements that a browser makes of it. */
function draw(given: Partial<PublicRecord> = {}): HTMLElement {
  page.innerHTML = drawPublicPage({ ...of, ...given }, NOW)
  return page
}

const textsOf = (selector: string) =>
  [...page.querySelectorAll(selector)].map(({ textContent }) => textContent)

test('figures that there are none of are left out, and all of them before the first close', () => {
  draw()
  expect(textsOf('dt')).toEqual(['Wins', 'Median', 'Best', 'Worst', 'Median days held'])
  expect(textsOf('dd')).toEqual(['19 of 24', 'gain +4.00%', 'gain +9.00%', 'loss -2.00%', '3'])
  expect(page.textContent).toContain('1.50 points better than SPY over the same days')
  // One was closed since the night that computed them.
  expect(page.textContent).not.toContain('closed positions up to')
  draw({ record: { ...record, closed: 25 } })
  expect(page.textContent).toContain('mean of 24 closed positions up to Mar 3')
  draw({ record: { ...record, closed: 0, average: null, median: null } })
  expect(textsOf('dt, dd')).toEqual([])
  expect(page.textContent).toContain('No closed positions yet.')
})

test('the button to follow says what it costs, or that nobody can begin to', () => {
  draw()
  const said = () =>
    page.querySelector(`#${page.querySelector('a[rel=nofollow]')?.getAttribute('aria-describedby')}`)
  expect(said()?.textContent).toBe('$12.50 a month, cancel any time')
  draw({ price: { cents: 1250, yearlyCents: 12_500, currency: 'usd', taxLiable: null } })
  expect(said()?.textContent).toBe('$12.50 a month or $125 a year, cancel any time')
  draw({ price: null })
  expect(said()?.textContent).toBe('Takes no new subscribers at the moment')
})

test('the curve says what it counts and has lines at round percents, and there is none of one day', () => {
  draw()
  expect(textsOf('[aria-labelledby=curve] > p')[0]).toMatch(
    /^Equal stakes in the positions of each day, open ones left out until they are public, beside SPY\./,
  )
  expect(textsOf('svg text')).toEqual(['-2%', '0%', '+2%', '+4%', '+6%'])
  const paths = [...page.querySelectorAll('svg[role=presentation] path')].map((path) =>
    path.getAttribute('d'),
  )
  expect(paths).toEqual(['M0 750L1000 875', 'M0 750L1000 225'])
  draw({ track: { ...track, days: track.days.slice(1) } })
  expect(textsOf('h2')).toEqual(['Open positions'])
})

test('an estimate is told with its range, and one of too few days as provisional', () => {
  const entry = {
    username: 'maria',
    low: '0.50',
    middle: '1.25',
    high: '2.00',
    closed: 24,
    open: 1,
    provisional: false,
    overdue: 0,
    averageGain: '5.69',
  }
  draw({ proven: entry })
  expect(textsOf('[aria-labelledby=proven] p')).toEqual([
    'About +1.25% a position over SPY, between +0.50% and +2.00% with 80 % certainty.',
    'Computed every night from closed positions and open ones, so far up to the session of Mar 3, 2026.',
  ])
  draw({ proven: { ...entry, provisional: true } })
  expect(textsOf('[aria-labelledby=proven] p')[0]).toContain('Provisional')
})

const HOSTILE = `"><script>alert(1)</script><a href='//evil.example/__HEAD____CONTENT__`

test('no value becomes an element or an attribute, of the page, its head or its picture', () => {
  const latest = [
    {
      symbol: HOSTILE,
      companyName: HOSTILE,
      opened: '2026-03-02T15:00:00Z',
      closed: '2026-03-03T15:00:00Z',
      percentageGain: 1,
    },
  ]
  const hostile = { ...of, username: HOSTILE, latest }
  draw(hostile)
  expect(page.querySelectorAll('script')).toHaveLength(0)
  expect(page.querySelectorAll('[href*=evil]')).toHaveLength(1)
  expect(textsOf('h1')).toEqual([HOSTILE])
  expect(textsOf('td:first-child .block')).toEqual([HOSTILE])
  const head = drawPublicHead(hostile, { address: HOSTILE, picture: HOSTILE, isPage: true })
  const svg = drawPicture(hostile, NOW)
  for (const text of [head, svg]) {
    expect(text).not.toContain('<script')
    expect(text).not.toContain('<a ')
    expect(text).not.toMatch(/\sstyle=/)
  }
  page.innerHTML = head
  expect([...page.children].map(({ tagName }) => tagName)).toEqual([
    'TITLE',
    'META',
    'LINK',
    ...Array.from({ length: 12 }, () => 'META'),
  ])
  expect(page.querySelector('[property="og:url"]')?.getAttribute('content')).toBe(HOSTILE)
})

test('the page has neither a script nor an inline style, which its policy refuses', () => {
  expect(drawPublicPage(of, NOW)).not.toMatch(/<script|<template|\sstyle=/)
})

test('a picture holds the name, the average, how many are closed and the day, and another day has another picture', () => {
  const svg = drawPicture(of, NOW)
  for (const text of [
    '@maria',
    '+5.69%',
    'average of 24 closed',
    'Mar 12, 2026',
    'since Mar 2, 2026: +4.20% · SPY -1.00%',
  ])
    expect(svg).toContain(`>${text}<`)
  expect(drawPicture(of, new Date('2026-03-13T15:00:00Z'))).not.toBe(svg)
})

test('a gain so far says where it is late, and has no decimals where it is known in whole percent', () => {
  const past = { symbol: 'MSFT', opened: '2026-10-27T15:00:00.000Z', openPrice: 478.2, at: null }
  draw({
    pastPlan: [
      { ...past, gain: -3.4, rights: 'delayed' },
      { ...past, symbol: 'KO', gain: 5, rights: 'percent' },
      { ...past, symbol: 'NVDA', gain: 5 },
    ],
  })
  const gains = [...page.querySelectorAll('[aria-labelledby="past-plan"] td:last-child')]
  expect(gains.map(({ textContent }) => textContent)).toEqual([
    'loss -3.40%15 min late',
    'gain +5%',
    'gain +5.00%',
  ])
})
