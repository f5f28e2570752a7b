import type Stripe from 'stripe'
import { afterAll, expect, test } from 'vitest'
import { press, open as visit, words } from '../../../../sandbox/src/stripe/contract/browser.ts'
import { buildTestApp } from '../../../test/build-test-app.ts'
import { silentLog } from '../../../test/database/database.ts'
import { call, readTables } from '../../../test/factories.ts'
import { checkout, makeCustomer, pay, startBillingScenario } from '../../../test/money/billing-scenario.ts'
import { startQuoteServer } from '../../../test/prices/quote-server.ts'
import { readListOfToday, setList } from '../../../test/prices/symbol-list.ts'
import { authWire } from '../../../test/sign-in/auth-wire.ts'
import { bearer, signIn } from '../../../test/sign-in/sign-in.ts'
import { makeSecretKey } from '../../auth/keys/secret-key.ts'
import { StripeClient } from '../../stripe/sdk.ts'
import { makeSeedPayments } from './seed-payments.ts'
import { seedWorld } from './seed-world.ts'
import { SYMBOLS } from './trades.ts'
import { makeWorld } from './world.ts'

const quotes = await startQuoteServer()
afterAll(() => quotes.close())
const money = { priceCents: 1000, currency: 'usd', feePercent: 10 }
const market = { isReal: false, priceAt: () => 100 }

/**
 * A world made where the sandbox's Stripe and its webhooks run: of three traders and four followers unless given.
 * @param size.offers whether traders have offers of their own, for which jobs make prices
 */
async function startSeededScenario(size = { traders: 3, subscribers: 4, offers: false }) {
  const scenario = await startBillingScenario()
  const { sandbox, stripe, testApp } = scenario
  const { clock, db, settings } = testApp
  const now = clock.now()
  for (const symbol of SYMBOLS) quotes.set(symbol, { price: 100, at: now })
  const made = makeWorld({ ...size, seed: 1 }, now, market)
  const traders = made.traders.map((trader) => (size.offers ? trader : { ...trader, terms: null }))
  const world = { ...made, traders }
  const payments = makeSeedPayments({
    db,
    settings,
    log: silentLog,
    stripe: new StripeClient(stripe),
    sandboxUrl: sandbox.url,
  })
  const seed = () =>
    seedWorld({ db, secret: makeSecretKey(settings.authSecret), payments }, world, money, now)
  return { ...scenario, world, seed, made: await seed() }
}

type Scenario = Awaited<ReturnType<typeof startSeededScenario>>

/** Signs a demo person in by code. @returns asks the API as that person */
async function enter({ testApp }: Scenario, email: string) {
  const { access_token } = await authWire(testApp).enter(email)
  return async (method: 'GET' | 'POST', url: string) =>
    (await testApp.app.inject({ method, url, headers: bearer(access_token) })).json()
}

/** Every subscription as it is stored, by the followers' addresses. */
async function standing({ testApp }: Scenario) {
  const { rows } = await testApp.pool.query(
    `select trader.email as trader, follower.email as follower, status, stripe_subscription_id as id
     from subscriptions join users trader on trader.id = trader_id
     join users follower on follower.id = subscriber_id`,
  )
  return rows as { trader: string; follower: string; status: string; id: string | null }[]
}

/** The tables of the product; those of its queue change with every job. */
async function productTables({ testApp }: Scenario) {
  const tables = Object.entries(await readTables(testApp))
  return Object.fromEntries(tables.filter(([name]) => name.startsWith('public.')))
}

/** The rows of payments and subscriptions, and the mails that follow from them. */
async function moneyTables(scenario: Scenario) {
  const tables = await productTables(scenario)
  const names = ['customers', 'subscriptions', 'unsubscribe_tokens', 'invoices', 'trader_prices', 'outbox']
  return Object.fromEntries(names.map((name) => [name, tables[`public.${name}`]]))
}

test('demo traders can be subscribed to for real in the sandbox, and demo followers are customers', async () => {
  await using scenario = await startSeededScenario()
  const { made, seed, stripe, testApp, world } = scenario
  expect(made).toMatchObject({ traders: 3, subscribers: 4 })
  const viewer = await signIn(testApp)
  for (const { username } of world.traders) {
    const { body } = await call(testApp, viewer, 'GET', `/v1/accounts/profile?username=${username}`)
    expect(body).toMatchObject({ canSubscribe: true })
  }
  expect((await stripe.customers.list()).data.map(({ email }) => email).toSorted()).toEqual(
    world.subscribers.map(({ email }) => email).toSorted(),
  )

  await scenario.settle()
  const before = await productTables(scenario)
  const subscriptions = (await stripe.subscriptions.list()).data
  expect(await seed()).toEqual({ traders: 0, subscribers: 0, positions: 0 })
  await scenario.settle()
  expect(await productTables(scenario), 'seeding twice adds nothing').toEqual(before)
  expect((await stripe.v2.core.accounts.list()).data).toHaveLength(3)
  expect((await stripe.subscriptions.list()).data).toEqual(subscriptions)
})

test('demo followers pay as others do: webhooks change nothing that the seed wrote, and nobody is mailed', async () => {
  await using scenario = await startSeededScenario()
  const { stripe, testApp, world } = scenario
  const rows = await standing(scenario)
  expect(rows).toHaveLength(world.subscribers.flatMap(({ follows }) => follows).length)
  const atStripe = (await stripe.subscriptions.list({ limit: 100 })).data
  const active = rows.filter(({ status }) => status === 'active')
  expect(active.map(({ id }) => id).toSorted()).toEqual(atStripe.map(({ id }) => id).toSorted())
  const left = rows.filter(({ status }) => status !== 'active')
  expect(left.map(({ id, status }) => [id, status])).toEqual(left.map(() => [null, 'canceled']))

  const before = await moneyTables(scenario)
  await scenario.settle()
  expect(await moneyTables(scenario)).toEqual(before)

  const buyer = await makeCustomer(scenario)
  const trader = { ...(await signIn(testApp)), username: world.traders[0]?.username ?? '' }
  await pay(await checkout(scenario, buyer, trader))
  const [bought] = (await stripe.subscriptions.list({ customer: buyer.customer })).data
  const seeded = atStripe.find(({ metadata }) => metadata.trader_id === bought?.metadata.trader_id)
  expect(seeded && termsOf(seeded)).toEqual(termsOf(bought as Stripe.Subscription))
})

/** The terms of a subscription that are the same for every subscriber of one trader. */
function termsOf(subscription: Stripe.Subscription) {
  const { application_fee_percent, billing_mode, collection_method, items, transfer_data } = subscription
  const { app, env, trader_id } = subscription.metadata
  const [item] = items.data
  const price = { id: item?.price.id, quantity: item?.quantity }
  return {
    application_fee_percent,
    billing_mode,
    collection_method,
    transfer_data,
    price,
    app,
    env,
    trader_id,
  }
}

test('the first demo follower manages subscriptions in the portal, and one that is canceled there ends', async () => {
  await using scenario = await startSeededScenario()
  const { world } = scenario
  const ask = await enter(scenario, 'fan@people.example')
  const portal = await visit((await ask('POST', '/v1/accounts/stripe/customer-session')).url)
  const followed = world.subscribers[0]?.follows.map(({ trader }) => world.traders[trader]?.username) ?? []
  expect(followed).toHaveLength(3)
  for (const username of followed) expect(words(portal)).toContain(`Signals by @${username}`)
  expect(words(portal)).toContain('Visa ending in 4242')

  expect(words(await press(portal, 'Cancel subscription'))).toContain('Ends on')
  await scenario.settle()
  const { subscriptions } = await ask('GET', '/v1/subscriptions')
  const ends = (subscriptions as { endsAt: string | null }[]).map(({ endsAt }) => endsAt)
  expect(ends.filter((end) => end !== null)).toEqual(['2026-04-04T15:00:00.000Z'])
  expect(ends).toHaveLength(3)
})

test('when a demo trader’s account is closed, the subscriptions of the demo followers end', async () => {
  await using scenario = await startSeededScenario()
  const { sandbox, testApp, world } = scenario
  const email = world.traders[0]?.email ?? ''
  const others = (await standing(scenario)).filter(({ trader }) => trader !== email)
  const { stripe_account_id: id } = await testApp.db
    .selectFrom('payout_accounts')
    .innerJoin('users', 'users.id', 'payout_accounts.user_id')
    .select('stripe_account_id')
    .where('email', '=', email)
    .executeTakeFirstOrThrow()
  await sandbox.control('close', { id })
  await scenario.settle()
  const after = await standing(scenario)
  const statuses = after.filter(({ trader }) => trader === email).map(({ status }) => status)
  expect(new Set(statuses)).toEqual(new Set(['canceled']))
  expect(after.filter(({ status }) => status === 'active')).toEqual(expect.arrayContaining(others))
})

test('where payments are not the sandbox, demo people have no business at Stripe', async () => {
  await using testApp = await buildTestApp()
  const now = testApp.clock.now()
  const world = makeWorld({ traders: 3, subscribers: 4, seed: 1 }, now, market)
  await seedWorld(
    { db: testApp.db, secret: makeSecretKey(testApp.settings.authSecret), payments: null },
    world,
    { ...money, feePercent: null },
    now,
  )
  const { customers, payout_accounts, subscriptions } = Object.fromEntries(
    Object.entries(await readTables(testApp)).map(([name, { count }]) => [
      name.replace('public.', ''),
      count,
    ]),
  )
  expect({ customers, payout_accounts }).toEqual({ customers: 0, payout_accounts: 0 })
  expect(subscriptions).toBeGreaterThan(0)
  const [trader] = world.traders
  const profile = `/v1/accounts/profile?username=${trader?.username}`
  expect((await call(testApp, await signIn(testApp), 'GET', profile)).body).toMatchObject({
    canSubscribe: false,
  })
})

test('the demo world knows its companies by name', async () => {
  await using testApp = await buildTestApp({ quotes })
  const now = testApp.clock.now()
  setList(quotes, [['GOOGL', 'ALPHABET INC']])
  for (const symbol of SYMBOLS) quotes.set(symbol, { price: 100, at: now })
  const world = makeWorld({ traders: 1, subscribers: 0, seed: 1 }, now, market)
  await readListOfToday(testApp, quotes)
  await seedWorld(
    { db: testApp.db, secret: makeSecretKey(testApp.settings.authSecret), payments: null },
    world,
    { ...money, feePercent: null },
    now,
  )
  const { access_token } = await authWire(testApp).enter('maria@people.example')
  const answer = await testApp.app.inject({ url: '/v1/positions', headers: bearer(access_token) })
  const { positions } = answer.json() as { positions: { stock: string; companyName?: string }[] }
  const named = Object.fromEntries(positions.map(({ companyName, stock }) => [stock, companyName]))
  expect(named).toEqual({ GOOGL: 'Alphabet Inc' })
})

test('a demo follower’s Activity has a past, some of it unread, and nobody is mailed about it', async () => {
  await using scenario = await startSeededScenario()
  const ask = await enter(scenario, 'fan@people.example')
  const { items } = await ask('GET', '/v1/activity')
  expect(items.length).toBeGreaterThan(5)
  expect(items[0]).toMatchObject({ unread: true, mailedAfterSeconds: expect.any(Number) })
  expect(items.at(-1)).toMatchObject({ unread: false })
  const { rows } = await scenario.testApp.pool.query('select from event_work')
  expect(rows).toEqual([])
  const tables = await productTables(scenario)
  await scenario.seed()
  expect(await productTables(scenario)).toEqual(tables)
})

test('the events of a demo trader go back to the first position, and each follower hears of those since they came', async () => {
  await using testApp = await buildTestApp()
  const now = testApp.clock.now()
  const world = makeWorld({ traders: 4, subscribers: 30, seed: 1 }, now, market)
  await seedWorld(
    { db: testApp.db, secret: makeSecretKey(testApp.settings.authSecret), payments: null },
    world,
    { ...money, feePercent: null },
    now,
  )
  const { rows } = await testApp.pool.query(
    `select username, count(*)::int as events, min(position_events.created_at) as first from position_events
     join accounts on user_id = trader_id group by username order by username`,
  )
  const told = world.traders.map(({ positions, username }) => ({
    username,
    events: positions.length + positions.filter(({ close }) => close).length,
    first: positions.map(({ openedAt }) => openedAt).toSorted((a, b) => a.getTime() - b.getTime())[0],
  }))
  expect(rows).toEqual(told.toSorted((one, other) => one.username.localeCompare(other.username)))
  const wrong = await testApp.pool.query(
    `select from subscriptions s join position_events e using (trader_id)
     where (e.event_no > s.entitled_from_event and e.event_no <= coalesce(s.entitled_until_event, e.event_no))
       <> (e.created_at > s.started_at and e.created_at <= coalesce(s.ended_at, e.created_at))`,
  )
  expect(wrong.rows).toEqual([])
  const { rows: audiences } = await testApp.pool.query(
    `select from mail_plans p join position_events e using (trader_id, event_no)
     where audience_size <> (select count(*) from subscriptions s where s.trader_id = p.trader_id
       and s.started_at < e.created_at and (s.ended_at is null or s.ended_at >= e.created_at))`,
  )
  expect(audiences).toEqual([])
})

test('the desk of a demo trader has months in which people came, left and paid', async () => {
  const scenario = await startBillingScenario()
  await using _scenario = scenario
  const { sandbox, stripe, testApp } = scenario
  const { clock, db, settings } = testApp
  const world = makeWorld({ traders: 1, subscribers: 12, seed: 1 }, clock.now(), market)
  const payments = makeSeedPayments({
    db,
    settings,
    log: silentLog,
    stripe: new StripeClient(stripe),
    sandboxUrl: sandbox.url,
  })
  await seedWorld({ db, secret: makeSecretKey(settings.authSecret), payments }, world, money, clock.now())
  await scenario.settle()
  const { rows } = await testApp.pool.query(
    `select to_char(month, 'YYYY-MM') as month, gained, cents::int from trader_income_months
     left join trader_follower_months using (trader_id, month) order by month`,
  )
  const months = world.subscribers.flatMap(({ follows }) =>
    follows.map(({ since }) => since.toISOString().slice(0, 7)),
  )
  expect(rows.map(({ gained }) => Number(gained)).reduce((sum, gained) => sum + gained)).toBe(12)
  expect(rows.map(({ gained, month }) => [month, gained ?? 0])).toEqual(
    rows.map(({ month }) => [month, months.filter((one) => one === month).length]),
  )
  // Ten dollars less the fee, of everybody who had come by then.
  expect(rows.length).toBeGreaterThan(5)
  for (const { cents, month } of rows)
    expect([month, cents]).toEqual([month, 900 * months.filter((one) => one <= month).length])
})

test('of the traders one asks more than before and sells a year, one gives a week free, and one has a code', async () => {
  await using scenario = await startSeededScenario({ traders: 6, subscribers: 3, offers: true })
  const { seed, settle, testApp, world } = scenario
  await settle()
  const of = (wanted: string) => world.traders.find(({ terms }) => terms === wanted)?.username ?? ''
  const viewer = await signIn(testApp)
  const profile = async (username: string) =>
    (await call(testApp, viewer, 'GET', `/v1/accounts/profile?username=${username}`)).body
  expect(await profile(of('dearer'))).toMatchObject({ priceCents: 1250, yearlyCents: 12_500 })
  expect(await profile(of('trial'))).toMatchObject({ priceCents: 1000, trialDays: 7 })
  const code = await call(testApp, viewer, 'GET', `/v1/traders/${of('code')}/discounts/welcome`)
  expect(code.body).toMatchObject({ discountedCents: 800, priceCents: 1000, months: 3 })
  const fan = await enter(scenario, 'fan@people.example')
  const { subscriptions } = await fan('GET', '/v1/subscriptions')
  const asked = (subscriptions as { username: string; priceCents: number; newPrice?: object }[]).filter(
    ({ newPrice }) => newPrice,
  )
  expect(asked).toMatchObject([
    { username: of('dearer'), priceCents: 1000, newPrice: { priceCents: 1250, agreed: false } },
  ])
  // Seeding again changes no offer.
  const before = await productTables(scenario)
  await seed()
  expect((await productTables(scenario))['public.own_prices']).toEqual(before['public.own_prices'])
})
