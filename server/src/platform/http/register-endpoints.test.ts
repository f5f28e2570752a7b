import { endpoints } from '@tradepost/contract/endpoints'
import { afterEach, expect, test, vi } from 'vitest'
import { silentLog } from '../../../test/database/database.ts'
import { systemClock } from '../clock.ts'
import { makeHttpServer } from './http-server.ts'
import { refusal } from './refusal.ts'
import { registerEndpoints } from './register-endpoints.ts'

afterEach(() => {
  vi.useRealTimers()
})

test('an answer that comes too late is reported as an outage that will pass, not as a fault', async () => {
  const app = await makeHttpServer({
    log: silentLog,
    origin: 'http://localhost:3000',
    trustProxy: null,
    limitsOn: false,
  })
  app.get('/late', { handlerTimeout: 1 }, () => new Promise(() => {}))
  const { headers, statusCode, ...answer } = await app.inject('/late')
  expect([statusCode, headers['retry-after']]).toEqual([503, '5'])
  expect(answer.json()).toMatchObject({ code: 'unavailable' })
  await app.close()
})

test('a call that waits for Stripe is answered after 13 seconds, before the browser gives up after 15', async () => {
  const app = await makeHttpServer({
    log: silentLog,
    origin: 'http://localhost:3000',
    trustProxy: null,
    limitsOn: false,
  })
  const api = registerEndpoints(app, {
    clock: systemClock,
    authenticate: async () => ({ userId: 'somebody', sessionId: 'any', email: 'a@b.example' }),
    limit: async () => {},
  })
  const begun = Promise.withResolvers<void>()
  api.serve(endpoints.setUpCustomer, () => {
    begun.resolve()
    return new Promise(() => {})
  })
  await app.ready()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  let answered = false
  const answering = app.inject({ method: 'POST', url: endpoints.setUpCustomer.path })
  answering.finally(() => {
    answered = true
  })
  await begun.promise
  await vi.advanceTimersByTimeAsync(12_999)
  expect(answered).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  const answer = await answering
  expect(answer.statusCode).toBe(503)
  expect(answer.json()).toMatchObject({ code: 'payment_provider_error' })
  await app.close()
})

test('every answer carries the time by the clock that rules go by, a refusal too', async () => {
  const app = await makeHttpServer({
    log: silentLog,
    origin: 'http://localhost:3000',
    trustProxy: null,
    limitsOn: false,
  })
  let now = new Date('2026-11-18T15:00:00.999Z')
  const api = registerEndpoints(app, {
    clock: { now: () => now },
    authenticate: async ({ headers }) => {
      if (headers.authorization === undefined) throw refusal('unauthorized')
      return { userId: 'somebody', sessionId: 'any', email: 'a@b.example' }
    },
    limit: async () => {},
  })
  api.serve(endpoints.feedVersion, async () => ({ version: '1' }))
  const url = endpoints.feedVersion.path
  const answered = await app.inject({ url, headers: { authorization: 'Bearer any' } })
  expect([answered.statusCode, answered.headers.date]).toEqual([200, 'Wed, 18 Nov 2026 15:00:00 GMT'])
  now = new Date('2025-10-14T03:00:01.000Z')
  const refused = await app.inject({ url })
  expect([refused.statusCode, refused.headers.date]).toEqual([401, 'Tue, 14 Oct 2025 03:00:01 GMT'])
  await app.close()
})
