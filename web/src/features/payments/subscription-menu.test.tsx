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

test('Billing leads to the subscription, also where the live feed opens while it is being looked up', async () => {
  const held = heldAnswer({ body: { subscribed: true, id: ID, status: 'active' } })
  const api = { [CHECK]: held.answer, [MANAGE]: { body: { url: PORTAL } } }
  const { calls, left, client } = renderOver(api, <SubscriptionMenu username="maria" />)
  screen.getByLabelText('Your subscription').click()
  press('Billing')
  await waitFor(() => expect(calls).toEqual([CHECK]))
  await client.cancelQueries()
  held.release()
  await waitFor(() => expect(left).toEqual([PORTAL]))
  expect(calls).toEqual([CHECK, MANAGE])
})
