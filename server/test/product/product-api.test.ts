import type { Endpoint } from '@tradepost/contract/endpoint'
import { ENDPOINT_REFUSALS } from '@tradepost/contract/endpoint-refusals'
import { endpoints } from '@tradepost/contract/endpoints'
import { afterAll, expect, test } from 'vitest'
import { buildTestApp } from '../build-test-app.ts'
import { readTables } from '../factories.ts'
import { bearer, signIn } from '../sign-in/sign-in.ts'
import { listRoutes } from './list-routes.ts'

const testApp = await buildTestApp({ settings: { limitsOn: false } })
afterAll(() => testApp.close())
const { app } = testApp

const calls = Object.entries(endpoints) as [name: keyof typeof endpoints, endpoint: Endpoint][]

/** An address of the call that is well formed and names nothing. */
const addressOf = (endpoint: Endpoint) => endpoint.path.replace(':id', '019a0000-0000-7000-8000-000000000000')

test.each(calls)('%s of the contract has a route', (_name, { method, path }) => {
  expect(app.hasRoute({ method, url: path })).toBe(true)
})

test('every route under /v1 is in the contract', () => {
  const known = new Set<string>(calls.map(([, { path }]) => path))
  const routes = listRoutes(app.printRoutes({ commonPrefix: false }))
  const ours = routes.filter(({ path }) => path.startsWith('/v1'))
  expect(ours.length).toBeGreaterThanOrEqual(known.size)
  for (const { path, methods } of ours) {
    expect(known).toContain(path)
    for (const method of methods.filter((each) => each !== 'HEAD' && each !== 'OPTIONS')) {
      expect(calls.some(([, endpoint]) => endpoint.path === path && endpoint.method === method)).toBe(true)
    }
  }
})

const TOKENS = [
  ['no token', {}],
  ['an empty one', { authorization: 'Bearer ' }],
  ['nonsense', bearer('nonsense')],
  ['another scheme', { authorization: 'Basic abc' }],
] as const

test.each(calls)(
  '%s answers 401 to a stranger and changes nothing',
  { tags: ['API-03'] },
  async (_name, endpoint) => {
    const before = await readTables(testApp)
    for (const [, headers] of TOKENS) {
      const response = await app.inject({
        method: endpoint.method,
        url: addressOf(endpoint),
        headers,
        ...(endpoint.method === 'POST' && { payload: {} }),
      })
      expect(response.statusCode).toBe(401)
      expect(response.json()).toMatchObject({ code: 'unauthorized', message: 'Please sign in again.' })
      expect(response.headers['cache-control']).toBe('no-store')
    }
    expect(await readTables(testApp)).toEqual(before)
  },
)

test.each(calls)('%s answers 401 to a token that has expired', async (_name, endpoint) => {
  const person = await signIn(testApp)
  testApp.clock.advance(3_700_000)
  const response = await app.inject({
    method: endpoint.method,
    url: addressOf(endpoint),
    headers: bearer(person.token),
    ...(endpoint.method === 'POST' && { payload: {} }),
  })
  expect(response.statusCode).toBe(401)
})

test.each(calls)(
  '%s answers a body that is missing, empty or broken with a message, and never with 401 or 403',
  { tags: ['API-27', 'ROLE-10'] },
  async (name, endpoint) => {
    // Read by live-feed.test.ts.
    if (endpoint.streams) return
    const person = await signIn(testApp)
    const json = { ...bearer(person.token), 'content-type': 'application/json' }
    const { method } = endpoint
    const url = addressOf(endpoint)
    const plain = [
      await app.inject({ method, url, headers: bearer(person.token) }),
      await app.inject({ method, url, headers: json, payload: '' }),
    ]
    const strange = []
    const broken = []
    if (method === 'POST') {
      broken.push(await app.inject({ method, url, headers: json, payload: '{"half":' }))
      strange.push(await app.inject({ method, url, headers: json, payload: '[]' }))
      strange.push(await app.inject({ method, url, headers: json, payload: 'null' }))
    }
    const wantsMore = endpoint.body || endpoint.query?.safeParse({}).success === false
    for (const answer of wantsMore ? [] : [...plain, ...strange]) {
      if (answer.statusCode < 400) expect(answer.statusCode).toBe(endpoint.status ?? 200)
      // One of the endpoint's own business refusals; nothing answers in Stripe's place here.
      else {
        expect(ENDPOINT_REFUSALS[name]).toContain(answer.json().code)
        expect(answer.json().message).toMatch(/\S/)
        // These would sign the caller out.
        expect([401, 403]).not.toContain(answer.statusCode)
      }
    }
    for (const answer of wantsMore ? [...plain, ...strange, ...broken] : broken) {
      expect(answer.statusCode).toBe(400)
      expect(answer.json()).toEqual({
        message: 'Something went wrong, please try again.',
        code: 'bad_request',
        requestId: expect.any(String),
      })
    }
  },
)

test.each(calls)('%s answers 413 to a body of more than 16 KiB', async (_name, endpoint) => {
  if (endpoint.method === 'GET') return
  const person = await signIn(testApp)
  const response = await app.inject({
    method: endpoint.method,
    url: addressOf(endpoint),
    headers: bearer(person.token),
    payload: { symbol: 'x'.repeat(17_000) },
  })
  expect(response.statusCode).toBe(413)
  expect(response.json()).toMatchObject({ code: 'payload_too_large', message: 'That is too long.' })
})

test.each([
  '/v1',
  '/v1/',
  '/v1/nothing',
  '/v1//positions',
  '/v1/%zz',
  '/v1/%00',
  `/v1/subscriptions/${'x'.repeat(600)}/more`,
  '/v1/positions/unknown',
  '/v1/accounts/configuration/more',
  '/auth',
  '/auth/v2/otp',
  '/auth/%zz',
])('%s is 404 in JSON', async (url) => {
  const person = await signIn(testApp)
  for (const headers of [{}, bearer(person.token), { accept: 'text/html' }]) {
    const response = await app.inject({ url, headers })
    expect(response.statusCode).toBe(404)
    expect(response.headers).not.toHaveProperty('allow')
    expect(response.json()).toMatchObject({ code: 'not_found', message: 'Not found.' })
  }
})

test.each(calls)(
  '%s answers 405 to a wrong method and 404 beyond its path, in JSON',
  { tags: ['API-28'] },
  async (_name, endpoint) => {
    const person = await signIn(testApp)
    const before = await readTables(testApp)
    const url = addressOf(endpoint)
    const served = calls.filter(([, { path }]) => path === endpoint.path).map(([, { method }]) => method)
    const wrong = (['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'PROPFIND', 'OPTIONS'] as const).filter(
      (method) => (method !== 'GET' && method !== 'POST') || !served.includes(method),
    )
    for (const method of wrong) {
      // A static address is one that a pattern takes too: GET /v1/subscriptions/new asks whether one follows "new".
      if (method === 'GET' && endpoint.path === '/v1/subscriptions/new') continue
      const response = await app.inject({ method: method as 'GET', url, headers: bearer(person.token) })
      expect(response.statusCode, method).toBe(405)
      expect(response.json()).toEqual({
        message: 'This address does not take that method.',
        code: 'method_not_allowed',
        requestId: expect.any(String),
      })
      const allowed = String(response.headers.allow).split(', ')
      for (const right of served) expect(allowed).toContain(right)
      expect(allowed).not.toContain(method)
      expect(response.headers['cache-control']).toBe('no-store')
    }
    const beyond = await app.inject({ method: endpoint.method, url: `${url}/beyond/it` })
    expect(beyond.statusCode).toBe(404)
    expect(beyond.json()).toMatchObject({ code: 'not_found', message: 'Not found.' })
    expect(await readTables(testApp)).toEqual(before)
  },
)

test('the methods of an address are named exactly, by its route and by those whose pattern it fits', async () => {
  const allowOf = async (url: string) => (await app.inject({ method: 'PATCH', url })).headers.allow
  expect(await allowOf('/v1/accounts/customer?more')).toBe('GET, HEAD, POST')
  expect(await allowOf('/v1/positions/open')).toBe('POST')
  expect(await allowOf('/v1/subscriptions/new')).toBe('GET, HEAD, POST')
  expect(await allowOf('/v1/subscriptions/maria/mail')).toBe('POST')
  expect(await allowOf('/webhooks/stripe')).toBe('POST')
  expect(await allowOf('/healthz')).toBe('GET, HEAD')
  expect(await allowOf('/v1/nothing')).toBeUndefined()
})
