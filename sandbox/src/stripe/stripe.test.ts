import fastify from 'fastify'
import { expect, test } from 'vitest'
import { REQUESTS } from './gate/roots.ts'
import { ROUTES, startStripe } from './stripe.ts'

const options = { clock: { now: () => new Date() }, host: '127.0.0.1', dataDir: null, strict: true, env: {} }

test.each(['0.0.0.0', '::', '10.1.2.3', 'example.com'])('the sandbox does not listen on %s', async (host) => {
  await expect(startStripe(fastify(), { ...options, host })).rejects.toThrow('loopback')
})

test.each(['sk_live_abc', 'rk_live_abc'])(
  'the sandbox does not start beside the live key %s',
  async (key) => {
    await expect(startStripe(fastify(), { ...options, env: { STRIPE_SECRET_KEY: key } })).rejects.toThrow(
      /STRIPE_SECRET_KEY holds a live/,
    )
  },
)

test('each endpoint that has a type has a route, and the other way round', () => {
  expect(ROUTES.map(({ endpoint }) => endpoint).sort()).toEqual(Object.keys(REQUESTS).sort())
})
