import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import type { SubscriptionItem } from '@tradepost/contract/subscriptions'
import { afterEach, expect, test, vi } from 'vitest'
import { toast } from '../../ui/toast.ts'
import { SubscriptionsSection } from './subscriptions-section.tsx'
import { heldAnswer, isBusy, press, renderOver, type TestApi } from './test-provider.tsx'

const LIST = 'GET /v1/subscriptions'
const PORTAL = 'POST /v1/accounts/stripe/customer-session'
const MAIL = 'POST /v1/subscriptions/a/mail'
const PAGE = 'https://billing.stripe.example/p/session/1'
const told = vi.spyOn(toast, 'error')

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
  vi.useRealTimers()
  told.mockClear()
})

function item(part: Partial<SubscriptionItem> = {}): SubscriptionItem {
  return {
    id: 'a',
    username: 'maria',
    status: 'active',
    mailEnabled: true,
    endsAt: null,
    currentPeriodEnd: '2026-12-18T12:00:00.000Z',
    startedAt: '2026-11-18T12:00:00.000Z',
    priceCents: 1000,
    currency: 'usd',
    ...part,
  }
}

type Options = { customer?: boolean; trader?: boolean; api?: TestApi; at?: string }

function show(subscriptions: SubscriptionItem[], options: Options = {}) {
  const { customer = true, trader = false, at = '/account' } = options
  const api: TestApi = {
    [LIST]: { body: { subscriptions } },
    [PORTAL]: { body: { url: PAGE } },
    'GET /v1/accounts/subscribers': { body: { subscribers: 7 } },
    ...options.api,
  }
  const account = { username: 'bob', trader, customer }
  return { ...renderOver(api, <SubscriptionsSection account={account} />, at), api }
}

const rowOf = async (name: string) => screen.findByRole('row', { name: new RegExp(name) })
const mailSwitch = () => screen.getByRole<HTMLInputElement>('switch', { name: 'E-mail me' })

test('without billing set up nothing is asked for, and the way on is the search', () => {
  const { calls } = show([], { customer: false })
  screen.getByText('You are not subscribed to anyone yet.', { exact: false })
  expect(screen.getByRole('link', { name: 'Search' }).getAttribute('href')).toBe('/search')
  expect(screen.queryByRole('button', { name: 'Manage billing' })).toBeNull()
  expect(screen.queryByText(/^Subscribers:/)).toBeNull()
  expect(calls).toEqual([])
})

test('with billing and nobody followed the list says so', async () => {
  const { calls } = show([])
  await screen.findByText('You are not subscribed to anyone yet.', { exact: false })
  expect(calls).toEqual([LIST])
})

test('a trader reads how many follow', async () => {
  show([], { trader: true })
  await screen.findByText('Subscribers: 7')
})

test('each trader that one follows has state, renewal, price, mail and Manage', async () => {
  const { calls } = show([
    item(),
    item({ id: 'b', username: 'ending', endsAt: '2026-12-01T12:00:00.000Z', mailEnabled: false }),
    item({ id: 'c', username: 'failing', status: 'past_due', priceCents: 499, currency: 'eur' }),
    item({ id: 'd', username: 'gone', status: 'canceled', endsAt: '2026-11-01T12:00:00.000Z' }),
  ])
  const cells = async (name: string) =>
    within(await rowOf(name))
      .getAllByRole('cell')
      .map(({ textContent }) => textContent)
  expect(await cells('maria')).toEqual(['maria', 'Active', 'Dec 18, 2026', '$10.00', '', 'Manage'])
  expect(await cells('ending')).toEqual(['ending', 'Ends on Dec 1, 2026', '', '$10.00', '', 'Manage'])
  expect(await cells('failing')).toEqual(['failing', 'Payment problem', '', '€4.99', '', 'Manage'])
  expect(await cells('gone')).toEqual(['gone', 'Ended', '', '$10.00', '', ''])
  const headers = screen.getAllByRole('columnheader').map(({ textContent }) => textContent)
  expect(headers).toEqual(['Trader', 'Status', 'Renews', 'Price', 'E-mail me', 'Actions'])
  expect(screen.getByRole('link', { name: 'ending' }).getAttribute('href')).toBe('/trader/ending')
  const switches = screen.getAllByRole<HTMLInputElement>('switch', { name: 'E-mail me' })
  expect(switches.map(({ checked }) => checked)).toEqual([true, false, true])
  expect(calls).toEqual([LIST])
})

test('Manage billing leads to the portal, once', async () => {
  const { calls, left } = show([])
  await screen.findByText(/not subscribed to anyone/)
  press('Manage billing')
  press('Manage billing')
  await waitFor(() => expect(left).toEqual([PAGE]))
  expect(calls).toEqual([LIST, PORTAL])
  expect(isBusy('Manage billing')).toBe(true)
})

test('Manage leads to the portal at that subscription', async () => {
  const { calls, left } = show([item(), item({ id: 'b', username: 'other' })], {
    api: { 'POST /v1/subscriptions/b/manage': { body: { url: PAGE } } },
  })
  fireEvent.click(within(await rowOf('other')).getByRole('button', { name: 'Manage' }))
  await waitFor(() => expect(left).toEqual([PAGE]))
  expect(calls).toEqual([LIST, 'POST /v1/subscriptions/b/manage'])
  const busy = screen.getAllByRole('button', { name: 'Manage' }).map((one) => one.getAttribute('aria-busy'))
  expect(busy).toEqual([null, 'true'])
})

test('a portal that cannot be opened is reported', async () => {
  const { left } = show([item()], {
    api: { [PORTAL]: { status: 409, body: { message: 'Set up billing first.' } } },
  })
  await rowOf('maria')
  press('Manage billing')
  await screen.findByText('Set up billing first.')
  expect(isBusy('Manage billing')).toBe(false)
  expect(left).toEqual([])
})

test('the mails about a trader are turned off at once', async () => {
  const { answer, letGo } = heldAnswer({ body: { mailEnabled: false } })
  const { calls } = show([item()], { api: { [MAIL]: answer } })
  await rowOf('maria')
  fireEvent.click(mailSwitch())
  await waitFor(() => expect(mailSwitch().checked).toBe(false))
  await act(async () => letGo())
  expect(mailSwitch().checked).toBe(false)
  expect(calls).toEqual([LIST, `${MAIL} {"enabled":false}`])
  expect(told).not.toHaveBeenCalled()
})

test('a switch that could not be moved goes back, with the reason, and the list is fetched again', async () => {
  const { answer, letGo } = heldAnswer({ status: 503, body: { message: 'Later.' } })
  const { calls } = show([item()], { api: { [MAIL]: answer } })
  await rowOf('maria')
  fireEvent.click(mailSwitch())
  await waitFor(() => expect(mailSwitch().checked).toBe(false))
  letGo()
  await waitFor(() => expect(mailSwitch().checked).toBe(true))
  expect(told.mock.calls).toEqual([['Later.']])
  await waitFor(() => expect(calls).toEqual([LIST, `${MAIL} {"enabled":false}`, LIST]))
})

test('a switch that could not be moved goes back even when the list cannot be fetched either', async () => {
  const { answer, letGo } = heldAnswer({ status: 503, body: { message: 'Later.' } })
  const { api, calls } = show([item()], { api: { [MAIL]: answer } })
  await rowOf('maria')
  fireEvent.click(mailSwitch())
  await waitFor(() => expect(mailSwitch().checked).toBe(false))
  api[LIST] = { status: 500, body: {} }
  letGo()
  await waitFor(() => expect(calls).toEqual([LIST, `${MAIL} {"enabled":false}`, LIST]))
  await waitFor(() => expect(mailSwitch().checked).toBe(true))
})

test('off and on again in a breath are sent one after the other, and the last one holds', async () => {
  const { answer, letGo } = heldAnswer({ body: { mailEnabled: false } })
  const { api, calls } = show([item()], { api: { [MAIL]: answer } })
  await rowOf('maria')
  fireEvent.click(mailSwitch())
  await waitFor(() => expect(mailSwitch().checked).toBe(false))
  fireEvent.click(mailSwitch())
  await waitFor(() => expect(mailSwitch().checked).toBe(true))
  expect(calls).toEqual([LIST, `${MAIL} {"enabled":false}`])
  api[MAIL] = { body: { mailEnabled: true } }
  await act(async () => letGo())
  await waitFor(() => expect(calls).toEqual([LIST, `${MAIL} {"enabled":false}`, `${MAIL} {"enabled":true}`]))
  await waitFor(() => expect(mailSwitch().checked).toBe(true))
})

test('back from the portal the list is looked at again for half a minute', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  const { api, calls } = show([item()], { at: '/account?portal=return' })
  await screen.findByText('Active')
  expect(document.location.search).toBe('')
  api[LIST] = { body: { subscriptions: [item({ endsAt: '2026-12-18T12:00:00.000Z' })] } }
  await act(() => vi.advanceTimersByTimeAsync(2100))
  await screen.findByText('Ends on Dec 18, 2026')
  await act(() => vi.advanceTimersByTimeAsync(60_000))
  expect(calls).toHaveLength(15)
})
