import { cleanup, screen, waitFor } from '@testing-library/react'
import type { PaidInvoice } from '@tradepost/contract/invoices'
import { afterEach, expect, test, vi } from 'vitest'
import { OwnPayments } from './own-payments.tsx'
import { press, renderOver } from './test-provider.tsx'

const LIST = 'GET /v1/accounts/invoices'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const paid = (id: string, part: Partial<PaidInvoice> = {}): PaidInvoice => ({
  id,
  trader: 'maria',
  paidAt: '2026-11-18T15:00:00.000Z',
  amountCents: 1000,
  taxCents: 0,
  refundedCents: 0,
  currency: 'usd',
  ...part,
})
const show = (invoices: PaidInvoice[], more = false) =>
  renderOver({ [LIST]: { body: { invoices, more } } }, <OwnPayments />)
const rows = async () => (await screen.findAllByRole('listitem')).map(({ textContent }) => textContent)

test('a payment has its tax and what came back of it, and leads to its invoice in a new tab', async () => {
  const { calls } = show([
    paid('in_1', { taxCents: 160, refundedCents: 767 }),
    paid('in_2', { refundedCents: 1000, trader: '' }),
    paid('in_3'),
  ])
  expect(await rows()).toEqual([
    'Nov 18, 2026@maria$10.00$1.60 of it is tax$7.67 came backInvoice',
    'Nov 18, 2026a trader who has left$10.00All of it came backInvoice',
    'Nov 18, 2026@maria$10.00Invoice',
  ])
  const replace = vi.fn()
  const tab = { opener: 'here', location: { replace }, close: vi.fn() }
  vi.stubGlobal('open', () => tab)
  screen.getAllByRole('button', { name: 'Invoice' })[0]?.click()
  await waitFor(() => expect(calls).toEqual([LIST, 'POST /v1/accounts/invoices/in_1/open']))
  // The address did not come: the tab goes again, and the page says so.
  await waitFor(() => expect(tab.close).toHaveBeenCalled())
  expect((await screen.findByRole('alert')).textContent).not.toBe('')
})

test('three payments are shown before somebody asks for all, and older ones are named', async () => {
  show(
    Array.from({ length: 50 }, (_, nth) => paid(`in_${nth}`)),
    true,
  )
  expect(await rows()).toHaveLength(3)
  press('Show the last 50')
  expect(await rows()).toHaveLength(50)
  screen.getByText('Older payments are under Manage billing.')
})

test('somebody who has paid nothing sees no list', async () => {
  const { calls } = show([])
  await waitFor(() => expect(calls).toEqual([LIST]))
  expect(screen.queryByText('What you paid')).toBeNull()
})
