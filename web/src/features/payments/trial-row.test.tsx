import { useQuery } from '@tanstack/react-query'
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react'
import type { Leaving } from '@tradepost/contract/leaving'
import type { SubscriptionItem } from '@tradepost/contract/subscriptions'
import { afterEach, expect, test, vi } from 'vitest'
import { toast } from '../../ui/toast.ts'
import { subscriptionsQuery } from './payments.api.ts'
import { SubscriptionsTable } from './subscriptions-table.tsx'
import { renderOver, type TestApi } from './test-provider.tsx'

const LIST = 'GET /v1/subscriptions'
const END = 'POST /v1/subscriptions/a/end-trial'
const ENDS_AT = '2026-12-06T12:00:00.000Z'
const LEAVING = 'GET /v1/subscriptions/a/leaving'
const TERMS: Leaving = {
  ...{ endsAt: null, cancelAt: ENDS_AT, inTrial: true, withdrawal: null, asOf: '2026-11-29T12:00:00.000Z' },
}
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

function show(item: SubscriptionItem, api: TestApi = {}) {
  api[LIST] ??= { body: { subscriptions: [item] } }
  api[LEAVING] ??= { body: TERMS }
  return renderOver(api, <Listed />, '/account')
}

/** The browser of these tests shows no modal window, and hides what is in it. */
const hidden = true
const find = (name: string) => screen.findByRole('button', { name, hidden })
const press = (name: string) => fireEvent.click(screen.getByRole('button', { name, hidden }))

const row = () => screen.getAllByRole('row').at(-1)?.textContent

test('a trial is ended in a window that says what ends, when, and that nothing was charged', async () => {
  const api: TestApi = { [END]: { body: { endsAt: ENDS_AT } } }
  const { calls } = show(inTrial(), api)
  await find('End trial…')
  expect(row()).toMatch(/Trial until Dec 6(, 2026)?, then \$12\.50 a month/)
  press('End trial…')
  await find('End trial at December 6')
  const words = screen.getByRole('dialog', { hidden }).textContent
  expect(words).toContain('End your trial of @maria?')
  expect(words).toContain('Nothing happens before you press “End trial at December 6”.')
  expect(words).toContain(
    'You keep your access until Dec 6, 2026, 12:00 PM (Dec 6, 2026, 12:00 UTC), when your free days end. Nothing was charged, and nothing will be.',
  )
  expect(calls.filter((call) => call.startsWith('POST'))).toEqual([])
  api[LIST] = { body: { subscriptions: [inTrial({ endsAt: ENDS_AT })] } }
  press('End trial at December 6')
  await find('Manage')
  expect(row()).toMatch(/Trial until Dec 6(, 2026)?, then it ends/)
  await waitFor(() => expect(document.activeElement?.textContent).toMatch(/^Trial until .+, then it ends$/))
  expect(screen.queryByRole('button', { name: 'End trial…' })).toBeNull()
  expect(calls.filter((call) => call.startsWith('POST'))).toEqual([END])
})

test('where the free days are over by now the window says so and ends nothing', async () => {
  show(inTrial(), { [LEAVING]: { body: { ...TERMS, inTrial: false } } })
  await find('End trial…')
  press('End trial…')
  await screen.findByText(
    'The free days are over, so there is no trial to end. You can cancel the subscription.',
  )
  expect(screen.queryByRole('button', { name: /^End trial at/, hidden })).toBeNull()
})

test('a trial with a code says what the first payments cost, and the price behind them', async () => {
  const until = '2027-03-06T12:00:00.000Z'
  show(inTrial({ discount: { cents: 800, thenCents: 1250, until, code: 'SPRING' } }))
  await find('End trial…')
  expect(row()).toMatch(/Trial until Dec 6(, 2026)?, then \$8 a month until Mar 6(, 2027)?, then \$12\.50/)
})

test('where a trial could not be ended the reason is said, and the list is asked for again', async () => {
  const message = 'This subscription is in no trial any more.'
  const { calls } = show(inTrial(), { [END]: { status: 409, body: { code: 'trial_over', message } } })
  await find('End trial…')
  press('End trial…')
  await find('End trial at December 6')
  press('End trial at December 6')
  await waitFor(() => expect(toasts).toHaveBeenCalledWith(message))
  await waitFor(() => expect(calls.filter((call) => call === LIST)).toHaveLength(2))
})

test('a subscription that is paid has no trial to end', async () => {
  show(inTrial({ status: 'active' }))
  await screen.findByRole('button', { name: 'Cancel…' })
  expect(row()).not.toContain('Trial')
})
