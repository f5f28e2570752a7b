import { endpoints } from '@tradepost/contract/endpoints'
import { afterEach, expect, test, vi } from 'vitest'
import { silentLog } from '../../../test/database.ts'
import { systemClock } from '../clock.ts'
import { makeHttpServer } from './http-server.ts'
import { registerEndpoints } from './register-endpoints.ts'

afterEach(() => {
  vi.useRealTimers()
})

test('an answer that comes too late is told as an outage that will pass, not as a fault', async () => {
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
