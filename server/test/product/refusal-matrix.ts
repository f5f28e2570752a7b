import Stripe from 'stripe'
import { expect } from 'vitest'
import { readDebts } from '../../src/billing/debts/read-debts.ts'
import { paymentsTasks, paymentsWork } from '../../src/billing/entry/payments.task.ts'
import { subscriptionsTasks, subscriptionsWork } from '../../src/billing/entry/subscriptions.task.ts'
import { lookAtLostPayouts } from '../../src/billing/subscriptions/subscriptions.jobs.ts'
import { readStuckEvents } from '../../src/billing/webhooks/read-stuck-events.ts'
import { compareWithStripe } from '../../src/billing/webhooks/webhooks.jobs.ts'
import { webhooksTasks, webhooksWork } from '../../src/billing/webhooks/webhooks.task.ts'
import { draftEvidence } from '../../src/disputes/draft-evidence.ts'
import { StripeClient } from '../../src/stripe/sdk.ts'
import { silentLog } from '../database/database.ts'
import { type BillingScenario, takeAlerts } from '../money/billing-scenario.ts'
import { runPaymentWork } from '../run-due-rows.ts'

/** The answers that Stripe can give instead of doing what it is asked, and whether each heals without help. */
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
  /** Lets something happen at Stripe; nothing here has dealt with it. */
  happen(somebody: Somebody): Promise<unknown>
  /** Calls that are made about it. `blind`: without its answer nobody knows yet that access is to change. */
  calls: readonly { call: Call; blind?: true; hasNone?: true }[]
  /** @throws unless access here is what it must be */
  checkAccess(somebody: Somebody): Promise<void>
  /** @throws unless everybody has the money that is theirs, at Stripe */
  checkMoney(somebody: Somebody): Promise<void>
}

/** Tasks and kinds of work whose calls to Stripe are made once. They give up early on a call that is slow, and on no other. */
function partsUnder(scenario: BillingScenario, [method, path]: Call, answer: Refused) {
  const { clock, db, settings } = scenario.testApp
  const httpClient = Stripe.createNodeHttpClient()
  const { makeRequest } = httpClient
  httpClient.makeRequest = (host, port, asked, by, headers, data, protocol, timeout) => {
    const isSlow = answer === 'a time-out' && by === method && asked.startsWith(path)
    const patience = isSlow ? GIVES_UP_MS : timeout
    return makeRequest.call(httpClient, host, port, asked, by, headers, data, protocol, patience)
  }
  const stripe = scenario.makeClient({ httpClient, maxNetworkRetries: 0 })
  const deps = { clock, db, settings, log: silentLog, stripe: new StripeClient(stripe) }
  return {
    tasks: [...paymentsTasks(deps), ...subscriptionsTasks(deps), ...webhooksTasks(deps)],
    kinds: [
      ...paymentsWork(deps),
      ...subscriptionsWork(deps),
      webhooksWork({ ...deps, draftEvidence: (id) => draftEvidence(deps, id) }),
    ],
  }
}

/** Has every such call answered so from now on. */
async function refuse(scenario: BillingScenario, [method, path]: Call, answer: Refused): Promise<void> {
  const aim = { method, path, times: 100 }
  const { control } = scenario.sandbox
  if (answer === 'a time-out') return control('fault', { ...aim, kind: 'slow', ms: SLOW_MS })
  if (answer === 429) return control('fault', { ...aim, kind: 'rate-limit' })
  if (answer === 500) return control('fault', { ...aim, kind: 'error' })
  return control('fault', { ...aim, kind: 'refuse', status: answer })
}

/** Six hours and a night later everything has been tried again automatically. */
async function heal(scenario: BillingScenario): Promise<void> {
  await scenario.sandbox.control('calm')
  for (let round = 0; round < 2; round += 1) {
    scenario.testApp.clock.advance(6 * 3_600_000)
    await scenario.settle()
  }
  await scenario.runScheduled(compareWithStripe)
  await scenario.runScheduled(lookAtLostPayouts)
  await scenario.settle()
  await scenario.settle()
}

/** The operator's lists of what is not settled. */
const listed = async ({ testApp }: BillingScenario) => [
  ...(await readDebts(testApp.db)),
  ...(await readStuckEvents(testApp.db)),
]

/**
 * Lets each call of a situation be refused in one way: access is right at once, money is right or stands in the
 * operator's list, a refusal that does not heal without help is mailed at once and others are not, and once Stripe does
 * what it is asked all of it is right without help.
 */
export async function refuseEveryCall<Somebody>(
  scenario: BillingScenario,
  situation: Situation<Somebody>,
  answer: Refused,
  heals: boolean,
): Promise<void> {
  for (const { blind, call, hasNone } of situation.calls) {
    const parts = partsUnder(scenario, call, answer)
    const where = `${call.join(' ')} answered ${answer}`
    const somebody = await situation.begin()
    await takeAlerts(scenario)
    await refuse(scenario, call, answer)
    await situation.happen(somebody)
    // Changes nothing but that every webhook is delivered.
    await scenario.sandbox.control('chaos', { settle: true })
    await runPaymentWork(scenario.testApp, parts)
    await scenario.sandbox.control('calm')
    // Stripe's "there is none" is believed of what can be gone, until the night's comparison.
    const believed = answer === 404 && hasNone === true
    if (!blind) await expectSoon(where, () => situation.checkAccess(somebody))
    const alerts = (await takeAlerts(scenario)).filter(
      (subject) => !subject.includes('a payment is disputed'),
    )
    const open = await listed(scenario)
    if (!believed) {
      expect({ where, isMailed: alerts.length > 0 }).toEqual({ where, isMailed: !heals })
      const right = await situation.checkMoney(somebody).then(
        () => true,
        () => false,
      )
      expect({ where, rightOrListed: right || open.length > 0 }).toEqual({ where, rightOrListed: true })
    }
    await heal(scenario)
    await expectSoon(where, () => situation.checkAccess(somebody))
    await expectSoon(where, () => situation.checkMoney(somebody))
    expect({ where, open: await listed(scenario) }).toEqual({ where, open: [] })
  }
}

/** The failure names the cell in which it happened. */
async function expectSoon(where: string, check: () => Promise<void>): Promise<void> {
  try {
    await check()
  } catch (error) {
    throw new Error(`${where}: ${error instanceof Error ? error.message : error}`, { cause: error })
  }
}
