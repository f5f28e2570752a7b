import { cleanup, render } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { TrialLine } from './trial-line.tsx'

const price = { interval: 'month', cents: 1250, currency: 'usd', later: null } as const

beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2026-11-29T12:00:00Z') })
})
afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

const words = (ui: Parameters<typeof render>[0]) => render(ui).container.textContent

const END = ' To end it before, choose End trial under Account > Subscriptions: then nothing is charged.'

test('a trial says its free days, the price behind them, its first day, and how to end it before', () => {
  expect(words(<TrialLine days={7} price={price} />)).toBe(
    `7 days free, then $12.50 a month from December 6, until you cancel.${END}`,
  )
  expect(words(<TrialLine days={14} price={{ ...price, interval: 'year', cents: 10_000 }} />)).toBe(
    `14 days free, then $100 a year from December 13, until you cancel.${END}`,
  )
})

test('a trial that begins in December may end in January', () => {
  vi.setSystemTime(new Date('2026-12-29T12:00:00Z'))
  expect(words(<TrialLine days={7} price={price} />)).toContain('from January 5,')
})

test('a discount behind a trial is said with its end and the price behind it', () => {
  const later = { months: 1, cents: 3000 }
  expect(words(<TrialLine days={7} price={{ ...price, cents: 300, later }} />)).toContain(
    'then $3.00 for the first month from December 6, then $30 a month, until you cancel.',
  )
  expect(
    words(<TrialLine days={7} price={{ ...price, cents: 1500, later: { ...later, months: 3 } }} />),
  ).toContain('then $15 a month for 3 months from December 6, then $30 a month, until you cancel.')
})

test('nothing is said where there is no trial', () => {
  expect(words(<TrialLine days={null} price={price} />)).toBe('')
})
