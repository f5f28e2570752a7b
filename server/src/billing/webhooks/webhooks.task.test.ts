import Stripe from 'stripe'
import { afterAll, expect, test } from 'vitest'
import { silentLog } from '../../../test/database/database.ts'
import { readTables } from '../../../test/factories.ts'
import {
  findSubscription,
  makeCustomer,
  makePaidTrader,
  startBillingScenario,
  subscribeAtStripe,
  takeAlerts,
} from '../../../test/money/billing-scenario.ts'
import { runDue } from '../../../test/run-due-rows.ts'
import { StripeClient } from '../../stripe/sdk.ts'
import { paymentWork } from '../../worker.ts'
import { comparePage } from './compare-with-stripe.ts'
import { receiveEvent } from './receive-event.ts'
import type { StripeEventRow } from './stripe-events.queries.ts'
import { catchUpEvents, compareWithStripe, PAYMENT_TABLES } from './webhooks.jobs.ts'
import { webhooksWork } from './webhooks.task.ts'

const scenario = await startBillingScenario()
const { sandbox, stripe, testApp } = scenario
afterAll(() => scenario[Symbol.asyncDispose]())

const SECOND_MS = 1000

async function startPair() {
  return { trader: await makePaidTrader(scenario), person: await makeCustomer(scenario) }
}

const eventsOf = (objectId: string | null) =>
  testApp.db
    .selectFrom('stripe_events')
    .select(['state', 'attempts', 'error', 'due_at'])
    .where('object_id', '=', objectId)
    .execute()

/** Delivers everything, and does nothing about it. */
const deliver = () => sandbox.control('calm', { settle: true })

async function failNext(times: number): Promise<void> {
  for (let time = 0; time < times; time += 1)
    await sandbox.control('fault', { kind: 'rate-limit', path: '/v1/' })
}

/** Turns the platform's webhook at Stripe off or on. */
async function setWebhooksDisabled(disabled: boolean): Promise<void> {
  for (const { id } of (await stripe.webhookEndpoints.list()).data)
    await stripe.webhookEndpoints.update(id, { disabled })
}

test('an event that fails is not done: it keeps its tries and the reason, and is tried again', async () => {
  const { person, trader } = await startPair()
  const { id } = await subscribeAtStripe(scenario, person, trader)
  await deliver()
  await failNext(50)
  await scenario.work()
  const now = testApp.clock.now().getTime()
  expect(await eventsOf(id)).toEqual([
    {
      state: 'received',
      attempts: 1,
      error: 'StripeRateLimitError rate_limit',
      due_at: new Date(now + 10 * SECOND_MS),
    },
  ])
  await sandbox.control('calm')
  testApp.clock.advance(10 * SECOND_MS - 1)
  await scenario.work()
  expect(await eventsOf(id)).toMatchObject([{ state: 'received', attempts: 1 }])
  testApp.clock.advance(1)
  await scenario.work()
  expect(await eventsOf(id)).toEqual([{ state: 'done', attempts: 1, error: null, due_at: null }])
  expect(await findSubscription(scenario, person, trader)).toMatchObject({ status: 'active' })
})

test('each table in which payments keep what is due has its work, and its table is listed', () => {
  const { clock, db, settings } = testApp
  const kinds = paymentWork({ clock, db, log: silentLog, settings }).map(({ name }) => name)
  const tables = ['checkout_sessions', 'customers', 'debts', 'own_prices', 'payout_accounts', 'stripe_events']
  expect(kinds.toSorted()).toEqual(tables)
  expect(PAYMENT_TABLES.map(({ name }) => name).toSorted()).toEqual(tables)
})

test('an event that comes again while its tries fail is due at once, and not after the pause', async () => {
  const { person, trader } = await startPair()
  const { id } = await subscribeAtStripe(scenario, person, trader)
  await deliver()
  const { clock, db, settings } = testApp
  const { rows } = await testApp.pool.query<StripeEventRow>(
    `select event_id as "eventId", endpoint, type, object_id as "objectId", api_version as "apiVersion"
     from stripe_events where object_id = $1`,
    [id],
  )
  const [event] = rows
  if (!event) throw new Error('the event has not arrived')
  const away = new Stripe.errors.StripeConnectionError({ message: 'away', type: 'api_error' })
  const withoutSuccess = (meanwhile: () => Promise<void>) => {
    const stripe = { subscriptions: { retrieve: () => meanwhile().then(() => Promise.reject(away)) } }
    const work = webhooksWork({
      db,
      settings,
      clock,
      log: silentLog,
      stripe: new StripeClient(stripe as unknown as Stripe),
      draftEvidence: async () => undefined,
    })
    return runDue(testApp, [work])
  }
  let tries = 0
  await withoutSuccess(async () => {
    tries += 1
    clock.advance(SECOND_MS)
    if (tries === 1) await receiveEvent(db, event, clock.now())
  })
  // Tried, asked for again meanwhile, and tried at once: only the second failure puts it off.
  expect(await eventsOf(id)).toMatchObject([
    { attempts: 2, due_at: new Date(clock.now().getTime() + 20 * SECOND_MS) },
  ])
  await testApp.pool.query('delete from stripe_events where event_id = $1', [event.eventId])
})

test('the pauses grow to six hours, and after the ninth try the operator is mailed, once', async () => {
  const { person, trader } = await startPair()
  const { id } = await subscribeAtStripe(scenario, person, trader)
  await deliver()
  await takeAlerts(scenario)
  const pauses: number[] = []
  const alerts: string[] = []
  for (let tries = 1; tries <= 14; tries += 1) {
    await failNext(50)
    await scenario.work()
    await sandbox.control('calm')
    const [event] = await eventsOf(id)
    pauses.push(((event?.due_at?.getTime() ?? 0) - testApp.clock.now().getTime()) / SECOND_MS)
    if (tries < 9) expect(await takeAlerts(scenario)).toEqual([])
    else alerts.push(...(await takeAlerts(scenario)))
    testApp.clock.set(event?.due_at ?? testApp.clock.now())
  }
  expect(pauses.slice(0, 10)).toEqual([10, 20, 40, 80, 160, 320, 640, 1280, 2560, 5120])
  expect(pauses.slice(10)).toEqual([10_240, 20_480, 21_600, 21_600])
  expect(alerts).toEqual(['Tradepost: payments: some events of Stripe cannot be dealt with'])
  await scenario.work()
  expect(await eventsOf(id)).toMatchObject([{ state: 'done' }])
})

test('an event that never arrived is found in Stripe’s own list within the hour, once', async () => {
  const { person, trader } = await startPair()
  await setWebhooksDisabled(true)
  await subscribeAtStripe(scenario, person, trader)
  await setWebhooksDisabled(false)
  await scenario.settle()
  expect(
    await testApp.db
      .selectFrom('subscriptions')
      .where('subscriber_id', '=', person.userId)
      .selectAll()
      .execute(),
  ).toEqual([])
  await scenario.runScheduled(catchUpEvents)
  await scenario.settle()
  expect(await findSubscription(scenario, person, trader)).toMatchObject({ status: 'active' })
  const before = await readTables(testApp)
  await scenario.runScheduled(catchUpEvents)
  await scenario.settle()
  expect(await readTables(testApp)).toEqual(before)
})

test('a long silence is caught up step by step', async () => {
  const { person, trader } = await startPair()
  await setWebhooksDisabled(true)
  await subscribeAtStripe(scenario, person, trader)
  testApp.clock.advance(3 * 86_400 * SECOND_MS)
  const late = await startPair()
  await subscribeAtStripe(scenario, late.person, late.trader)
  await setWebhooksDisabled(false)
  await scenario.runScheduled(catchUpEvents)
  await scenario.settle()
  expect(await findSubscription(scenario, person, trader)).toMatchObject({ status: 'active' })
  expect(await findSubscription(scenario, late.person, late.trader)).toMatchObject({ status: 'active' })
  const seen = await testApp.db
    .selectFrom('stripe_platform')
    .select('events_seen_until')
    .executeTakeFirstOrThrow()
  expect(seen.events_seen_until).toEqual(testApp.clock.now())
})

test('the nightly comparison asks for nothing separately that agrees with Stripe’s list', async () => {
  const { person, trader } = await startPair()
  await subscribeAtStripe(scenario, person, trader)
  await scenario.settle()
  testApp.clock.advance(SECOND_MS)
  const { clock, db, settings } = testApp
  await comparePage({ db, settings, stripe: new StripeClient(stripe), log: silentLog }, {}, clock.now())
  const waiting = await testApp.pool.query("select key from work where key like 'look-at:%'")
  expect(waiting.rows).toEqual([])
})

test('the nightly comparison finds what lives at Stripe alone, page after page, and what lives here alone', async () => {
  const [lost, ended, same] = [await startPair(), await startPair(), await startPair()]
  await subscribeAtStripe(scenario, ended.person, ended.trader)
  await subscribeAtStripe(scenario, same.person, same.trader)
  await scenario.settle()
  await setWebhooksDisabled(true)
  await subscribeAtStripe(scenario, lost.person, lost.trader)
  const bought = await findSubscription(scenario, ended.person, ended.trader)
  await stripe.subscriptions.cancel(bought.stripe_subscription_id ?? '')
  // Newer than ours, so that ours stand on the second page.
  for (let other = 0; other < 100; other += 1)
    await subscribeAtStripe(scenario, lost.person, lost.trader, { metadata: { app: 'another' } })
  testApp.clock.advance(SECOND_MS)
  await scenario.runScheduled(compareWithStripe)
  await scenario.work()
  expect(await findSubscription(scenario, lost.person, lost.trader)).toMatchObject({ status: 'active' })
  expect(await findSubscription(scenario, ended.person, ended.trader)).toMatchObject({ status: 'canceled' })
  expect(await findSubscription(scenario, same.person, same.trader)).toMatchObject({
    status: 'active',
    synced_at: testApp.clock.now(),
  })
  await setWebhooksDisabled(false)
})

test('the nightly comparison finds an end that was planned at Stripe, and one that was taken back', async () => {
  const { person, trader } = await startPair()
  const { id } = await subscribeAtStripe(scenario, person, trader)
  await scenario.settle()
  await setWebhooksDisabled(true)
  const { current_period_end: periodEnd } = await findSubscription(scenario, person, trader)
  expect(periodEnd).not.toBeNull()
  for (const [planned, cancelAt] of [
    [true, periodEnd],
    [false, null],
  ] as const) {
    await stripe.subscriptions.update(id, { cancel_at_period_end: planned })
    testApp.clock.advance(SECOND_MS)
    await scenario.runScheduled(compareWithStripe)
    await scenario.work()
    expect(await findSubscription(scenario, person, trader)).toMatchObject({ cancel_at: cancelAt })
  }
  await setWebhooksDisabled(false)
})
