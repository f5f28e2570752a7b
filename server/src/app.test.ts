import { once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'
import { endpoints } from '@tradepost/contract/endpoints'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildTestApp, type TestApp } from '../test/build-test-app.ts'
import { countWaiting } from '../test/database/waiting-for-locks.ts'
import { bearer, signIn } from '../test/sign-in/sign-in.ts'
import { DatabaseClient } from './platform/database/database-client.ts'
import { enterWorkers } from './platform/database/living-workers.ts'

let product: TestApp

beforeAll(async () => {
  product = await buildTestApp({ settings: { origin: 'https://tradepost.example' } })
})
afterAll(() => product.close())

function preflight(origin: string) {
  return product.app.inject({
    method: 'OPTIONS',
    url: endpoints.openPosition.path,
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type',
    },
  })
}

test('the one origin may call with credentials, and no other', { tags: ['API-04'] }, async () => {
  const answer = await preflight('https://tradepost.example')
  expect(answer.headers['access-control-allow-origin']).toBe('https://tradepost.example')
  expect(answer.headers['access-control-allow-credentials']).toBe('true')
  expect(answer.headers['access-control-allow-headers']).toContain('authorization')
  const foreign = await preflight('https://evil.example')
  expect(['*', 'https://evil.example']).not.toContain(foreign.headers['access-control-allow-origin'])
})

for (const origin of [
  'https://tradepost.example.evil.example',
  'http://tradepost.example',
  'https://tradepost.example:444',
  'https://evil.example',
  'null',
]) {
  test(`the foreign origin ${origin} is refused`, async () => {
    const asked = await preflight(origin)
    expect(asked.headers['access-control-allow-origin']).not.toBe(origin)
    expect(asked.headers['access-control-allow-origin']).not.toBe('*')
    const called = await product.app.inject({ url: endpoints.positions.path, headers: { origin } })
    expect(called.headers['access-control-allow-origin']).not.toBe(origin)
  })
}

test('a process with a worker is alive before that is, and ready only with it', async () => {
  expect((await product.app.inject({ url: '/healthz' })).statusCode).toBe(200)
  const readiness = await product.app.inject({ url: '/readyz' })
  expect(readiness.statusCode).toBe(503)
  expect(readiness.json()).toEqual({ ready: false, database: true, migrations: true, worker: false })
})

test('a process without a worker is ready without one, answers that none runs, and can be asked for an alarm', async () => {
  const lines: string[] = []
  const log = pino({}, { write: (line: string) => lines.push(JSON.parse(line).msg) })
  await using api = await buildTestApp({ hasWorker: false, log })
  const ask = async (url: string) => {
    const answer = await api.app.inject({ url })
    return { status: answer.statusCode, ...answer.json() }
  }
  const missing = { database: true, migrations: true, worker: false }
  expect(await ask('/readyz')).toEqual({ status: 200, ready: true, ...missing })
  expect(await ask('/readyz?worker')).toEqual({ status: 503, ready: false, ...missing })
  const worker = new DatabaseClient({ connectionString: api.url })
  await worker.connect()
  await enterWorkers(worker)
  const running = { status: 200, ready: true, database: true, migrations: true, worker: true }
  expect(await ask('/readyz')).toEqual(running)
  expect(await ask('/readyz?worker')).toEqual(running)
  expect(lines.filter((line) => line.includes('worker'))).toEqual([
    'no worker runs: mails and payments wait until one does',
    'a worker runs again',
  ])
  await worker.end()
})

test('a process whose requests cannot look a session up is not ready, answers why, and is ready again by itself', async () => {
  const lines: { msg: string; reason?: string }[] = []
  const log = pino({}, { write: (line: string) => lines.push(JSON.parse(line)) })
  await using api = await buildTestApp({ hasWorker: false, log })
  const ask = async () => {
    const answer = await api.app.inject({ url: '/readyz' })
    return { status: answer.statusCode, ...answer.json() }
  }
  const ready = { status: 200, ready: true, database: true, migrations: true, worker: false }
  expect(await ask()).toEqual(ready)
  await api.pool.query('alter table sessions rename to lost')
  const refused = { ...ready, status: 503, ready: false, database: 'refuses' }
  expect([await ask(), await ask()]).toEqual([refused, refused])
  await api.pool.query('alter table lost rename to sessions')
  expect(await ask()).toEqual(ready)
  expect(lines.filter(({ msg }) => msg.includes('session'))).toMatchObject([
    {
      msg: 'the database refuses to look a session up: every call is answered with a fault',
      reason: expect.stringMatching(/error 42P01: .*sessions/),
    },
    { msg: 'sessions can be looked up again' },
  ])
})

test('one address that asks without end has to wait, in the documented shape', async () => {
  await using busy = await buildTestApp()
  let status = 200
  let answer = await busy.app.inject({ url: '/v1/leaderboard' })
  for (let asked = 0; asked < 1300 && status !== 429; asked += 1) {
    answer = await busy.app.inject({ url: '/v1/leaderboard' })
    status = answer.statusCode
  }
  expect(status).toBe(429)
  expect(answer.json()).toMatchObject({
    code: 'rate_limited',
    message: expect.any(String),
    requestId: expect.any(String),
  })
  expect(answer.headers['retry-after']).toBeDefined()
})

test('a server that closes gives the answers that are on their way, and does not keep their connections', async () => {
  const own = await buildTestApp()
  const { token } = await signIn(own)
  const address = await own.app.listen({ host: '127.0.0.1', port: 0 })
  const blocker = await own.pool.connect()
  await blocker.query('begin')
  await blocker.query('lock table accounts in access exclusive mode')
  const asked = get(address + endpoints.configuration.path, {
    headers: bearer(token),
    agent: new Agent({ keepAlive: true }),
  })
  await expect.poll(() => countWaiting(own)).toBe(1)
  const closing = own.app.close()
  await blocker.query('commit')
  blocker.release()
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  answer.resume()
  expect([answer.statusCode, answer.headers.connection]).toEqual([200, 'close'])
  await closing
  await own.close()
})

test('a process that is about to end is not ready at /readyz, and still answers everything else', async () => {
  const draining = new AbortController()
  await using own = await buildTestApp({ hasWorker: false, draining: draining.signal })
  const ready = { ready: true, database: true, migrations: true, worker: false }
  expect((await own.app.inject({ url: '/readyz' })).json()).toEqual(ready)
  draining.abort()
  const answer = await own.app.inject({ url: '/readyz' })
  expect([answer.statusCode, answer.json()]).toEqual([503, { ...ready, ready: false, draining: true }])
  const { token } = await signIn(own)
  expect(
    (await own.app.inject({ url: '/v1/accounts/configuration', headers: bearer(token) })).statusCode,
  ).toBe(200)
  expect((await own.app.inject({ url: '/healthz' })).statusCode).toBe(200)
})
