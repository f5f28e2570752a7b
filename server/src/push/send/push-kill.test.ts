import { expect, test } from 'vitest'
import { addFollowers, makeCrowdTrader, publish } from '../../../test/followers.ts'
import { startDeliveryScenario } from '../../../test/mails/delivery-scenario.ts'
import { startWorkerProcess } from '../../../test/processes/worker-process.ts'
import { addDevices, countSeen } from '../../../test/pushes/push-crowd.ts'
import { startPushService } from '../../../test/pushes/push-service.ts'

const FOLLOWERS = 400
const KILLS = 2
/** Messages that a worker has in hand at most. */
const IN_HAND = 128

test('when the worker is killed (-9) twice on the way each device is notified, and repeats of a message stay within what was in hand', async () => {
  await using scenario = await startDeliveryScenario()
  const { database, sink, clock } = scenario
  const service = await startPushService()
  const maria = await makeCrowdTrader(database.pool, 'maria', clock.now())
  await addFollowers(database.pool, maria, FOLLOWERS, clock.now())
  const now = new Date()
  const browsers = await addDevices(database, maria, service, now)
  const target = { databaseUrl: database.url, smtpUrl: sink.url, connections: 1 }
  // The first start registers the reader: from then on events wait for it.
  await (await startWorkerProcess(target)).stop()
  await publish(database.db, maria, { symbol: 'AAPL' }, now)
  for (let kill = 1; kill <= KILLS; kill += 1) {
    const worker = await startWorkerProcess(target)
    await service.until(() => service.taken.length >= kill * 100)
    await worker.kill()
    expect(countSeen(service).seen.size).toBeLessThan(FOLLOWERS)
  }
  const last = await startWorkerProcess(target)
  await service.until(() => countSeen(service).seen.size === FOLLOWERS)
  // A device has its message before the worker has noted the answer.
  const unended = () =>
    database.pool.query("select from push_deliveries where ended_as is distinct from 'sent'")
  await expect.poll(async () => (await unended()).rowCount).toBe(0)
  expect(await last.stop()).toBe(0)
  const { repeats } = countSeen(service)
  expect(new Set(service.taken.map(({ browser }) => browser))).toEqual(new Set(browsers))
  expect(repeats).toBeLessThanOrEqual(IN_HAND * KILLS)
  expect(service.breaches).toEqual([])
  await service.close()
})
