import { useQuery } from '@tanstack/react-query'
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react'
import type { Leaving } from '@tradepost/contract/leaving'
import type { SubscriptionItem } from '@tradepost/contract/subscriptions'
import { afterEach, expect, test, vi } from 'vitest'
import { toast } from '../../ui/toast.ts'
import { subscriptionsQuery } from './payments.api.ts'
import { SubscriptionsTable } from './subscriptions-table.tsx'
import { heldAnswer, renderOver, type TestApi } from './test-provider.tsx'

const LIST = 'GET /v1/subscriptions'
const LEAVING = 'GET /v1/subscriptions/a/leaving'
const toasts = vi.spyOn(toast, 'error')

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
  toasts.mockClear()
})

const FOLLOWED: SubscriptionItem = {
  ...{ id: 'a', username: 'maria', status: 'active', mailEnabled: true, endsAt: null },
  ...{ currentPeriodEnd: '2026-12-26T12:00:00.000Z', startedAt: '2026-11-26T12:00:00.000Z' },
  ...{ priceCents: 1250, currency: 'usd', interval: 'month', withdrawUntil: '2999-12-10T12:00:00.000Z' },
}
const TERMS: Leaving = {
  endsAt: null,
  cancelAt: '2026-12-26T12:00:00.000Z',
  withdrawal: {
    until: '2999-12-10T12:00:00.000Z',
    ...{ paidCents: 1250, returnsCents: 963, currency: 'usd', delivered: true, daysLeft: 23 },
  },
  asOf: '2026-11-29T12:00:00.000Z',
}

function Shown() {
  const { data } = useQuery(subscriptionsQuery)
  return (
    <SubscriptionsTable
      subscriptions={data?.subscriptions ?? []}
      noMailsBecause={null}
      leavingBy={null}
      onManage={() => {}}
    />
  )
}

function show(api: TestApi, part: Partial<SubscriptionItem> = {}) {
  api[LIST] ??= { body: { subscriptions: [{ ...FOLLOWED, ...part }] } }
  api[LEAVING] ??= { body: TERMS }
  return renderOver(api, <Shown />)
}

/** The browser of these tests shows no modal window, and hides what is in it. */
const hidden = true
const find = (name: string) => screen.findByRole('button', { name, hidden })
const press = (name: string) => fireEvent.click(screen.getByRole('button', { name, hidden }))
const dialog = () => screen.queryByRole('dialog', { hidden })
const words = () => dialog()?.textContent

test('the window opens whole: nothing in it takes the place of another button while somebody presses', async () => {
  const held = heldAnswer({ body: TERMS })
  show({ [LEAVING]: held.answer })
  const open = await find('Cancel…')
  press('Cancel…')
  await waitFor(() => expect(open.getAttribute('aria-busy')).toBe('true'))
  expect(dialog()).toBeNull()
  held.release()
  await find('Cancel at December 26')
  await find('Not now')
  expect(open.getAttribute('aria-busy')).toBeNull()
})

test('a withdrawal says what goes back and sends what was shown, and the list is asked for again', async () => {
  const { calls } = show({
    'POST /v1/subscriptions/a/withdraw': { body: { paidCents: 1250, returnsCents: 963, currency: 'usd' } },
  })
  await find('Withdraw…')
  press('Withdraw…')
  await find('Withdraw now')
  expect(words()).toContain('Nothing happens before you press “Withdraw now”.')
  // The browser of the tests stands in UTC.
  expect(words()).toContain('This is possible until Dec 10, 2999, 12:00 PM (Dec 10, 2999, 12:00 UTC).')
  expect(words()).toContain('You get back $9.63 of your payment of $12.50, the part for the 23 days left.')
  expect(calls.filter((call) => call.startsWith('POST'))).toEqual([])
  press('Withdraw now')
  await waitFor(() => expect(dialog()).toBeNull())
  expect(calls.filter((call) => call.startsWith('POST'))).toEqual([
    'POST /v1/subscriptions/a/withdraw {"asOf":"2026-11-29T12:00:00.000Z"}',
  ])
  expect(calls.filter((call) => call === LIST)).toHaveLength(2)
})

test('where nothing was published everything goes back, and the window says why', async () => {
  const withdrawal = { ...TERMS.withdrawal, returnsCents: 1250, delivered: false, daysLeft: null }
  show({ [LEAVING]: { body: { ...TERMS, withdrawal } } })
  await find('Withdraw…')
  press('Withdraw…')
  await find('Withdraw now')
  expect(words()).toContain(
    'You get back your whole payment of $12.50, since by Nov 29, 2026, 12:00 PM (Nov 29, 2026, 12:00 UTC) nothing was published in the time that you paid for.',
  )
})

test('a cancellation says until when there is access, and names the other way while there is one', async () => {
  const { calls } = show({
    'POST /v1/subscriptions/a/cancel': { body: { endsAt: '2026-12-26T12:00:00.000Z' } },
  })
  await find('Cancel…')
  press('Cancel…')
  await find('Cancel at December 26')
  expect(words()).toContain('Nothing happens before you press “Cancel at December 26”.')
  expect(words()).toContain(
    'You keep your access until Dec 26, 2026, 12:00 PM (Dec 26, 2026, 12:00 UTC). Nothing more is charged. What is paid stays paid.',
  )
  expect(words()).toContain('If you withdraw instead, your access ends at once and you get back $9.63.')
  press('Cancel at December 26')
  await waitFor(() => expect(dialog()).toBeNull())
  expect(calls).toContain('POST /v1/subscriptions/a/cancel')
})

test('a canceled one is kept with one press, and after fourteen days there is no withdrawal', async () => {
  const { calls } = show(
    { 'POST /v1/subscriptions/a/keep': { body: { currentPeriodEnd: '2026-12-26T12:00:00.000Z' } } },
    { endsAt: '2026-12-26T12:00:00.000Z', withdrawUntil: '2020-01-01T00:00:00.000Z' },
  )
  await find('Keep it')
  expect(screen.queryByRole('button', { name: 'Withdraw…' })).toBeNull()
  press('Keep it')
  await waitFor(() => expect(calls).toContain('POST /v1/subscriptions/a/keep'))
})

test('a window without a button names none, and says why there is none', async () => {
  const endsAt = '2026-12-26T12:00:00.000Z'
  show({ [LEAVING]: { body: { ...TERMS, endsAt, withdrawal: null } } })
  await find('Cancel…')
  press('Cancel…')
  await screen.findByText(/^It is canceled already, and ends on Dec 26, 2026, 12:00 PM \(.+ UTC\)\./)
  expect(words()).toContain('Nothing was changed.')
  expect(words()).not.toContain('press')
  press('Not now')
  press('Withdraw…')
  await screen.findByText(/^It can be canceled, and not withdrawn from: nothing was paid, or the 14 days/)
  expect(words()).not.toContain('press')
})

test.each([
  ['Cancel…', 'Cancel at December 26', 'cancel', { endsAt: '2026-12-26T12:00:00.000Z' }],
  ['Withdraw…', 'Withdraw now', 'withdraw', { status: 'canceled', withdrawnAt: '2026-11-29T12:00:00.000Z' }],
] as const)(
  'behind %s and %s the focus is where the row tells the outcome',
  async (first, second, way, after) => {
    const api: TestApi = {}
    show(api)
    await find(first)
    press(first)
    await find(second)
    Object.assign(api, {
      [LIST]: { body: { subscriptions: [{ ...FOLLOWED, ...after }] } },
      [`POST /v1/subscriptions/a/${way}`]: {
        body: { ...after, paidCents: 1250, returnsCents: 963, currency: 'usd' },
      },
      [`POST /v1/subscriptions/a/${way} {"asOf":"${TERMS.asOf}"}`]: {
        body: { paidCents: 1250, returnsCents: 963, currency: 'usd' },
      },
    })
    press(second)
    await waitFor(() =>
      expect(document.activeElement?.textContent).toBe(
        way === 'cancel' ? 'Ends on Dec 26, 2026' : 'Withdrawn on Nov 29, 2026',
      ),
    )
  },
)

test('behind Keep it the focus is where the row tells that it goes on, and a change that nobody pressed for moves none', async () => {
  const api: TestApi = {
    'POST /v1/subscriptions/a/keep': { body: { currentPeriodEnd: '2026-12-26T12:00:00.000Z' } },
  }
  const { client } = show(api, { endsAt: '2026-12-26T12:00:00.000Z' })
  await find('Keep it')
  api[LIST] = { body: { subscriptions: [FOLLOWED] } }
  press('Keep it')
  await waitFor(() => expect(document.activeElement?.textContent).toBe('Active'))
  const elsewhere = screen.getByRole('switch', { name: 'E-mail me' })
  elsewhere.focus()
  api[LIST] = { body: { subscriptions: [{ ...FOLLOWED, endsAt: '2026-12-26T12:00:00.000Z' }] } }
  await client.invalidateQueries()
  await find('Keep it')
  expect(document.activeElement).toBe(elsewhere)
})

test('terms that cannot be read, and a press that is refused, are said', async () => {
  const message = 'This subscription cannot be withdrawn from any more. You can cancel it.'
  const api: TestApi = { [LEAVING]: { status: 503, body: { code: 'unavailable', message: 'Later.' } } }
  show(api)
  await find('Withdraw…')
  press('Withdraw…')
  await screen.findByText('Later.')
  expect(screen.queryByRole('button', { name: 'Withdraw now' })).toBeNull()
  press('Not now')
  Object.assign(api, {
    [LEAVING]: { body: TERMS },
    'POST /v1/subscriptions/a/withdraw': { status: 409, body: { code: 'withdrawal_over', message } },
  })
  press('Withdraw…')
  await find('Withdraw now')
  press('Withdraw now')
  await waitFor(() => expect(toasts).toHaveBeenCalledWith(message))
})
