import { cleanup, screen, waitFor } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { SubscriptionMenu } from './subscription-menu.tsx'
import { heldAnswer, press, renderOver } from './test-provider.tsx'

const ID = '019a7c00-0000-7000-8000-000000000001'
const CHECK = 'GET /v1/subscriptions/maria'
const MANAGE = `POST /v1/subscriptions/${ID}/manage`
const PORTAL = 'https://billing.stripe.example/p/1'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test('Cancel subscription leads to the subscription, also where the live feed opens while it is being looked up', async () => {
  const held = heldAnswer({ body: { subscribed: true, id: ID, status: 'active' } })
  const api = { [CHECK]: held.answer, [MANAGE]: { body: { url: PORTAL } } }
  const { calls, left, client } = renderOver(api, <SubscriptionMenu username="maria" />)
  screen.getByLabelText('Your subscription').click()
  press('Cancel subscription')
  await waitFor(() => expect(calls).toEqual([CHECK]))
  await client.cancelQueries()
  held.release()
  await waitFor(() => expect(left).toEqual([PORTAL]))
  expect(calls).toEqual([CHECK, MANAGE])
})

test('Billing leads to the first page of the portal', async () => {
  const api = { 'POST /v1/accounts/stripe/customer-session': { body: { url: PORTAL } } }
  const { left } = renderOver(api, <SubscriptionMenu username="maria" />)
  screen.getByLabelText('Your subscription').click()
  press('Billing')
  await waitFor(() => expect(left).toEqual([PORTAL]))
})

test('Their positions leads to those of the followed trader alone', () => {
  renderOver({}, <SubscriptionMenu username="maria" />)
  screen.getByLabelText('Your subscription').click()
  expect(screen.getByRole('link', { name: 'Their positions' }).getAttribute('href')).toBe(
    '/?tab=subscription&trader=maria',
  )
})
