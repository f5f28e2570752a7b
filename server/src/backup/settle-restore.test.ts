import { expect, test } from 'vitest'
import { buildTestApp, TEST_NOW, type TestApp } from '../../test/build-test-app.ts'
import { call, makeTrader } from '../../test/factories.ts'
import { addFollowers, makeCrowdTrader, planAll, publish } from '../../test/followers.ts'
import {
  makeCustomer,
  makePaidTrader,
  startBillingScenario,
  subscribeAtStripe,
} from '../../test/money/billing-scenario.ts'
import { startWorkerProcess } from '../../test/processes/worker-process.ts'
import { runOperator } from '../../test/run-operator.ts'
import { bearer } from '../../test/sign-in/sign-in.ts'
import { insertBackup, markRestored } from './backups.queries.ts'
import { requireSettled } from './require-settled.ts'
import { settleDatabase } from './settle-restore.ts'

const DAY_MS = 86_400_000

/** Makes a database believe that it was restored from a backup of this instant. */
async function restoredTo({ db }: Pick<TestApp, 'db'>, moment: Date): Promise<void> {
  await insertBackup(db, moment)
  await markRestored(db, moment)
}

/** Without the sandbox Stripe is asked. */
const STRIPE_IS_REAL = { settings: { sandbox: null } }

const settle = ({ clock, settings, url }: TestApp, ...words: string[]) =>
  settleDatabase({ databaseUrl: url, settings }, words, clock.now())

/** Places of ranges that are left. */
async function mailsLeft({ pool }: TestApp): Promise<Record<string, number>> {
  const { rows } = await pool.query<{ symbol: string; left: number }>(
    `select symbol, sum(to_mail_no - progress_mail_no)::int as left from delivery_ranges
     join position_events using (trader_id, event_no) join positions using (trader_id)
     where done_at is null and positions.id = position_id group by 1`,
  )
  return Object.fromEntries(rows.map(({ symbol, left }) => [symbol, left]))
}

/** A trader with five followers whose mails about an old and a new position wait. */
async function makeWaiting(testApp: TestApp) {
  const { clock, db, pool } = testApp
  const maria = await makeCrowdTrader(pool, 'maria', clock.now())
  await addFollowers(pool, maria, 5, clock.now())
  await publish(db, maria, { symbol: 'OLD' }, new Date(TEST_NOW.getTime() - DAY_MS - 1))
  await publish(db, maria, { symbol: 'NEW' }, new Date(TEST_NOW.getTime() - DAY_MS))
  await planAll(db, clock.now())
  return maria
}

test('after a restore nothing starts before it is settled, and that is done once', async () => {
  await using testApp = await buildTestApp()
  await expect(settle(testApp)).rejects.toThrow('Nothing is to be settled.')
  await restoredTo(testApp, TEST_NOW)
  const target = { databaseUrl: testApp.url, smtpUrl: 'smtp://127.0.0.1:9', connections: 1 }
  await expect(startWorkerProcess(target)).rejects.toThrow(
    'This database was restored to 2026-03-04T15:00:00.000Z. Before anything starts: npm run operator -- backup:settle',
  )
  expect(await runOperator(testApp, 'backup:settle')).toContain('Settled as of 2026-03-04T15:00:00.000Z.')
  await requireSettled(testApp.db)
  await expect(settle(testApp)).rejects.toThrow('Nothing is to be settled.')
  expect(() => settle(testApp, 'at', 'noon')).toThrow('Say nothing, `sent`')
})

test('mails that waited at the moment are sent while they are news, unless they went out', async () => {
  await using testApp = await buildTestApp()
  await makeWaiting(testApp)
  expect(await mailsLeft(testApp)).toEqual({ OLD: 5, NEW: 5 })
  await restoredTo(testApp, TEST_NOW)
  expect(await settle(testApp)).toContain('At most 5 mails that waited')
  expect(await mailsLeft(testApp)).toEqual({ NEW: 5 })
  // As after a recovery by PostgreSQL itself, which leaves no record of it.
  expect(await settle(testApp, 'sent', 'to', '2026-03-04T15:00:00Z')).toContain('At most 5 mails that waited')
  expect(await mailsLeft(testApp)).toEqual({})
})

test('events that are published after a restore bear numbers that no mail of before has', async () => {
  await using testApp = await buildTestApp()
  const maria = await makeWaiting(testApp)
  await restoredTo(testApp, TEST_NOW)
  await settle(testApp)
  await publish(testApp.db, maria, { symbol: 'NEXT' }, testApp.clock.now())
  const { rows } = await testApp.pool.query('select event_no from position_events order by 1')
  expect(rows.map(({ event_no }) => Number(event_no))).toEqual([1, 2, 1_000_003])
})

test('sessions that were ended after the backup do not come back to life', async () => {
  await using testApp = await buildTestApp()
  const trader = await makeTrader(testApp)
  expect((await call(testApp, trader, 'GET', '/v1/positions')).status).toBe(200)
  await restoredTo(testApp, TEST_NOW)
  expect(await settle(testApp)).toContain('Ended 1 sessions')
  const answer = await testApp.app.inject({ url: '/v1/positions', headers: bearer(trader.token) })
  expect(answer.statusCode).toBe(401)
})

test('a lease of the moment of the backup is nobody’s after the restore', async () => {
  await using testApp = await buildTestApp()
  const { clock, pool } = testApp
  await restoredTo(testApp, clock.now())
  const trader = await makeTrader(testApp)
  const lease = [7, clock.now()]
  await pool.query(
    `insert into stripe_events (event_id, endpoint, type, state, received_at, due_at, lease_owner, leased_at)
     values ('evt_held', 'platform', 'invoice.paid', 'received', $2, $2, $1, $2)`,
    lease,
  )
  await pool.query(
    `insert into customers (user_id, state, retry_at, created_at, lease_owner, leased_at)
     values ($3, 'pending', $2, $2, $1, $2)`,
    [...lease, trader.userId],
  )
  await settle(testApp)
  const free = { lease_owner: null, leased_at: null }
  for (const table of ['stripe_events', 'customers'])
    expect((await pool.query(`select lease_owner, leased_at from ${table}`)).rows).toEqual([free])
})

test('customers and accounts that Stripe has from after the backup are stored again', async () => {
  await using scenario = await startBillingScenario(STRIPE_IS_REAL)
  const { testApp } = scenario
  const trader = await makePaidTrader(scenario)
  const [person, left] = [await makeCustomer(scenario), await makeCustomer(scenario)]
  await subscribeAtStripe(scenario, person, trader)
  const { id } = await subscribeAtStripe(scenario, left, trader)
  await scenario.stripe.subscriptions.cancel(id)
  await scenario.settle()
  const read = async (sql: string) => (await testApp.pool.query(sql)).rows
  const paid = () =>
    read(`select subscriptions.status, amount_paid_cents as cents from subscriptions
      join invoices on subscription_id = subscriptions.id order by 1`)
  const both = [
    { status: 'active', cents: 1000 },
    // Stripe's list of events alone holds this one.
    { status: 'canceled', cents: 1000 },
  ]
  expect(await paid()).toEqual(both)
  // A backup from before any of it; of a stranger, who came later, Stripe knows as well.
  await testApp.pool.query('alter table consents disable trigger user')
  for (const table of ['invoices', 'subscriptions', 'customers', 'stripe_events', 'payout_accounts'])
    await testApp.pool.query(`truncate ${table} cascade`)
  await testApp.pool.query('alter table consents enable trigger user')
  await testApp.pool.query("update stripe_platform set events_seen_until = '2026-03-04T14:00:00Z'")
  const stranger = { app: 'tradepost', env: 'local', user_id: '00000000-0000-4000-8000-000000000000' }
  await scenario.stripe.customers.create({ metadata: stranger })
  await restoredTo(testApp, new Date('2026-03-04T14:00:00Z'))
  expect(await settle(testApp)).toContain(
    'Of Stripe: 2 customers and 1 payout accounts written down again, 1 are of people who came later.',
  )
  const customers = await read('select stripe_customer_id as id from customers order by 1')
  expect(customers).toEqual([{ id: person.customer }, { id: left.customer }].toSorted(byId))
  await scenario.settle()
  expect(await paid()).toEqual(both)
  expect(await read('select state from payout_accounts')).toEqual([{ state: 'ready' }])
})

const byId = (one: { id: string }, other: { id: string }) => (one.id < other.id ? -1 : 1)

test('while Stripe is away nothing is settled, and the command can be repeated', async () => {
  await using testApp = await buildTestApp(STRIPE_IS_REAL)
  await makeTrader(testApp)
  await restoredTo(testApp, TEST_NOW)
  await expect(settle(testApp)).rejects.toThrow('An error occurred with our connection to Stripe')
  await expect(requireSettled(testApp.db)).rejects.toThrow('backup:settle')
  const { rows } = await testApp.pool.query('select from sessions where revoked_at is not null')
  expect(rows).toEqual([])
})
