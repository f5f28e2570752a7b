import { useQuery } from '@tanstack/react-query'
import { cleanup, screen, waitFor } from '@testing-library/react'
import type { OwnPrices } from '@tradepost/contract/subscription-price'
import type { SubscriptionItem } from '@tradepost/contract/subscriptions'
import { afterEach, expect, test, vi } from 'vitest'
import { toast } from '../../ui/toast.ts'
import { FollowersPrice } from './followers-price.tsx'
import { subscriptionsQuery } from './payments.api.ts'
import { SubscriptionsTable } from './subscriptions-table.tsx'
import { press, renderOver, type TestApi } from './test-provider.tsx'

const LIST = 'GET /v1/subscriptions'
const ANSWER = 'POST /v1/subscriptions/a/price'
const toasts = vi.spyOn(toast, 'error')

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
  toasts.mockClear()
})

const PROPOSED = { priceCents: 1500, agreed: false, from: '2027-01-18T12:00:00.000Z' }
const FOLLOWED: SubscriptionItem = {
  ...{ id: 'a', username: 'maria', status: 'active', mailEnabled: true, endsAt: null },
  ...{ currentPeriodEnd: '2026-12-18T12:00:00.000Z', startedAt: '2026-11-18T12:00:00.000Z' },
  ...{ priceCents: 1000, currency: 'usd', interval: 'month', newPrice: PROPOSED },
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

function show(api: TestApi) {
  api[LIST] = { body: { subscriptions: [FOLLOWED] } }
  return renderOver(api, <Shown />)
}

test('a proposed price is agreed to with one press, and taken back with one', async () => {
  const api: TestApi = { [ANSWER]: { body: { newPrice: { ...PROPOSED, agreed: true } } } }
  const { calls } = show(api)
  await screen.findByText(
    '@maria asks $15 a month. Without your answer you keep $10 a month. If you agree, the first renewal that has it is that of Jan 18, 2027.',
  )
  press('Agree to $15 a month')
  await screen.findByText(
    'You have agreed to $15 a month, from the renewal of Jan 18, 2027 on. Until then you can take that back.',
  )
  expect(calls).toContain(`${ANSWER} {"priceCents":1500}`)
  api[ANSWER] = { body: { newPrice: PROPOSED } }
  press('Take back')
  await screen.findByRole('button', { name: 'Agree to $15 a month' })
  expect(calls).toContain(`${ANSWER} {"priceCents":null}`)
})

test('a price that has changed meanwhile is said, and the list is asked for again', async () => {
  const message = 'The price has changed. Look at it again. Nothing has been charged.'
  const api: TestApi = {
    [ANSWER]: { status: 409, body: { message, code: 'subscription_price_changed', requestId: 'r' } },
  }
  const { calls } = show(api)
  await screen.findByRole('button', { name: 'Agree to $15 a month' })
  api[LIST] = {
    body: { subscriptions: [{ ...FOLLOWED, newPrice: { ...PROPOSED, priceCents: 2050 } }] },
  }
  press('Agree to $15 a month')
  await screen.findByRole('button', { name: 'Agree to $20.50 a month' })
  expect(toasts).toHaveBeenCalledWith(message)
  expect(calls.filter((call) => call === LIST)).toHaveLength(2)
})

test('a price that is the own already leaves no row behind', async () => {
  show({ [ANSWER]: { body: { newPrice: null } } })
  press((await screen.findByRole('button', { name: 'Agree to $15 a month' })).textContent ?? '')
  await waitFor(() => expect(screen.getAllByRole('row')).toHaveLength(2))
})

test('a trader reads in a sentence how many followers pay less, and none where none does', () => {
  const prices: OwnPrices = {
    ...{ currency: 'usd', monthlyCents: 1500, yearlyCents: null, isDefault: false },
    ...{ minCents: 300, maxCents: 50_000 },
  }
  const words = (followersBelow: number, followersAgreed: number) => {
    cleanup()
    renderOver({}, <FollowersPrice prices={{ ...prices, followersAgreed, followersBelow }} />)
    return document.body.textContent
  }
  expect(words(12, 3)).toBe(
    '12 followers pay less and have not agreed to the present price. 3 followers have agreed to it and pay it from a coming renewal on.',
  )
  expect(words(1, 0)).toBe('One follower pays less and has not agreed to the present price.')
  expect(words(0, 1)).toBe('One follower has agreed to it and pays it from a coming renewal on.')
  expect(words(0, 0)).toBe('')
})
