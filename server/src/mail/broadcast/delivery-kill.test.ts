import { expect, test } from 'vitest'
import { addFollowers, makeCrowdTrader, publish } from '../../../test/followers.ts'
import { startDeliveryScenario } from '../../../test/mails/delivery-scenario.ts'
import { startWorkerProcess } from '../../../test/processes/worker-process.ts'

const CONNECTIONS = 4
const FOLLOWERS = 1000
const KILLS = 2

test('when the worker is killed (-9) twice on the way everybody is mailed, and repeats stay within connections x kills', {
  tags: ['NOTIF-04'],
}, async () => {
  await using scenario = await startDeliveryScenario()
  const { database, sink, clock } = scenario
  const maria = await makeCrowdTrader(database.pool, 'maria', clock.now())
  const followers = await addFollowers(database.pool, maria, FOLLOWERS, clock.now())
  await publish(database.db, maria, { symbol: 'AAPL' }, clock.now())
  const target = { databaseUrl: database.url, smtpUrl: sink.url, connections: CONNECTIONS }
  for (let kill = 1; kill <= KILLS; kill += 1) {
    // A busy machine may kill it late: even then it cannot have mailed everybody.
    sink.script = { message: () => (sink.total() < kill * 250 + 200 ? null : 'hang') }
    const worker = await startWorkerProcess(target)
    await sink.until(() => sink.total() >= kill * 250)
    await worker.kill()
    expect(sink.byMessageId.size).toBeLessThan(FOLLOWERS)
  }
  sink.script = {}
  const last = await startWorkerProcess(target)
  await sink.until(() => sink.byMessageId.size === FOLLOWERS)
  expect(await last.stop()).toBe(0)
  expect([...sink.byRecipient.keys()].sort()).toEqual([...followers].sort())
  expect(sink.repeats()).toBeLessThanOrEqual(CONNECTIONS * KILLS)
  expect(Math.max(...sink.byMessageId.values())).toBeLessThanOrEqual(2)
  expect(await scenario.countRanges('done_at is null')).toBe(0)
})
