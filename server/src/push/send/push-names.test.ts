import { lookup } from 'node:dns/promises'
import { expect, test } from 'vitest'
import { silentLog } from '../../../test/database/database.ts'
import { call, makeTrader, subscribe } from '../../../test/factories.ts'
import { startNameServer } from '../../../test/mails/name-server.ts'
import { startPushScenario } from '../../../test/pushes/push-scenario.ts'
import { signIn } from '../../../test/sign-in/sign-in.ts'
import { openWorkSession } from '../../work/work-session.ts'
import { pushReader } from './plan-pushes.ts'
import { startPushes } from './pushes.ts'

/** More than libuv has threads for `dns.lookup`. */
const TRADERS = 4
const NAMES_OF_ONE = 3

test('names about which no name server answers hold up neither other messages nor what else the process looks up', async () => {
  await using scenario = await startPushScenario()
  await using nameServer = await startNameServer({})
  const { service, testApp } = scenario
  const { db, clock, pool } = testApp
  // Readers are registered when a worker starts: here, what is published is planned by the test.
  const publish = async (trader: { userId: string }) => {
    await scenario.publish({ ...trader, sessionId: '', email: '', token: '' }, 'AAPL')
    const event = { traderId: trader.userId, eventNo: 1, positionId: '', kind: 'opened' as const }
    await pushReader(db).handle({ ...event, createdAt: clock.now(), requestId: null }, clock.now())
  }
  const names: string[] = []
  for (let nth = 0; nth < TRADERS; nth += 1) {
    const trader = await makeTrader(testApp)
    for (let of = 0; of < NAMES_OF_ONE; of += 1) {
      const fan = await signIn(testApp)
      await subscribe(testApp, fan, trader)
      const { body } = await call(testApp, fan, 'GET', '/v1/push')
      const { subscription } = service.subscribe(String(body.publicKey))
      const name = `push-${nth}-${of}.example`
      const there = { ...subscription, endpoint: `https://${name}/send` }
      expect((await call(testApp, fan, 'POST', '/v1/push/devices', there)).status).toBe(201)
      names.push(name)
    }
    await publish(trader)
  }
  const session = openWorkSession({ ...testApp, databaseUrl: testApp.url, log: silentLog })
  const pushes = startPushes({ ...testApp, session, log: silentLog }, [nameServer.address])
  await nameServer.until(() => nameServer.asked.size === names.length)
  const other = await makeTrader(testApp)
  const fan = await signIn(testApp)
  await subscribe(testApp, fan, other)
  const device = await scenario.turnOn(fan)
  clock.advance(1000)
  await publish(other)
  const looks = await Promise.all(Array.from({ length: 8 }, () => lookup('localhost')))
  expect(looks).toHaveLength(8)
  await service.until(() => service.taken.length === 1)
  expect(scenario.told()).toEqual([device.id])
  const faults = async () =>
    (await pool.query('select distinct fault from push_deliveries where fault is not null')).rows
  await expect.poll(faults, { timeout: 20_000 }).toEqual([{ fault: 'no answer: ETIMEOUT' }])
  await pushes.stop()
  await session.end()
})
