import { act, cleanup, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { PaymentConfirmation } from './payment-confirmation.tsx'
import { press, renderOver, type TestApi } from './test-provider.tsx'

const CHECK = 'GET /v1/subscriptions/maria'
const not = { body: { subscribed: false, id: null, status: null } }
const subscribed = { body: { subscribed: true, id: 'a', status: 'active' } }

beforeEach(() => vi.useFakeTimers())
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms))
const text = () => screen.getByRole('status').textContent

test('the page asks every 2 s until the server knows, and then once lets everything be fetched again', async () => {
  const onConfirmed = vi.fn()
  const api: TestApi = { [CHECK]: not }
  const { calls } = renderOver(api, <PaymentConfirmation username="maria" onConfirmed={onConfirmed} />)
  await pass(100)
  expect(text()).toContain('Confirming your payment…')
  expect(calls).toEqual([CHECK])
  await pass(2000)
  expect(calls).toEqual([CHECK, CHECK])
  api[CHECK] = subscribed
  await pass(2000)
  expect(text()).toMatch(/^Confirmed\.You follow @maria\./)
  expect(onConfirmed).toHaveBeenCalledOnce()
  await pass(60_000)
  expect(calls).toEqual([CHECK, CHECK, CHECK])
})

test('once it is confirmed a trial says until when it is free, what is paid then, and how to end it before', async () => {
  vi.setSystemTime(new Date('2026-11-29T12:00:00Z'))
  const trial = {
    ...{ id: 'a', username: 'Maria', status: 'trialing', mailEnabled: true, endsAt: null, priceCents: 1250 },
    ...{
      currentPeriodEnd: '2026-12-06T12:00:00.000Z',
      startedAt: '2026-11-29T12:00:00.000Z',
      currency: 'usd',
    },
    ...{ interval: 'month', trialEndsAt: '2026-12-06T12:00:00.000Z' },
  }
  const other = { ...trial, id: 'b', username: 'cleo', trialEndsAt: '2026-12-20T12:00:00.000Z' }
  const api: TestApi = {
    [CHECK]: { body: { subscribed: true, id: 'a', status: 'trialing' } },
    'GET /v1/subscriptions': { body: { subscriptions: [other, trial] } },
  }
  renderOver(api, <PaymentConfirmation username="maria" onConfirmed={vi.fn()} />)
  await pass(200)
  expect(text()).toContain(
    'Free until Dec 6; the first payment is on that day: $12.50 a month. To end it before, choose End trial under Account > Subscriptions.',
  )
})

test('a subscription without free days says nothing of them, and asks for no list', async () => {
  const api: TestApi = { [CHECK]: subscribed }
  const { calls } = renderOver(api, <PaymentConfirmation username="maria" onConfirmed={vi.fn()} />)
  await pass(200)
  expect(text()).not.toContain('Free until')
  expect(calls).toEqual([CHECK])
})

test('the page stops asking once free days were refused', async () => {
  const api: TestApi = {
    [CHECK]: { body: { subscribed: false, id: null, status: null, trialRefused: true } },
  }
  const { calls } = renderOver(api, <PaymentConfirmation username="maria" onConfirmed={vi.fn()} />)
  await pass(20_000)
  expect(calls).toEqual([CHECK])
})

test('after half a minute the page shows that nobody is followed, stops asking, and asks again on request', async () => {
  const onConfirmed = vi.fn()
  const api: TestApi = { [CHECK]: not }
  const { calls } = renderOver(api, <PaymentConfirmation username="maria" onConfirmed={onConfirmed} />)
  await pass(29_900)
  expect(text()).toContain('Confirming your payment…')
  expect(calls).toHaveLength(15)
  await pass(200)
  const asked = calls.length
  await pass(60_000)
  expect(text()).toMatch(/^You do not follow @maria yet\.If you have paid/)
  expect(screen.getByRole('link', { name: 'To the checkout' }).getAttribute('href')).toBe(
    '/trader/maria/subscribe',
  )
  expect(calls).toHaveLength(asked)
  expect(onConfirmed).not.toHaveBeenCalled()
  api[CHECK] = subscribed
  press('Check again')
  await pass(100)
  expect(text()).toContain('Confirmed.')
  expect(onConfirmed).toHaveBeenCalledOnce()
  expect(calls).toHaveLength(asked + 1)
})

test('where the server never answered, the page shows why and does not claim that nobody is followed', async () => {
  const refused = { status: 503, body: { code: 'unavailable', message: 'Later.', requestId: 'a' } }
  renderOver({ [CHECK]: refused }, <PaymentConfirmation username="maria" onConfirmed={vi.fn()} />)
  await pass(31_000)
  expect(text()).toBe('We could not check your payment.Later.')
})
