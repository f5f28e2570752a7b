import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { ClientRequest } from 'node:http'
import { expect, test } from 'vitest'
import { testSettings } from '../../test/build-test-app.ts'
import { sdkOf } from './sdk.ts'
import { makeStripe } from './stripe-client.ts'

/** The Host header that a client sends with this address in place of Stripe's own; nothing answers there. */
async function calledAt(apiBase: string): Promise<unknown> {
  let host: unknown
  const watch = (message: unknown) => {
    host = (message as { request: ClientRequest }).request.getHeader('host')
  }
  const stripe = makeStripe({ stripe: { ...testSettings().stripe, apiBase } }, 'request')
  subscribe('http.client.request.start', watch)
  await sdkOf({ stripe })
    .balance.retrieve({}, { maxNetworkRetries: 0 })
    .catch(() => undefined)
  unsubscribe('http.client.request.start', watch)
  return host
}

test('an address in place of Stripe is called at its port, or at that of its protocol', async () => {
  expect(await calledAt('http://127.0.0.1:1')).toBe('127.0.0.1:1')
  // The port of a protocol is not named in a call.
  expect(await calledAt('https://127.0.0.1')).toBe('127.0.0.1')
  expect(await calledAt('http://127.0.0.1')).toBe('127.0.0.1')
})
