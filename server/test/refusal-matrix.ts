import Stripe from 'stripe'
import { expect } from 'vitest'
import { paymentsTasks } from '../src/payments/payments.task.ts'
import { readDebts } from '../src/subscriptions/read-debts.ts'
import { lookAtLostPayouts } from '../src/subscriptions/subscriptions.jobs.ts'
import { subscriptionsTasks } from '../src/subscriptions/subscriptions.task.ts'
import { readStuckEvents } from '../src/webhooks/read-stuck-events.ts'
import { compareWithStripe } from '../src/webhooks/webhooks.jobs.ts'
import { webhooksTasks } from '../src/webhooks/webhooks.task.ts'
import { silentLog } from './database.ts'
import { runJobs } from './run-jobs.ts'
import { takeAlerts, type WebhookRoom } from './webhook-room.ts'

/** What Stripe can answer instead of doing what it is asked, and whether that heals by itself. */
export const ANSWERS = [
  [400, false, 'always'],
  [402, false, 'at full size'],
  [403, false, 'at full size'],
  [404, false, 'at full size'],
  [409, true, 'at full size'],
  [429, true, 'at full size'],
  [500, true, 'at full size'],
  ['a time-out', true, 'always'],
] as const
export type Refused = (typeof ANSWERS)[number][0]

/** The client gives up before a slow answer comes; what it asked for is done all the same, and later. */
const GIVES_UP_MS = 100
const SLOW_MS = 250

export type Call = readonly [method: string, path: string]

/** Something about money that Stripe is asked for by several calls. */
export type Situation<Somebody> = {
  begin(): Promise<Somebody>
  /** What happens at Stripe; nobody here has dealt with it. */
  happen(somebody: Somebody): Promise<unknown>
  /** Calls that are made about it. `blind`: without its answer nobody knows yet that access is to change. */
  calls: readonly { call: Call; blind?: true; saysNone?: true }[]
  /** @throws unless access here is what it must be */
  checkAccess(somebody: Somebody): Promise<void>
  /** @throws unless everybody has the money that is theirs, at Stripe */
  checkMoney(somebody: Somebody): Promise<void>
}

/** Tasks whose calls to Stripe are made once. They give up early on a call that is slow, and on no other. */
function tasksUnder(room: WebhookRoom, [method, path]: Call, answer: Refused) {
  const { clock, db, settings } = room.testApp
  const httpClient = Stripe.createNodeHttpClient()
  const { makeRequest } = httpClient
  httpClient.makeRequest = (host, port, asked, by, headers, data, protocol, timeout) => {
    const isSlow = answer === 'a time-out' && by === method && asked.startsWith(path)
    const patience = isSlow ? GIVES_UP_MS : timeout
    return makeRequest.call(httpClient, host, port, asked, by, headers, data, protocol, patience)
  }
  const stripe = room.makeClient({ httpClient, maxNetworkRetries: 0 })
  const deps = { clock, db, settings, log: silentLog, stripe }
  return [...paymentsTasks(deps), ...subscriptionsTasks(deps), ...webhooksTasks(deps)]
}

/** Has every such call answered so from now on. */
async function refuse(room: WebhookRoom, [method, path]: Call, answer: Refused): Promise<void> {
  const aim = { method, path, times: 100 }
  const { control } = room.stage
  if (answer === 'a time-out') return control('fault', { ...aim, kind: 'slow', ms: SLOW_MS })
  if (answer === 429) return control('fault', { ...aim, kind: 'rate-limit' })
  if (answer === 500) return control('fault', { ...aim, kind: 'error' })
  return control('fault', { ...aim, kind: 'refuse', status: answer })
}

/** Six hours and a night later everything has been tried again by itself. */
async function heal(room: WebhookRoom): Promise<void> {
  await room.stage.control('calm')
  for (let round = 0; round < 2; round += 1) {
    room.testApp.clock.advance(6 * 3_600_000)
    await room.sweep()
    await room.settle()
  }
  await room.runScheduled(compareWithStripe)
  await room.runScheduled(lookAtLostPayouts)
  await room.settle()
  await room.sweep()
  await room.settle()
}

/** What the operator can read of what is not settled. */
const listed = async ({ testApp }: WebhookRoom) => [
  ...(await readDebts(testApp.db)),
  ...(await readStuckEvents(testApp.db)),
]

/**
 * Lets each call of a situation be refused in one way: access is right at once, money is right or stands in the
 * operator's list, a refusal that does not heal by itself is mailed at once and others are not, and once Stripe does what
 * it is asked all of it is right by itself.
 */
export async function refuseEveryCall<Somebody>(
  room: WebhookRoom,
  situation: Situation<Somebody>,
  answer: Refused,
  heals: boolean,
): Promise<void> {
  for (const { blind, call, saysNone } of situation.calls) {
    const tasks = tasksUnder(room, call, answer)
    const where = `${call.join(' ')} answered ${answer}`
    const somebody = await situation.begin()
    await takeAlerts(room)
    await refuse(room, call, answer)
    await situation.happen(somebody)
    // Changes nothing but that every webhook is delivered.
    await room.stage.control('chaos', { settle: true })
    await runJobs(room.testApp, tasks)
    await room.sweep()
    await runJobs(room.testApp, tasks)
    await room.stage.control('calm')
    // Stripe's "there is none" is believed of what can be gone, until the night's comparison.
    const believed = answer === 404 && saysNone === true
    if (!blind) await expectSoon(where, () => situation.checkAccess(somebody))
    const told = (await takeAlerts(room)).filter((subject) => !subject.includes('a payment is disputed'))
    const open = await listed(room)
    if (!believed) {
      expect({ where, told: told.length > 0 }).toEqual({ where, told: !heals })
      const right = await situation.checkMoney(somebody).then(
        () => true,
        () => false,
      )
      expect({ where, rightOrListed: right || open.length > 0 }).toEqual({ where, rightOrListed: true })
    }
    await heal(room)
    await expectSoon(where, () => situation.checkAccess(somebody))
    await expectSoon(where, () => situation.checkMoney(somebody))
    expect({ where, open: await listed(room) }).toEqual({ where, open: [] })
  }
}

/** The failure says in which cell it happened. */
async function expectSoon(where: string, check: () => Promise<void>): Promise<void> {
  try {
    await check()
  } catch (error) {
    throw new Error(`${where}: ${error instanceof Error ? error.message : error}`, { cause: error })
  }
}
