import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { FastifyInstance, RouteOptions } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildTestApp, type TestApp } from '../build-test-app.ts'
import { signIn } from '../sign-in/sign-in.ts'

type Request = {
  method?: 'GET' | 'PATCH'
  headers?: Record<string, string>
  payload?: string
  remoteAddress?: string
}

/** Every route that the app has, as it registers them: a new one is looked at without being named here. */
const routes: { method: string; url: string }[] = []
let product: TestApp

beforeAll(async () => {
  const watch = (message: unknown) => {
    const { fastify } = message as { fastify: FastifyInstance }
    fastify.addHook('onRoute', ({ method, url }: RouteOptions) => {
      for (const one of [method].flat()) routes.push({ method: one, url })
    })
  }
  subscribe('fastify.initialization', watch)
  product = await buildTestApp({ settings: { origin: 'https://tradepost.example' } })
  unsubscribe('fastify.initialization', watch)
})
afterAll(() => product.close())

/** Asks and looks at the answer's headers. Returns its status. */
async function ask(url: string, request: Request = {}, what = url): Promise<number> {
  const { headers, statusCode } = await product.app.inject({ url, ...request })
  expect(headers, what).toMatchObject({
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'strict-transport-security': 'max-age=31536000; includeSubDomains',
  })
  const policy = String(headers['content-security-policy'])
  expect(policy, what).toContain("default-src 'none'")
  expect(policy, what).toContain("frame-ancestors 'none'")
  expect(policy, what).not.toMatch(/unsafe|\*|https?:/)
  expect(headers, what).not.toHaveProperty('x-powered-by')
  expect(headers, what).not.toHaveProperty('server')
  return statusCode
}

test('every answer of every route carries the security headers, whatever is asked of it', async () => {
  expect(routes.length).toBeGreaterThan(30)
  const json = { 'content-type': 'application/json' }
  const ways: [how: string, request: Request][] = [
    ['as it is', {}],
    ['with a token that is none', { headers: { authorization: 'Bearer none' } }],
    ['with a body that cannot be read', { headers: json, payload: '{"a' }],
    ['with a body of an unknown kind', { headers: { 'content-type': 'text/csv' }, payload: 'a,b' }],
    ['with a body that is too large', { headers: json, payload: `"${'a'.repeat(128 * 1024)}"` }],
    ['from elsewhere', { headers: { origin: 'https://evil.example' } }],
    ['with a method that it does not have', { method: 'PATCH' }],
  ]
  const statuses = new Set<number>()
  for (const [nth, { method, url }] of routes.entries()) {
    // Each is asked by somebody else, so that nobody asks too often.
    const remoteAddress = `10.0.${Math.floor(nth / 256)}.${nth % 256}`
    const path = url.replace(/:\w+/g, 'somebody').replace('*', 'x')
    for (const [how, request] of ways) {
      const what = `${method} ${url} ${how}`
      statuses.add(await ask(path, { method: method as 'GET', remoteAddress, ...request }, what))
    }
  }
  for (const status of [200, 400, 401, 404, 413]) expect(statuses).toContain(status)
})

test('answers to addresses that do not exist, or that cannot be read, carry the security headers', async () => {
  const tooLong = `/v1/subscriptions/${'x'.repeat(600)}`
  for (const url of ['/nowhere', '/v1/nowhere', '/auth/v1/nowhere', '/%', '/v1/%E0%A4%A', '//', tooLong]) {
    expect(await ask(url), url).toBe(404)
  }
})

test('a fault of ours, and the answer to a client that asks too often, carry the security headers', async () => {
  const { token } = await signIn(product)
  await product.pool.query('alter table accounts rename to mislaid')
  const headers = { authorization: `Bearer ${token}` }
  expect(await ask('/v1/accounts/configuration', { headers })).toBe(500)
  let status = 0
  for (let asked = 0; asked < 1300 && status !== 429; asked += 1) status = await ask('/nowhere')
  expect(status).toBe(429)
})
