import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { PayoutsSection } from './payouts-section.tsx'
import { button, heldAnswer, isBusy, press, renderOver, type TestApi } from './test-provider.tsx'

const STATUS = 'GET /v1/accounts/stripe/status'
const TRADER = 'POST /v1/accounts/trader'
const DASHBOARD = 'POST /v1/accounts/stripe/dashboard'
const PRICES = 'GET /v1/accounts/prices'
const CODES = 'GET /v1/accounts/discount-codes'
const PAGE = 'https://connect.stripe.example/setup/1'
const AGREE = 'I have read and agree to the above statements.'
const SET = "You're all set!"

beforeEach(() => sessionStorage.clear())
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

type Options = { username?: string; trader?: boolean; complete?: boolean; api?: TestApi; at?: string }

function show({
  username = 'maria',
  trader = false,
  complete = false,
  at = '/account',
  ...options
}: Options) {
  const [onAddUsername, onAccountChange] = [vi.fn(), vi.fn()]
  const api: TestApi = {
    [STATUS]: { body: { onboardComplete: complete } },
    [TRADER]: { body: { url: PAGE } },
    ...options.api,
  }
  const section = (
    <PayoutsSection
      account={{ username, trader, customer: false }}
      onAddUsername={onAddUsername}
      onAccountChange={onAccountChange}
    />
  )
  return { ...renderOver(api, section, at), api, onAddUsername, onAccountChange }
}

const goOn = () => screen.findByRole<HTMLButtonElement>('button', { name: 'Continue on Stripe' })

test('without a username there is only the way to one', () => {
  const { calls, onAddUsername } = show({ username: '' })
  const link = screen.getByRole('link', { name: 'Add username' })
  expect(link.getAttribute('href')).toBe('/account')
  fireEvent.click(link)
  expect(onAddUsername).toHaveBeenCalledOnce()
  expect(screen.queryByRole('button')).toBeNull()
  expect(calls).toEqual([])
})

test('the statements and the checkbox lead to the provider’s page', async () => {
  const { calls, left } = show({})
  const go = await goOn()
  expect(screen.getAllByRole('listitem')).toHaveLength(4)
  screen.getByText('Tradepost keeps 10 % of each payment; the rest is yours.')
  expect(go.disabled).toBe(true)
  fireEvent.click(go)
  fireEvent.click(screen.getByRole('checkbox', { name: AGREE }))
  expect(go.disabled).toBe(false)
  fireEvent.click(go)
  fireEvent.click(go)
  await waitFor(() => expect(left).toEqual([PAGE]))
  expect(calls).toEqual([STATUS, TRADER])
  expect(isBusy('Continue on Stripe')).toBe(true)
})

test.each([
  [
    'that is followed shows what becomes of followers',
    true,
    'Nobody new can subscribe to you, and those who follow you are not charged. After 30 days their subscriptions end, and what they paid for days that they do not get goes back to them.',
  ],
  ['that nobody follows speaks of no followers', false, 'Nobody can subscribe to you.'],
])('the page of a rejected account %s, and has nothing to press', async (_title, followed, sentence) => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  const { calls } = show({
    trader: true,
    at: '/account?onboarding=return#payments',
    api: { [STATUS]: { body: { onboardComplete: false, rejected: true, followed } } },
  })
  await screen.findByText(
    'Your payout account at Stripe has been rejected for good. It cannot be opened again here.',
  )
  screen.getByText(sentence)
  expect(screen.queryAllByText(/After 30 days/)).toHaveLength(followed ? 1 : 0)
  expect(screen.queryByRole('button')).toBeNull()
  await act(() => vi.advanceTimersByTimeAsync(10_000))
  expect(calls, 'nothing is waited for').toEqual([STATUS])
})

test('onboarding that was started and not completed has the button without a checkbox', async () => {
  const { calls, left } = show({ trader: true })
  const go = await goOn()
  expect(screen.queryByRole('checkbox')).toBeNull()
  screen.getByText(/^Your payouts are not complete: Stripe needs something from you/)
  fireEvent.click(go)
  await waitFor(() => expect(left).toEqual([PAGE]))
  expect(calls).toEqual([STATUS, TRADER])
})

test('a failure is shown above the button, and the account is fetched again', async () => {
  const { calls, onAccountChange } = show({
    trader: true,
    api: { [TRADER]: { status: 503, body: { message: 'Later.' } } },
  })
  fireEvent.click(await goOn())
  const reason = await screen.findByText('Later.')
  expect(reason.compareDocumentPosition(button('Continue on Stripe'))).toBe(Node.DOCUMENT_POSITION_FOLLOWING)
  expect(onAccountChange).toHaveBeenCalledOnce()
  await waitFor(() => expect(calls).toEqual([STATUS, TRADER, STATUS]))
})

test('payouts that were set up meanwhile in another tab are shown as complete', async () => {
  const { api } = show({ trader: true, api: { [TRADER]: { status: 409, body: { message: 'Already.' } } } })
  const go = await goOn()
  api[STATUS] = { body: { onboardComplete: true } }
  fireEvent.click(go)
  await screen.findByText(SET)
})

test('an expired link leads to a new one automatically, twice, and then waits for the person', async () => {
  for (const automatic of [1, 2]) {
    const { left } = show({ trader: true, at: '/account?onboarding=refresh#payments' })
    await waitFor(() => expect(left, `time ${automatic}`).toEqual([PAGE]))
    expect(document.location.href).toMatch(/\/account#payments$/)
    cleanup()
  }
  const { calls, left } = show({ trader: true, at: '/account?onboarding=refresh' })
  const go = await goOn()
  expect(isBusy('Continue on Stripe')).toBe(false)
  expect(calls).toEqual([STATUS])
  fireEvent.click(go)
  await waitFor(() => expect(left).toEqual([PAGE]))
  cleanup()
  const again = show({ trader: true, at: '/account?onboarding=refresh' })
  await waitFor(() => expect(again.left).toEqual([PAGE]))
})

test('no address makes anybody agree, since without a start there is no automatic way', async () => {
  const { calls } = show({ at: '/account?onboarding=refresh' })
  expect((await goOn()).disabled).toBe(true)
  expect(calls).toEqual([STATUS])
})

test('back from the provider a skeleton is shown until the answer, which is asked for until it is complete', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  const { answer, release } = heldAnswer({ body: { onboardComplete: false } })
  const { api, calls } = show({ trader: true, at: '/account?onboarding=return', api: { [STATUS]: answer } })
  screen.getByRole('status', { name: 'Loading your payouts' })
  expect(screen.queryByRole('button')).toBeNull()
  release()
  await goOn()
  api[STATUS] = { body: { onboardComplete: true } }
  await act(() => vi.advanceTimersByTimeAsync(2100))
  await screen.findByText(SET)
  const asked = calls.length
  await act(() => vi.advanceTimersByTimeAsync(10_000))
  expect(calls).toHaveLength(asked)
})

test('the page stops asking after a while', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  const { calls } = show({ trader: true, at: '/account?onboarding=return' })
  await goOn()
  await act(() => vi.advanceTimersByTimeAsync(60_000))
  expect(calls).toHaveLength(15)
})

/** The tab that `window.open` returns to the page, and the spy. */
function openedTab() {
  const tab = { opener: 'this page', location: { replace: vi.fn() }, close: vi.fn() }
  const open = vi.fn((_url: string, _target: string): typeof tab | null => tab)
  vi.stubGlobal('open', open)
  return { tab, open }
}

test('the dashboard opens in a tab that is there before the answer, and knows nothing of us', async () => {
  const { tab, open } = openedTab()
  const { answer, release } = heldAnswer({ body: { url: PAGE } })
  const { calls, left } = show({ trader: true, complete: true, api: { [DASHBOARD]: answer } })
  await screen.findByText(SET)
  press('Stripe Dashboard')
  expect(open).toHaveBeenCalledExactlyOnceWith('', '_blank')
  expect(tab.opener).toBeNull()
  expect(tab.location.replace).not.toHaveBeenCalled()
  press('Stripe Dashboard')
  release()
  await waitFor(() => expect(tab.location.replace).toHaveBeenCalledExactlyOnceWith(PAGE))
  await waitFor(() => expect(isBusy('Stripe Dashboard')).toBe(false))
  expect(open).toHaveBeenCalledOnce()
  expect(calls).toEqual([STATUS, PRICES, CODES, DASHBOARD])
  expect(left).toEqual([])
})

test('without an address the tab closes again, and the reason is shown', async () => {
  const { tab } = openedTab()
  show({ trader: true, complete: true, api: { [DASHBOARD]: { status: 503, body: { message: 'Later.' } } } })
  await screen.findByText(SET)
  press('Stripe Dashboard')
  await screen.findByText('Later.')
  expect(tab.close).toHaveBeenCalledOnce()
  expect(tab.location.replace).not.toHaveBeenCalled()
})

test('a blocked tab is reported, and nothing is asked for', async () => {
  openedTab().open.mockReturnValue(null)
  const { calls } = show({ trader: true, complete: true })
  await screen.findByText(SET)
  press('Stripe Dashboard')
  await screen.findByText(/blocked the new tab/)
  expect(calls).toEqual([STATUS, PRICES, CODES])
})

test('a status that cannot be read is reported, and asked for again when wanted', async () => {
  const { api } = show({ trader: true, api: { [STATUS]: { status: 500, body: {} } } })
  await screen.findByText(/Something went wrong, please try again\./)
  api[STATUS] = { body: { onboardComplete: true } }
  press('Try again')
  await screen.findByText(SET)
})
