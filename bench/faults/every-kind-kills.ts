/**
 * Workers killed (-9) one after the other, two at work at any time, while every kind of their own work waits: position mails,
 * notifications, single mails, jobs. (Kinds that ask Stripe: `R14-money-kills-random`.) `WORKER_KILLS` changes the size.
 * Prints figures and throws when a kind loses something, or repeats more than its bound.
 */
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { queueMail } from '../../server/src/mail/outbox/queue-mail.ts'
import { systemClock } from '../../server/src/platform/clock.ts'
import { insertJob } from '../../server/src/work/jobs.queries.ts'
import { makeCrowdTrader } from '../../server/test/followers.ts'
import { addDevices, countSeen } from '../../server/test/pushes/push-crowd.ts'
import { type PushService, startPushService } from '../../server/test/pushes/push-service.ts'
import { allRangesDone, print } from './delivery-checks.ts'
import { inScenario, type Scenario } from './delivery-scenario.ts'
import { requireWholeRecord } from './record-checks.ts'

const KILLS = Number(process.env.WORKER_KILLS ?? 1000)
const AT_WORK = 2
const FOLLOWERS = 200
const LIFE_MS = { shortest: 20, longest: 1500 }
/** So much of each kind may be waiting while more is added. */
const WAITING = { mails: 2 * FOLLOWERS, notifications: 2 * FOLLOWERS, singleMails: 100, jobs: 20 }
/** A worker has so much in hand at most of a kind, and may repeat it when it is killed. */
const NOTIFICATIONS_IN_HAND = 128
const SINGLE_MAILS_IN_HAND = 48

export const runs: Record<string, () => Promise<void>> = {
  'R1-every-kind-kills': () => inScenario(killedAllTheTime, { followers: FOLLOWERS }),
}

/** All that is to be done in the end. */
type Owed = { opens: number; singleMails: number; jobs: number }

async function killedAllTheTime(scenario: Scenario): Promise<void> {
  const { connections, database, sink, trader } = scenario
  const service = await startPushService()
  const browsers = await addDevices(database, trader, service, new Date())
  const reader = await makeCrowdTrader(database.pool, 'reader', new Date())
  // The first start registers the readers of events: from then on events wait for them.
  await (await scenario.startWorker({ systemClock: true })).stop()
  const owed: Owed = { opens: 0, singleMails: 0, jobs: 0 }
  const over = new AbortController()
  const single = () => sink.byRecipient.get('reader@traders.example') ?? 0
  const adding = keepAdding({ scenario, service, readerId: reader.traderId, owed, single }, over.signal)
  let begun = 0
  let kills = 0
  const keepKilling = async () => {
    while (begun < KILLS) {
      begun += 1
      const worker = await scenario.startWorker({ systemClock: true })
      await pause(randomInt(LIFE_MS.shortest, LIFE_MS.longest))
      await worker.kill()
      kills += 1
      if (kills % 100 === 0) console.log(`   ${kills} killed …`)
    }
  }
  await Promise.all(Array.from({ length: AT_WORK }, keepKilling)).finally(() => over.abort())
  await adding

  await scenario.startWorker({ systemClock: true })
  const positionMails = owed.opens * FOLLOWERS
  await sink.until(() => sink.byMessageId.size >= positionMails + owed.singleMails)
  await service.until(() => countSeen(service).seen.size >= owed.opens * browsers.length)
  await allRangesDone(scenario)
  const left = `select (select count(*) from work where key <> 'every') + (select count(*) from event_work)
    + (select count(*) from outbox where ended_at is null) + (select count(*) from push_deliveries where ended_at is null)`
  for (let look = 0; look < 400 && (await scenario.ask(left)) > 0; look += 1) await pause(50)

  const { repeats, seen } = countSeen(service)
  const singleRepeats = single() - owed.singleMails
  const figures = {
    kills,
    'position mails': positionMails,
    'position mails repeated': sink.repeats() - singleRepeats,
    'position mails repeated, bound': connections * kills,
    notifications: owed.opens * browsers.length,
    'notifications repeated': repeats,
    'notifications repeated, bound': NOTIFICATIONS_IN_HAND * kills,
    'single mails': owed.singleMails,
    'single mails repeated': singleRepeats,
    'single mails repeated, bound': SINGLE_MAILS_IN_HAND * kills,
    jobs: owed.jobs,
    'left of any kind': await scenario.ask(left),
    ...(await requireWholeRecord(database)),
  }
  print(figures)
  await service.close()
  assert.equal(kills, KILLS)
  assert.equal(sink.byMessageId.size, positionMails + owed.singleMails, 'a mail was lost, or made up')
  assert.equal(seen.size, owed.opens * browsers.length, 'a notification was lost, or made up')
  assert.ok(figures['position mails repeated'] <= connections * kills)
  assert.ok(repeats <= NOTIFICATIONS_IN_HAND * kills)
  assert.ok(singleRepeats <= SINGLE_MAILS_IN_HAND * kills)
  assert.equal(figures['left of any kind'], 0, 'work is left')
}

type Adding = {
  scenario: Scenario
  service: PushService
  readerId: string
  owed: Owed
  single: () => number
}

/** Keeps some work of every kind waiting. */
async function keepAdding(
  { owed, readerId, scenario, service, single }: Adding,
  over: AbortSignal,
): Promise<void> {
  const { database, sink } = scenario
  const jobs = "select count(*) from work where name = 'purge' and key <> 'every'"
  while (!over.aborted) {
    const mails = owed.opens * FOLLOWERS + owed.singleMails - sink.byMessageId.size
    const notifications = owed.opens * FOLLOWERS - service.taken.length
    if (mails < WAITING.mails && notifications < WAITING.notifications) {
      await scenario.publish(`K${owed.opens}`)
      owed.opens += 1
    }
    while (owed.singleMails - single() < WAITING.singleMails) {
      const mail = { kind: 'account_restored' as const, facts: { reason: 'None.' }, userId: readerId }
      owed.singleMails += 1
      await queueMail(database.db, { ...mail, cause: `restored ${owed.singleMails}` }, systemClock.now())
    }
    if ((await scenario.ask(jobs)) < WAITING.jobs) {
      owed.jobs += 1
      await insertJob(database.db, { name: 'purge', key: `kill ${owed.jobs}`, facts: '{}', mostTries: 25 })
    }
    await pause(20)
  }
}
