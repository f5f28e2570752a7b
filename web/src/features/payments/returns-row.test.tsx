import { cleanup, render, screen } from '@testing-library/react'
import type { SubscriptionItem } from '@tradepost/contract/subscriptions'
import { afterEach, expect, test } from 'vitest'
import { ReturnsRow } from './returns-row.tsx'

afterEach(cleanup)

function listed(part: Pick<SubscriptionItem, 'disputes' | 'returns' | 'withdrawnAt'>): (string | null)[] {
  render(
    <table>
      <tbody>
        <ReturnsRow subscription={{ currency: 'usd', ...part }} columns={6} />
      </tbody>
    </table>,
  )
  return screen.queryAllByRole('listitem').map(({ textContent }) => textContent)
}

const AT = '2026-11-29T12:00:00.000Z'

test('money of a withdrawal is on its way, and then went back on a day', () => {
  const withdrawn = { why: 'withdrawn', cents: 963, monthFrom: null }
  expect(listed({ withdrawnAt: AT, returns: [{ ...withdrawn, returnedAt: null }] })).toEqual([
    'You withdrew, and $9.63 is on its way back to the card that paid.',
  ])
  cleanup()
  expect(listed({ withdrawnAt: AT, returns: [{ ...withdrawn, returnedAt: AT }] })).toEqual([
    'You withdrew, and $9.63 went back on Nov 29, 2026, to the card that paid. Banks take up to ten days to show it.',
  ])
})

test('a withdrawal that returns nothing is said too', () => {
  expect(listed({ withdrawnAt: AT })).toEqual([
    'You withdrew, and nothing comes back: all that you paid had gone back before.',
  ])
})

test('an empty month and any other return are said, by the month of UTC, also before the amount is known', () => {
  const month = { why: 'empty_month', monthFrom: '2026-11-09' }
  expect(
    listed({
      returns: [
        { ...month, cents: null, returnedAt: null },
        { ...month, monthFrom: '2026-12-09', cents: 1250, returnedAt: AT },
        { why: 'other', cents: 100, monthFrom: null, returnedAt: null },
      ],
    }),
  ).toEqual([
    'Nothing reached you in the month from Nov 9, 2026 (UTC) on, and what you paid for it is on its way back to the card that paid.',
    'Nothing reached you in the month from Dec 9, 2026 (UTC) on, and $12.50 went back on Nov 29, 2026, to the card that paid. Banks take up to ten days to show it.',
    '$1.00 is on its way back to the card that paid.',
  ])
})

test('a dispute says that the subscription has ended, and for whom the bank decided', () => {
  const payment = { paidCents: 1250, disputedAt: AT }
  const decided = (by: string | null) => listed({ disputes: [{ ...payment, decided: by }] })
  expect(decided(null)).toEqual([
    'Your bank disputes a payment of $12.50 since Nov 29, 2026: the subscription has ended. It has the money back until it decides.',
  ])
  cleanup()
  const disputed = 'Your bank disputed a payment of $12.50 on Nov 29, 2026, and the subscription has ended.'
  expect(decided('payer')).toEqual([`${disputed} It has decided for you: the money stays with you.`])
  cleanup()
  expect(decided('payment')).toEqual([`${disputed} It has decided that the payment was right.`])
  cleanup()
  expect(decided('of_a_newer_version')).toEqual([`${disputed} It has decided.`])
})

test('a subscription of which nothing came back has no such row', () => {
  expect(listed({})).toEqual([])
  expect(screen.queryByRole('row')).toBeNull()
})
