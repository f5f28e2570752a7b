import { setTimeout as pause } from 'node:timers/promises'
import { endpoints } from '@tradepost/contract/endpoints'
import { sql } from 'kysely'
import { test } from 'vitest'
import { connectDatabase } from '../../src/platform/database/database.ts'
import { startWorker } from '../../src/worker.ts'
import { buildTestApp, testSettings } from '../build-test-app.ts'
import { openTestDatabase, silentLog } from '../database/database.ts'
import { addFollowers, type Crowd, makeCrowdTrader, publish } from '../followers.ts'
import { type CountingSink, startCountingSink } from '../mails/counting-sink.ts'
import { startTcpProxy } from '../processes/tcp-proxy.ts'
import { startWorkerProcess } from '../processes/worker-process.ts'
import { bearer, signIn } from '../sign-in/sign-in.ts'

const FOLLOWERS = 600
const POOL_SIZE = 10

/** The product on a database that it reaches through a proxy, and a trader with followers. */
async function startScenario() {
  const direct = await openTestDatabase()
  const proxy = await startTcpProxy(direct.url)
  const sink = await startCountingSink()
  const database = {
    ...connectDatabase({ url: proxy.url, size: POOL_SIZE, log: silentLog }),
    url: proxy.url,
  }
  const testApp = await buildTestApp({ database, now: new Date(), settings: { limitsOn: false } })
  const maria = await makeCrowdTrader(direct.pool, 'maria', testApp.clock.now())
  await addFollowers(direct.pool, maria, FOLLOWERS, testApp.clock.now())
  const person = await signIn(testApp)
  return {
    direct,
    proxy,
    sink,
    database,
    testApp,
    publish: (symbol: string) => publish(direct.db, maria as Crowd, { symbol }, testApp.clock.now()),
    ask: () => testApp.app.inject({ url: endpoints.configuration.path, headers: bearer(person.token) }),
    signInMail: (email: string) =>
      testApp.app.inject({ method: 'POST', url: '/auth/v1/otp', payload: { email } }),
    async [Symbol.asyncDispose]() {
      proxy.resume()
      await testApp.close()
      await database.close()
      await sink.close()
      await proxy[Symbol.asyncDispose]()
      await direct[Symbol.asyncDispose]()
    },
  }
}

function everybodyHas(sink: CountingSink, events: number): boolean {
  const mailed = [...sink.byRecipient].filter(([address]) => address.endsWith('@maria.example'))
  return mailed.length === FOLLOWERS && mailed.every(([, count]) => count >= events)
}

test.concurrent('with every connection gone silent, calls are answered and mails go on, each once', async ({
  expect,
}) => {
  await using scenario = await startScenario()
  const { proxy, sink, database, testApp } = scenario
  const mail = { ...testSettings().mail, smtpUrl: sink.url }
  const worker = await startWorker({
    db: database.db,
    databaseUrl: proxy.url,
    dropIdle: database.dropIdle,
    clock: testApp.clock,
    log: silentLog,
    provider: testApp.provider,
    calls: testApp.calls,
    settings: testSettings({ mail }),
  })
  const fill = Array.from({ length: POOL_SIZE }, () => sql`select pg_sleep(0.1)`.execute(database.db))
  await Promise.all(fill)
  expect((await scenario.ask()).statusCode).toBe(200)
  await scenario.publish('AAPL')
  await sink.until(() => sink.total() >= FOLLOWERS / 2)

  proxy.freeze()
  await scenario.publish('MSFT')
  // How soon is measured by `npm run faults -- R3-silent`.
  await Promise.all([
    expect.poll(async () => (await scenario.ask()).statusCode).toBe(200),
    sink.until(() => everybodyHas(sink, 2)),
  ])
  expect(sink.repeats()).toBe(0)
  await worker.stop()
})

test.concurrent('while the database stalls the processes live and report it; then all goes on, and every mail is sent once', async ({
  expect,
}) => {
  await using scenario = await startScenario()
  const { proxy, sink } = scenario
  const worker = await startWorkerProcess({ databaseUrl: proxy.url, smtpUrl: sink.url, connections: 4 })
  for (let stall = 1; stall <= 3; stall += 1) {
    await scenario.publish(`S${stall}`)
    expect((await scenario.signInMail(`${stall}@people.example`)).statusCode).toBe(200)
    await sink.until(() => sink.total() >= (stall - 1) * (FOLLOWERS + 1) + FOLLOWERS / 3)
    proxy.stall()
    const [asked] = await Promise.all([scenario.ask(), pause(5000)])
    expect(asked.statusCode).toBe(503)
    expect(asked.headers['retry-after']).toBe('5')
    proxy.resume()
    await sink.until(() => everybodyHas(sink, stall) && sink.byRecipient.has(`${stall}@people.example`))
    await expect.poll(async () => (await scenario.ask()).statusCode).toBe(200)
  }
  expect(await worker.stop()).toBe(0)
  expect(sink.repeats()).toBe(0)
  expect(sink.total()).toBe(3 * (FOLLOWERS + 1))
})
