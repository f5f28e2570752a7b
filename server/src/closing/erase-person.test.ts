import { cpSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { closeBy, makeClosings, signInAgain } from '../../test/closing.ts'
import { testDataDir } from '../../test/database/data-dir.ts'
import { call, close, makeTrader, open, type Trader } from '../../test/factories.ts'
import {
  buy,
  checkout,
  makeCustomer,
  makePaidTrader,
  startBillingScenario,
} from '../../test/money/billing-scenario.ts'
import { followEveryCent } from '../../test/money/follow-every-cent.ts'
import {
  CANARY,
  CANARY_EMAIL,
  CANARY_IP,
  columnsWith,
  fillPerson,
  KEPT_COLUMNS,
  listTextColumns,
} from '../../test/people/personal-columns.ts'
import { startQuoteServer } from '../../test/prices/quote-server.ts'
import { startWorkerProcess } from '../../test/processes/worker-process.ts'
import { checkLog, registerRecord } from '../../test/record.ts'
import { runPurges } from '../../test/run-purges.ts'
import { type SignedIn, signIn } from '../../test/sign-in/sign-in.ts'
import { recountStatistics } from '../positions/record/recount-statistics.ts'
import { repeatErasures } from './repeat-erasures.ts'

const quotes = await startQuoteServer()
const scenario = await startBillingScenario({ quotes })
const { testApp } = scenario
const { clock, db, pool } = testApp
await registerRecord(testApp)
const closings = makeClosings(scenario)
afterAll(async () => {
  await scenario[Symbol.asyncDispose]()
  await quotes.close()
})

const DAY_MS = 86_400_000
const WORDS = [CANARY, CANARY_EMAIL, CANARY_IP]

/** A trader whom somebody follows and who follows somebody, with a closed position and an open one. */
async function makePerson(name: string, email: string) {
  const [idol, follower] = [await makePaidTrader(scenario), await makeCustomer(scenario)]
  const trader = await makePaidTrader(scenario, name)
  await pool.query('update users set email = $2 where id = $1', [trader.userId, email])
  await pool.query(
    `update identities set identity_data = jsonb_build_object('email', $2::text) where user_id = $1`,
    [trader.userId, email],
  )
  expect((await call(testApp, trader, 'POST', '/v1/accounts/customer')).status).toBe(200)
  await buy(scenario, trader, idol)
  await buy(scenario, follower, trader)
  expect((await open(testApp, quotes, trader, 'AAPL', 100)).status).toBe(201)
  expect((await open(testApp, quotes, trader, 'MSFT', 100)).status).toBe(201)
  clock.advance(DAY_MS)
  expect((await close(testApp, quotes, trader, 'AAPL', 120)).status).toBe(200)
  await closings.record.ensure()
  return { trader: { ...trader, email }, idol, follower }
}

/** Closes, and lets the fourteen days pass. */
async function leave(who: SignedIn): Promise<void> {
  expect((await closeBy(testApp, await signInAgain(testApp, who))).status).toBe(200)
  await closings.tend()
  clock.advance(14 * DAY_MS)
  await closings.tend()
  clock.advance(60_000)
  await closings.tend()
}

const figures = async () =>
  (
    await pool.query(
      `select jsonb_agg(to_jsonb(one) order by one.trader_id, one.id) as positions,
        (select jsonb_agg(to_jsonb(stats) order by trader_id) from trader_stats stats) as stats,
        (select jsonb_agg(to_jsonb(months) order by trader_id, month) from trader_income_months months) as income,
        (select jsonb_agg(to_jsonb(months) order by trader_id, month) from trader_follower_months months) as followers,
        (select jsonb_agg(to_jsonb(invoice) order by trader_id, invoice_id) from invoices invoice) as invoices
       from (select trader_id, id, symbol, open_price, close_price, percentage_gain, opened_at, closed_at from positions) one`,
    )
  ).rows[0]

test('after an erasure nothing of a person is found in any table, in the planner’s samples, in files, at Stripe; figures and money stay', async () => {
  const { follower, idol, trader } = await makePerson(CANARY, CANARY_EMAIL)
  await checkout(scenario, await signInAgain(testApp, trader), await makePaidTrader(scenario))
  expect((await closeBy(testApp, await signInAgain(testApp, trader))).status).toBe(200)
  await closings.tend()
  const live = await signInAgain(testApp, trader)
  await fillPerson(pool, live, clock.now())
  await recountStatistics(db)
  const columns = await listTextColumns(pool)
  const personal = columns.filter((name) => !(name in KEPT_COLUMNS))
  expect(await columnsWith(pool, WORDS, columns)).toEqual(personal)
  await pool.query('analyze')
  const samplesWith = async () =>
    (
      await pool.query(
        `select tablename || '.' || attname as name from pg_stats where schemaname = 'public'
         and (most_common_vals::text ilike any($1) or histogram_bounds::text ilike any($1)) order by 1`,
        [WORDS.map((word) => `%${word}%`)],
      )
    ).rows.map(({ name }) => name)
  expect(await samplesWith()).toContain('users.email')
  const before = await figures()
  const customer = (
    await pool.query('select stripe_customer_id as id from customers where user_id = $1', [trader.userId])
  ).rows[0].id

  clock.advance(14 * DAY_MS)
  await closings.tend()
  clock.advance(60_000)
  await closings.tend()
  expect(await columnsWith(pool, WORDS, columns)).toEqual([])
  expect(await samplesWith()).toEqual([])
  for (const file of readdirSync(closings.folder))
    for (const word of WORDS) expect(readFileSync(join(closings.folder, file), 'utf8')).not.toContain(word)
  expect(await scenario.stripe.customers.retrieve(customer)).toMatchObject({ deleted: true })
  const products = (await scenario.stripe.products.list({ limit: 100 })).data
  expect(
    products.filter(({ active, name }) => !active && name === 'Signals by a trader who has left'),
  ).toHaveLength(1)
  expect(JSON.stringify(products)).not.toContain(CANARY)

  expect(await figures()).toEqual(before)
  expect(await recountStatistics(db)).toBe(0)
  await followEveryCent({ pool, sandbox: scenario.sandbox, stripe: scenario.stripe }, [trader, idol])
  const entries = await checkLog(testApp)
  expect(entries.at(-1)).toMatchObject({ kind: 'erased' })
  expect(entries.filter((entry) => entry.trader === trader.userId)).toEqual([])
  const reader = await signInAgain(testApp, follower)
  for (const path of ['/v1/subscriptions', '/v1/positions', '/v1/activity', '/v1/following/results']) {
    const answer = await call(testApp, reader, 'GET', path)
    expect({ path, status: answer.status }).toEqual({ path, status: 200 })
    expect(JSON.stringify(answer.body)).not.toContain(CANARY)
  }
  expect((await call(testApp, reader, 'GET', '/v1/activity')).body.items).toEqual([])
})

test('payments of an erased person are kept for ten whole years after that of the payment, and then go; sums of months stay', async () => {
  const trader = await makePaidTrader(scenario)
  const person = await makeCustomer(scenario)
  await buy(scenario, person, trader)
  await leave(person)
  const left = async () => {
    const { rows } = await pool.query(
      `select (select count(*)::int from invoices where trader_id = $1) as invoices,
        (select count(*)::int from subscriptions where trader_id = $1) as subscriptions,
        (select count(*)::int from consents where trader_id = $1) as consents,
        (select count(*)::int from debts where trader_id = $1) as debts,
        (select count(*)::int from trader_income_months where trader_id = $1) as months`,
      [trader.userId],
    )
    return rows[0]
  }
  const kept = { invoices: 1, subscriptions: 1, consents: 1, debts: 3, months: 1 }
  await runPurges(testApp, new Date('2036-12-31T23:59:59.000Z'))
  expect(await left()).toEqual(kept)
  await runPurges(testApp, new Date('2037-01-01T00:00:00.000Z'))
  expect(await left()).toEqual({ invoices: 0, subscriptions: 0, consents: 0, debts: 0, months: 1 })
})

test('nobody is given the name of somebody who was erased, or one that resembles it, for a year', async () => {
  const person = await makeTrader(testApp, 'goneagain')
  await leave(person)
  const take = async (username: string) =>
    (await call(testApp, await signIn(testApp), 'POST', '/v1/accounts/username', { username })).status
  expect(await take('goneagain')).toBe(409)
  expect(await take('GoneAgain')).toBe(409)
  expect(await take('g0neagain')).toBe(409)
  expect(await take('goneagainst')).toBe(200)
  clock.advance(365 * DAY_MS)
  expect(await take('goneagain')).toBe(200)
})

test('an erasure that is cut off at any table changes nothing, and is done whole afterwards', async () => {
  const { trader } = await makePerson('cutoff', 'cut.off@example.com')
  await closeBy(testApp, await signInAgain(testApp, trader))
  await closings.tend()
  clock.advance(14 * DAY_MS)
  await closings.tend()
  clock.advance(60_000)
  await pool.query(
    `create function boom() returns trigger language plpgsql as $$ begin raise exception 'cut off'; end $$`,
  )
  const tables = [
    'former_usernames',
    'sessions',
    'outbox',
    'audit_log',
    'positions',
    'subscriptions',
    'accounts',
    'users',
  ]
  for (const table of tables) {
    await pool.query(
      `create trigger boom before insert or update or delete on ${table} for each statement execute function boom()`,
    )
    await closings.run()
    await pool.query(`drop trigger boom on ${table}`)
    const { rows } = await pool.query(
      'select email, username from users join accounts on user_id = id where id = $1',
      [trader.userId],
    )
    expect({ table, ...rows[0] }).toEqual({ table, email: 'cut.off@example.com', username: 'cutoff' })
    clock.advance(3_600_000)
  }
  await closings.run()
  const { rows } = await pool.query('select email, erased_at from users where id = $1', [trader.userId])
  expect(rows[0]).toMatchObject({ email: null, erased_at: clock.now() })
})

test('while Stripe does not answer the person is erased all the same, and their customer there later', async () => {
  const person = await makeCustomer(scenario)
  await closeBy(testApp, person)
  await closings.tend()
  clock.advance(14 * DAY_MS)
  await closings.tend()
  clock.advance(60_000)
  const path = `/v1/customers/${person.customer}`
  await scenario.sandbox.control('fault', { kind: 'error', times: 20, method: 'DELETE', path })
  await closings.run()
  const left = async () =>
    (await pool.query('select erased_at, customers_left from closings where user_id = $1', [person.userId]))
      .rows[0]
  expect(await left()).toEqual({ erased_at: clock.now(), customers_left: [person.customer] })
  expect(await scenario.stripe.customers.retrieve(person.customer)).not.toMatchObject({ deleted: true })
  await scenario.sandbox.control('calm', { settle: true })
  clock.advance(3_600_000)
  await closings.run()
  expect(await left()).toMatchObject({ customers_left: [] })
  expect(await scenario.stripe.customers.retrieve(person.customer)).toMatchObject({ deleted: true })
})

test('a person whom a restored backup brings back is erased again before anything else', async () => {
  const person = await makeTrader(testApp, 'restored')
  const backup = await dumpPeople(person)
  await leave(person)
  await backup.restore()
  expect(
    (await call(testApp, await signInAgain(testApp, person), 'GET', '/v1/accounts/configuration')).status,
  ).toBe(200)
  expect(await repeatErasures(closings.deps, clock.now())).toBe(1)
  const { rows } = await pool.query(
    'select email, username from users join accounts on user_id = id where id = $1',
    [person.userId],
  )
  expect(rows).toEqual([{ email: null, username: null }])
  expect(await repeatErasures(closings.deps, clock.now())).toBe(0)
})

test('a process erases people whom a restored backup brings back before it says that it runs', async () => {
  const person = await makeTrader(testApp, 'restarted')
  const backup = await dumpPeople(person)
  await leave(person)
  await backup.restore()
  const dataDir = mkdtempSync(join(testDataDir, 'restart-'))
  cpSync(closings.folder, join(dataDir, 'record'), { recursive: true })
  const worker = await startWorkerProcess({
    databaseUrl: testApp.url,
    dataDir,
    smtpUrl: 'smtp://127.0.0.1:9',
    connections: 1,
  })
  const { rows } = await pool.query('select email from users where id = $1', [person.userId])
  await worker.stop()
  expect(rows).toEqual([{ email: null }])
})

/** The rows of a person as a backup of now has them. */
async function dumpPeople({ userId }: Trader) {
  const { rows } = await pool.query(
    `select email, username, username_set_at from users join accounts on user_id = id where id = $1`,
    [userId],
  )
  return {
    async restore() {
      await pool.query('delete from closings where user_id = $1', [userId])
      await pool.query('update users set email = $2, erased_at = null, closed_at = null where id = $1', [
        userId,
        rows[0].email,
      ])
      await pool.query('update accounts set username = $2, username_set_at = $3 where user_id = $1', [
        userId,
        rows[0].username,
        rows[0].username_set_at,
      ])
    },
  }
}
