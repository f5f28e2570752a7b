/**
 * A hundred workers killed (-9) one after the other, two at work at any time, while positions are opened so that there are always
 * messages to push. `PUSH_KILLS` changes the size. Prints figures and throws when one of them breaks its bound.
 */
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { addDevices, countSeen } from '../../server/test/pushes/push-crowd.ts'
import { type PushService, startPushService } from '../../server/test/pushes/push-service.ts'
import { print } from './delivery-checks.ts'
import { inScenario, type Scenario } from './delivery-scenario.ts'

const KILLS = Number(process.env.PUSH_KILLS ?? 100)
const AT_WORK = 2
const FOLLOWERS = 300
const LIFE_MS = { shortest: 100, longest: 1500 }
/** Messages that a worker has in hand at most. */
const IN_HAND = 128

export const runs: Record<string, () => Promise<void>> = {
  'R1-push-kills': () => inScenario(killedAllTheTime, { followers: FOLLOWERS }),
}

type Course = { begun: number; kills: number; opens: number; over: boolean }

async function killedAllTheTime(scenario: Scenario): Promise<void> {
  const { database, trader } = scenario
  const service = await startPushService()
  const browsers = await addDevices(database, trader, service, new Date())
  // The first start registers the reader: from then on events wait for it.
  await (await scenario.startWorker()).stop()
  const course: Course = { begun: 0, kills: 0, opens: 0, over: false }
  const opening = keepOpening(scenario, service, course)
  await Promise.all(Array.from({ length: AT_WORK }, () => keepKilling(scenario, course))).finally(() => {
    course.over = true
  })
  await opening
  await scenario.startWorker()
  const owed = course.opens * browsers.length
  await service.until(() => countSeen(service).seen.size >= owed)
  const open = 'select count(*) from push_deliveries where ended_at is null'
  for (let look = 0; look < 200 && (await scenario.ask(open)) > 0; look += 1) await pause(50)
  const { mostOfOne, repeats, seen } = countSeen(service)
  const bound = IN_HAND * course.kills
  print({
    kills: course.kills,
    opens: course.opens,
    'messages owed': owed,
    lost: owed - seen.size,
    'repeated, under the same topic': repeats,
    bound,
    'repeated a kill': repeats / course.kills,
    'most copies of one message': mostOfOne,
    'breaches of the protocols': service.breaches.length,
  })
  await service.close()
  assert.equal(seen.size, owed, 'a device was left out, or told in error')
  assert.ok(repeats <= bound, `${repeats} messages were repeated, at most ${bound} may be`)
  assert.equal(await scenario.ask(open), 0, 'messages are left')
  assert.equal(
    await scenario.ask("select count(*) from push_deliveries where ended_as is distinct from 'sent'"),
    0,
  )
  assert.deepEqual(service.breaches, [])
  const topics = new Set(
    service.taken.map(({ message, topic }) => `${topic} ${message.tag} ${message.symbol}`),
  )
  assert.equal(topics.size, course.opens, 'an event has more than one topic')
}

async function keepKilling(scenario: Scenario, course: Course): Promise<void> {
  while (course.begun < KILLS) {
    course.begun += 1
    const worker = await scenario.startWorker()
    await pause(randomInt(LIFE_MS.shortest, LIFE_MS.longest))
    await worker.kill()
    course.kills += 1
    if (course.kills % 20 === 0) console.log(`   ${course.kills} killed …`)
  }
}

/** Opens a position whenever fewer than two opens' messages are waiting. */
async function keepOpening(scenario: Scenario, service: PushService, course: Course): Promise<void> {
  while (!course.over) {
    const waiting = course.opens * FOLLOWERS - countSeen(service).seen.size
    if (waiting >= 2 * FOLLOWERS) await pause(50)
    else {
      await scenario.publish(`K${course.opens}`)
      course.opens += 1
    }
  }
}
