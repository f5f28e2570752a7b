import { useQuery } from '@tanstack/react-query'
import { cleanup, screen, waitFor } from '@testing-library/react'
import type { SubscriptionItem } from '@tradepost/contract/subscriptions'
import { afterEach, expect, test, vi } from 'vitest'
import { toast } from '../../ui/toast.ts'
import { subscriptionsQuery } from './payments.api.ts'
import { SubscriptionsTable } from './subscriptions-table.tsx'
import { press, renderOver, type TestApi } from './test-provider.tsx'

const LIST = 'GET /v1/subscriptions'
const END = 'POST /v1/subscriptions/a/end-trial'
const ENDS_AT = '2026-12-06T12:00:00.000Z'
const toasts = vi.spyOn(toast, 'error')

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
  toasts.mockClear()
})

function inTrial(part: Partial<SubscriptionItem> = {}): SubscriptionItem {
  return {
    id: 'a',
    username: 'maria',
    status: 'trialing',
    mailEnabled: true,
    endsAt: null,
    currentPeriodEnd: ENDS_AT,
    startedAt: '2026-11-29T12:00:00.000Z',
    priceCents: 1250,
    currency: 'usd',
    interval: 'month',
    trialEndsAt: ENDS_AT,
    ...part,
  }
}

function Listed() {
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
  return renderOver(api, <Listed />, '/account')
}

const listed = (item: SubscriptionItem): TestApi => ({ [LIST]: { body: { subscriptions: [item] } } })

const row = () => screen.getAllByRole('row').at(-1)?.textContent

test('a trial says until when it is free and what follows, and one press ends it', async () => {
  const api: TestApi = { ...listed(inTrial()), [END]: { body: { endsAt: ENDS_AT } } }
  const { calls } = show(api)
  await screen.findByRole('button', { name: 'End trial' })
  expect(row()).toMatch(/Trial until Dec 6(, 2026)?, then \$12\.50 a month/)
  api[LIST] = { body: { subscriptions: [inTrial({ endsAt: ENDS_AT })] } }
  press('End trial')
  await screen.findByRole('button', { name: 'Manage' })
  expect(row()).toMatch(/Trial until Dec 6(, 2026)?, then it ends/)
  await waitFor(() => expect(document.activeElement?.textContent).toMatch(/^Trial until .+, then it ends$/))
  expect(screen.queryByRole('button', { name: 'End trial' })).toBeNull()
  expect(calls.filter((call) => call.startsWith('POST'))).toEqual([END])
})

test('a trial with a code says what the first payments cost, and the price behind them', async () => {
  const until = '2027-03-06T12:00:00.000Z'
  show(listed(inTrial({ discount: { cents: 800, thenCents: 1250, until, code: 'SPRING' } })))
  await screen.findByRole('button', { name: 'End trial' })
  expect(row()).toMatch(/Trial until Dec 6(, 2026)?, then \$8 a month until Mar 6(, 2027)?, then \$12\.50/)
})

test('where a trial could not be ended the reason is said, and the list is asked for again', async () => {
  const message = 'This subscription is in no trial any more.'
  const { calls } = show({
    ...listed(inTrial()),
    [END]: { status: 409, body: { code: 'trial_over', message } },
  })
  press((await screen.findByRole('button', { name: 'End trial' })).textContent ?? '')
  await waitFor(() => expect(toasts).toHaveBeenCalledWith(message))
  await waitFor(() => expect(calls.filter((call) => call === LIST)).toHaveLength(2))
})

test('a subscription that is paid has no trial to end', async () => {
  show(listed(inTrial({ status: 'active' })))
  await screen.findByRole('button', { name: 'Cancel…' })
  expect(row()).not.toContain('Trial')
})
