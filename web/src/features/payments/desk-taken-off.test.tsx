import { cleanup, render, screen } from '@testing-library/react'
import type { TakenOff } from '@tradepost/contract/desk'
import { afterEach, expect, test } from 'vitest'
import { DeskTakenOff } from './desk-taken-off.tsx'

afterEach(cleanup)

const PAYMENT = { at: '2026-11-29T12:00:00.000Z', paidCents: 1000, shareCents: 900, currency: 'usd' }

function rows(takenOff: TakenOff[] | undefined): string[][] {
  render(<DeskTakenOff takenOff={takenOff} />)
  return screen
    .queryAllByRole('row')
    .slice(1)
    .map((row) => [...row.querySelectorAll('th, td')].map(({ textContent }) => textContent ?? ''))
}

test('each payment is listed with its day, why, its amount and the part that was taken off, and their sum', () => {
  const listed = [
    { ...PAYMENT, why: 'disputed' },
    { ...PAYMENT, at: '2026-11-20T12:00:00.000Z', shareCents: 0, why: 'dispute_won' },
    { ...PAYMENT, at: '2026-10-02T12:00:00.000Z', shareCents: 360, why: 'withdrawn' },
    { ...PAYMENT, at: '2026-10-02T12:00:00.000Z', shareCents: 360, why: 'withdrawn' },
  ]
  expect(rows(listed)).toEqual([
    ['Nov 29, 2026', 'Disputed, open', '$10.00', '-$9.00'],
    ['Nov 20, 2026', 'Dispute won', '$10.00', '$0.00'],
    ['Oct 2, 2026', 'Withdrawn', '$10.00', '-$3.60'],
    ['Oct 2, 2026', 'Withdrawn', '$10.00', '-$3.60'],
    ['In all', '-$16.20'],
  ])
})

test('every other reason has its words too, and one of a newer version is shown as written', () => {
  const whys = ['dispute_lost', 'warned', 'empty_month', 'returned', 'of_a_newer_version']
  const shown = rows(whys.map((why) => ({ ...PAYMENT, why }))).map(([, why]) => why)
  expect(shown.slice(0, 5)).toEqual([
    ...['Dispute lost', 'Card network warned', 'Empty month', 'Returned', 'of a newer version'],
  ])
})

test('currencies are summed apart', () => {
  const euros = { ...PAYMENT, currency: 'eur', shareCents: 450, why: 'returned' }
  expect(rows([{ ...PAYMENT, why: 'returned' }, euros]).slice(2)).toEqual([
    ['In all', '-$9.00'],
    ['In all', '-€4.50'],
  ])
})

test('a desk of which nothing was taken has no such list', () => {
  expect(rows(undefined)).toEqual([])
  expect(screen.queryByRole('heading')).toBeNull()
})
