import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import type { TraderDesk } from '@tradepost/contract/desk'
import type { FollowingResults, TraderResults } from '@tradepost/contract/following'
import type { SubscriptionItem } from '@tradepost/contract/subscriptions'
import { afterEach, expect, test, vi } from 'vitest'
import { toast } from '../../ui/toast.ts'
import { followingQuery } from './following.api.ts'
import { SubscriptionsSection } from './subscriptions-section.tsx'
import { heldAnswer, isBusy, press, renderOver, type TestApi } from './test-provider.tsx'

const LIST = 'GET /v1/subscriptions'
const DESK = 'GET /v1/accounts/desk'
const PAYOUTS = 'GET /v1/accounts/desk/payouts'
const PORTAL = 'POST /v1/accounts/stripe/customer-session'
const MAIL = 'POST /v1/subscriptions/a/mail'
const PAGE = 'https://billing.stripe.example/p/session/1'
const toasts = vi.spyOn(toast, 'error')

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
  vi.useRealTimers()
  toasts.mockClear()
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

const usd = (availableCents: number, pendingCents: number) => ({
  currency: 'usd',
  availableCents,
  pendingCents,
})

function desk(part: Partial<TraderDesk> = {}): TraderDesk {
  return {
    followers: 7,
    months: [
      { month: '2026-01', gained: 9, lost: 2 },
      { month: '2025-12', gained: 0, lost: 0 },
    ],
    income: [{ currency: 'usd', thisMonthCents: 6300, lastMonthCents: 0, allCents: 123456789 }],
    ...part,
  }
}

type Options = {
  customer?: boolean
  trader?: boolean
  api?: TestApi
  at?: string
  traders?: TraderResults[]
}

const NOTHING = { closed: 0, mean: null, won: 0, index: null }

function following(traders: TraderResults[]): FollowingResults {
  const whole = { indexSymbol: 'SPY', following: 1, open: 0, fromClose: 0, costs: [], renewalMail: true }
  return { ...whole, ...NOTHING, recent: NOTHING, traders }
}

function show(subscriptions: SubscriptionItem[], options: Options = {}) {
  const { customer = true, trader = false, at = '/account', traders = [] } = options
  const api: TestApi = {
    [LIST]: { body: { subscriptions } },
    [PORTAL]: { body: { url: PAGE } },
    [DESK]: { body: desk() },
    [PAYOUTS]: { body: { state: 'ready', balance: [usd(0, 900)], coming: [] } },
    ...options.api,
  }
  const account = { username: 'bob', trader, customer }
  return {
    ...renderOver(
      api,
      <SubscriptionsSection
        account={account}
        mailings={null}
        notifications={null}
        payments={null}
        share={<button type="button">Share</button>}
      />,
      at,
      (client) => client.setQueryData(followingQuery.queryKey, following(traders)),
    ),
    api,
  }
}

test('a row says since when its trader is followed and what came of it, of a trader with two rows the first', async () => {
  vi.setSystemTime(new Date('2026-11-28T12:00:00.000Z'))
  const brought = { ...NOTHING, since: '2026-08-03T12:00:00.000Z', open: 1 }
  show([item(), item({ id: 'b', username: 'bea' }), item({ id: 'c', status: 'canceled' })], {
    traders: [
      { ...brought, username: 'Maria', closed: 6, mean: 1.9 },
      { ...brought, username: 'bea' },
    ],
  })
  const rows = await screen.findAllByRole('row')
  expect(rows.map((row) => /since.*?(?:%|yet)/.exec(row.textContent ?? '')?.[0])).toEqual([
    undefined,
    'since Aug 3: 6 closed, gain +1.90%',
    'since Aug 3: nothing closed yet',
    undefined,
  ])
})

test.each([
  [{ until: '2027-03-03T12:00:00.000Z', code: 'AUTUMN20' }, '$8 a month until Mar 3, 2027, then $12.50'],
  [{ until: null, code: 'AUTUMN20' }, '$8 a month with AUTUMN20 · $12.50 without'],
  [{ until: null, code: null }, '$8 a month with a discount · $12.50 without'],
])('a row with a discount says what is charged, how long, and the price: %j', async (part, words) => {
  vi.setSystemTime(new Date('2026-11-28T12:00:00.000Z'))
  show([item({ priceCents: 1250, discount: { cents: 800, thenCents: 1250, ...part } })])
  const row = await screen.findByRole('row', { name: /maria/ })
  expect(row.textContent?.replaceAll('\u00a0', ' ')).toContain(words)
  // Where the rows are no stacks it has a line of its own.
  screen.getByRole('cell', { name: words })
})

test.each([
  [{ began: 60, free: 12, stayed: 31, ended: 17 }, 'Began60Still free12Stayed31Ended17'],
  [{ began: 60, free: 12, stayed: 31, ended: 16 }, 'Began60Still free12Stayed31Ended16Payment owed1'],
])('the desk says how trials stand: %j', async (trials, words) => {
  show([], { trader: true, api: { [DESK]: { body: desk({ trials }) } } })
  const heading = await screen.findByRole('heading', { name: 'Trials' })
  expect(heading.parentElement?.querySelector('dl')?.textContent).toBe(words)
})

test('a subscription to a trader who has left names nobody, and leads nowhere', async () => {
  const left = item({ username: '', status: 'canceled', endsAt: '2026-11-20T12:00:00.000Z' })
  show([left])
  const row = (await screen.findByText('A trader who has left')).closest('tr')
  expect(row).not.toBeNull()
  expect(within(row as HTMLElement).queryByRole('link')).toBeNull()
})

test('the mail before a renewal is switched off at once, and back on when that cannot be done', async () => {
  const SWITCH = 'POST /v1/following/renewal-mail'
  const { api, calls } = show([item()], { api: { [SWITCH]: { body: { renewalMail: false } } } })
  const name = /^Mail me the day before a renewal/
  fireEvent.click(await screen.findByRole('switch', { name }))
  const renewal = screen.getByRole<HTMLInputElement>('switch', { name })
  await waitFor(() => expect(calls).toEqual([LIST, `${SWITCH} {"enabled":false}`]))
  expect(renewal.checked).toBe(false)
  api[SWITCH] = { status: 500, body: { code: 'unavailable', message: 'Later.', requestId: 'x' } }
  fireEvent.click(renewal)
  await waitFor(() => expect(toasts.mock.calls).toEqual([['Later.']]))
  expect(renewal.checked).toBe(false)
})

test('whoever has ended all subscriptions is offered no mail before a renewal', async () => {
  show([item({ status: 'canceled' })])
  await screen.findByText('Ended')
  expect(screen.queryByText('Mail me the day before a renewal')).toBeNull()
})

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

test('with billing and nobody followed the list shows that', async () => {
  const { calls } = show([])
  await screen.findByText('You are not subscribed to anyone yet.', { exact: false })
  expect(calls).toEqual([LIST])
})

test('a trader reads how many follow', async () => {
  show([], { trader: true })
  await screen.findByText('Subscribers: 7')
})

/** Names and values of the lists of facts. */
const facts = () =>
  screen.getAllByRole('term').map((term) => [term.textContent, term.nextElementSibling?.textContent])

test('a trader reads how many paid months went back, by currency, and nothing where none did', async () => {
  const returned = [
    { currency: 'eur', months: 1, cents: 900 },
    { currency: 'usd', months: 1200, cents: 1_200_000 },
  ]
  show([], {
    trader: true,
    customer: false,
    api: { [DESK]: { body: desk({ returned }) } },
  })
  await screen.findByText('One paid month without anything published went back to followers: €9.00.')
  screen.getByText('1,200 paid months without anything published went back to followers: $12000.00.')
  cleanup()
  show([], { trader: true, customer: false, api: { [DESK]: { body: desk() } } })
  await screen.findByText('Balance at Stripe')
  expect(screen.queryByText(/without anything published/)).toBeNull()
})

test('a trader reads what came in, by currency, and who came and left, by month in UTC', async () => {
  const income = [
    ...desk().income,
    { currency: 'eur', thisMonthCents: -450, lastMonthCents: 900, allCents: 450 },
  ]
  show([], { trader: true, customer: false, api: { [DESK]: { body: desk({ income }) } } })
  await screen.findByText('Balance at Stripe')
  expect(facts()).toEqual([
    ['This month', '$63.00'],
    ['Last month', '$0.00'],
    ['In all', '$1234567.89'],
    ['This month', '-€4.50'],
    ['Last month', '€9.00'],
    ['In all', '€4.50'],
    ['Next payout', 'Stripe sends what is pending as soon as it is available.'],
    ['Balance at Stripe', '$0.00 available, $9.00 pending'],
  ])
  const table = screen.getByRole('table', { name: 'New and lost followers by month, in UTC' })
  expect(
    within(table)
      .getAllByRole('row')
      .map((row) => [...row.children].map(({ textContent }) => textContent)),
  ).toEqual([
    ['Month', 'New', 'Lost'],
    ['Jan 2026', '9', '2'],
    ['Dec 2025', '0', '0'],
  ])
})

test('payouts on their way are named with their day in UTC, each', async () => {
  const coming = [
    { id: 'po_1', amountCents: 900, currency: 'usd', arrivesOn: '2026-03-01' },
    { id: 'po_2', amountCents: 450, currency: 'eur', arrivesOn: '2026-03-02' },
  ]
  const body = { state: 'ready', balance: [usd(100, 0)], coming }
  show([], { trader: true, api: { [PAYOUTS]: { body } } })
  const next = (await screen.findByText('Next payouts')).parentElement
  const values = [...(next?.querySelectorAll('dd') ?? [])].map(({ textContent }) => textContent)
  expect(values).toEqual(['$9.00 on Mar 1, 2026', '€4.50 on Mar 2, 2026'])
})

test.each([
  ['a negative balance', [usd(-300, 900)], 'What comes in next makes up for the negative balance first.'],
  ['what is available', [usd(900, 0)], 'Stripe sends what is available with its next payout.'],
  ['nothing', [usd(0, 0)], 'Nothing to pay out yet.'],
])('with %s and no payout on its way the desk shows what comes next', async (_, balance, words) => {
  show([], { trader: true, api: { [PAYOUTS]: { body: { state: 'ready', balance, coming: [] } } } })
  await screen.findByText(words)
})

test('while Stripe does not answer the desk shows all else, and asks again on request', async () => {
  const away = { body: { state: 'unreadable', balance: [], coming: [] } }
  const { api } = show([], { trader: true, api: { [PAYOUTS]: away } })
  await screen.findByText(/^Stripe does not answer/)
  screen.getByText('Subscribers: 7')
  screen.getByText('$63.00')
  api[PAYOUTS] = { status: 503, body: { message: 'Later.' } }
  press('Try again')
  await waitFor(() => expect(isBusy('Try again')).toBe(false))
  screen.getByText(/^Stripe does not answer/)
  api[PAYOUTS] = { body: { state: 'ready', balance: [usd(0, 0)], coming: [] } }
  press('Try again')
  await screen.findByText('Nothing to pay out yet.')
})

test('unfinished payouts show what to do, and the balance at Stripe all the same', async () => {
  const body = { state: 'incomplete', balance: [usd(0, 900)], coming: [] }
  show([], { trader: true, api: { [PAYOUTS]: { body } } })
  await screen.findByText(/^Stripe cannot pay you/)
  expect(screen.getByRole('link', { name: 'Payments' }).getAttribute('href')).toBe('/account#payments')
  screen.getByText('$0.00 available, $9.00 pending')
})

test('back from onboarding the payouts are looked at until they are set up', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  const incomplete = { body: { state: 'incomplete', balance: [], coming: [] } }
  const options = { trader: true, customer: false, at: '/account?onboarding=return' }
  const { api, calls } = show([], { ...options, api: { [PAYOUTS]: incomplete } })
  await screen.findByText(/^Stripe cannot pay you/)
  api[PAYOUTS] = { body: { state: 'ready', balance: [usd(0, 0)], coming: [] } }
  await act(() => vi.advanceTimersByTimeAsync(2100))
  await screen.findByText('Nothing to pay out yet.')
  await act(() => vi.advanceTimersByTimeAsync(60_000))
  expect(calls).toEqual([DESK, PAYOUTS, PAYOUTS])
})

test('a trader whom nobody has followed yet is led to the profile, and can share it', async () => {
  const months = [{ month: '2026-01', gained: 0, lost: 0 }]
  const nobody = desk({ followers: 0, income: [], months })
  const incomplete = { body: { state: 'incomplete', balance: [], coming: [] } }
  show([], { trader: true, api: { [DESK]: { body: nobody }, [PAYOUTS]: incomplete } })
  await screen.findByText(/^Nobody has followed you yet/)
  expect(screen.getByRole('link', { name: 'profile' }).getAttribute('href')).toBe('/trader/bob')
  screen.getByRole('button', { name: 'Share' })
  expect(screen.queryByRole('table')).toBeNull()
  await screen.findByText(/^Stripe cannot pay you/)
  expect(screen.queryByText('Balance at Stripe')).toBeNull()
})

test('a desk that cannot be loaded shows the failure, with a way to try again', async () => {
  const { api } = show([], { trader: true, api: { [DESK]: { status: 503, body: { message: 'Later.' } } } })
  await screen.findByText('Not up to date: Later.')
  api[DESK] = { body: desk() }
  press('Try again')
  await screen.findByText('Subscribers: 7')
})

test('each trader that one follows has state, renewal, price, mail and Manage', async () => {
  const { calls } = show([
    item(),
    item({ id: 'b', username: 'ending', endsAt: '2026-12-01T12:00:00.000Z', mailEnabled: false }),
    item({ id: 'c', username: 'failing', status: 'past_due', priceCents: 499, currency: 'eur' }),
    item({ id: 'e', username: 'yearly', interval: 'year', priceCents: 12_550 }),
    item({ id: 'd', username: 'gone', status: 'canceled', endsAt: '2026-11-01T12:00:00.000Z' }),
  ])
  const cells = async (name: string) =>
    within(await rowOf(name))
      .getAllByRole('cell')
      .map(({ textContent }) => textContent)
  expect(await cells('maria')).toEqual(['maria', 'Active', 'Dec 18, 2026', '$10 a\u00a0month', '', 'Cancel…'])
  expect(await cells('ending')).toEqual([
    'ending',
    'Ends on Dec 1, 2026',
    '',
    '$10 a\u00a0month',
    '',
    'ManageKeep it',
  ])
  expect(await cells('failing')).toEqual([
    'failing',
    'Payment problem',
    '',
    '€4.99 a\u00a0month',
    '',
    'ManageCancel…',
  ])
  expect(await cells('yearly')).toEqual([
    'yearly',
    'Active',
    'Dec 18, 2026',
    '$125.50 a\u00a0year',
    '',
    'Cancel…',
  ])
  expect(await cells('gone')).toEqual(['gone', 'Ended', '', '$10 a\u00a0month', '', ''])
  const headers = screen.getAllByRole('columnheader').map(({ textContent }) => textContent)
  expect(headers).toEqual(['Trader', 'Status', 'Renews', 'Price', 'E-mail me', 'Actions'])
  expect(screen.getByRole('link', { name: 'ending' }).getAttribute('href')).toBe('/trader/ending')
  const switches = screen.getAllByRole<HTMLInputElement>('switch', { name: 'E-mail me' })
  expect(switches.map(({ checked }) => checked)).toEqual([true, false, true, true])
  expect(calls).toEqual([LIST])
})

test('a person who gets no mails reads why, where everything is, and what sends them again; nobody else does', async () => {
  const shown = (mailsRefused: string | null) =>
    show([], { api: { [LIST]: { body: { subscriptions: [item()], mailsRefused } } } })
  shown('refused')
  const notice = await screen.findByRole('note')
  expect(notice.textContent).toMatch(
    /^Mails to your address come back.*mail server refuses them.*sign in with a new code, and they go out again\.$/,
  )
  expect(within(notice).getByRole('link', { name: 'Activity' }).getAttribute('href')).toBe('/activity')
  expect(within(notice).queryByRole('link', { name: 'Feedback' })).toBeNull()
  cleanup()
  shown('complained')
  const complaint = await screen.findByRole('note')
  expect(complaint.textContent).toMatch(/reported as spam.*To get such mails again, tell us by Feedback\.$/)
  expect(within(complaint).getByRole('link', { name: 'Feedback' }).getAttribute('href')).toBe('#feedback')
  cleanup()
  shown(null)
  await rowOf('maria')
  expect(screen.queryByRole('note')).toBeNull()
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
  const { calls, left } = show(
    [item({ status: 'past_due' }), item({ id: 'b', username: 'other', status: 'past_due' })],
    {
      api: { 'POST /v1/subscriptions/b/manage': { body: { url: PAGE } } },
    },
  )
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
  const { answer, release } = heldAnswer({ body: { mailEnabled: false } })
  const { calls } = show([item()], { api: { [MAIL]: answer } })
  await rowOf('maria')
  fireEvent.click(mailSwitch())
  await waitFor(() => expect(mailSwitch().checked).toBe(false))
  await act(async () => release())
  expect(mailSwitch().checked).toBe(false)
  expect(calls).toEqual([LIST, `${MAIL} {"enabled":false}`])
  expect(toasts).not.toHaveBeenCalled()
})

test('a switch that could not be moved goes back, with the reason, and the list is fetched again', async () => {
  const { answer, release } = heldAnswer({ status: 503, body: { message: 'Later.' } })
  const { calls } = show([item()], { api: { [MAIL]: answer } })
  await rowOf('maria')
  fireEvent.click(mailSwitch())
  await waitFor(() => expect(mailSwitch().checked).toBe(false))
  release()
  await waitFor(() => expect(mailSwitch().checked).toBe(true))
  expect(toasts.mock.calls).toEqual([['Later.']])
  await waitFor(() => expect(calls).toEqual([LIST, `${MAIL} {"enabled":false}`, LIST]))
})

test('a switch that could not be moved goes back even when the list cannot be fetched either', async () => {
  const { answer, release } = heldAnswer({ status: 503, body: { message: 'Later.' } })
  const { api, calls } = show([item()], { api: { [MAIL]: answer } })
  await rowOf('maria')
  fireEvent.click(mailSwitch())
  await waitFor(() => expect(mailSwitch().checked).toBe(false))
  api[LIST] = { status: 500, body: {} }
  release()
  await waitFor(() => expect(calls).toEqual([LIST, `${MAIL} {"enabled":false}`, LIST]))
  await waitFor(() => expect(mailSwitch().checked).toBe(true))
})

test('off and on again in a breath are sent one after the other, and the last one holds', async () => {
  const { answer, release } = heldAnswer({ body: { mailEnabled: false } })
  const { api, calls } = show([item()], { api: { [MAIL]: answer } })
  await rowOf('maria')
  fireEvent.click(mailSwitch())
  await waitFor(() => expect(mailSwitch().checked).toBe(false))
  fireEvent.click(mailSwitch())
  await waitFor(() => expect(mailSwitch().checked).toBe(true))
  expect(calls).toEqual([LIST, `${MAIL} {"enabled":false}`])
  api[MAIL] = { body: { mailEnabled: true } }
  await act(async () => release())
  await waitFor(() => expect(calls).toEqual([LIST, `${MAIL} {"enabled":false}`, `${MAIL} {"enabled":true}`]))
  await waitFor(() => expect(mailSwitch().checked).toBe(true))
})

const ALL = 'POST /v1/accounts/position-mails'
const allSwitch = () => screen.getByRole<HTMLInputElement>('switch', { name: 'All mails about positions' })

test('with the mails of all traders off their switches keep their value, and say why they cannot be moved', async () => {
  const { api, calls } = show([item(), item({ id: 'b', username: 'bea', mailEnabled: false })], {
    api: { [ALL]: { body: { positionMails: false } } },
  })
  await rowOf('maria')
  const ofTraders = () => screen.getAllByRole<HTMLInputElement>('switch', { name: 'E-mail me' })
  const values = () => ofTraders().map(({ checked, disabled }) => [checked, disabled])
  const describedBy = (one: HTMLElement) =>
    (one.getAttribute('aria-describedby') ?? '')
      .split(' ')
      .map((id) => document.getElementById(id)?.textContent)
  expect(allSwitch().checked).toBe(true)
  expect(values()).toEqual([
    [true, false],
    [false, false],
  ])
  fireEvent.click(allSwitch())
  await waitFor(() => expect(calls).toEqual([LIST, `${ALL} {"enabled":false}`]))
  expect(allSwitch().checked).toBe(false)
  expect(values()).toEqual([
    [true, true],
    [false, true],
  ])
  const reason =
    'Switched off for all traders, also for those whom you follow later. Subscriptions, notifications and mails about payments go on.'
  expect(ofTraders().map(describedBy)).toEqual([
    ['maria', reason],
    ['bea', reason],
  ])
  expect(describedBy(allSwitch())).toEqual([reason])

  api[ALL] = { status: 503, body: { message: 'Later.' } }
  api[LIST] = { body: { subscriptions: [item()], positionMails: false } }
  fireEvent.click(allSwitch())
  await waitFor(() => expect(toasts.mock.calls).toEqual([['Later.']]))
  await waitFor(() => expect(allSwitch().checked).toBe(false))
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
