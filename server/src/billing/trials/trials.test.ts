import assert from 'node:assert/strict'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { open, words } from '../../../../sandbox/src/stripe/contract/browser.ts'
import { call } from '../../../test/factories.ts'
import {
  checkout,
  findSubscription,
  owedMails,
  pay,
  subscribeAtStripe,
} from '../../../test/money/billing-scenario.ts'
import { CARD, OTHER_CARD, startTrialScenario } from '../../../test/money/trial-scenario.ts'
import { signIn } from '../../../test/sign-in/sign-in.ts'
import { syncSubscription } from '../subscriptions/sync-subscription.ts'

const scenario = await startTrialScenario()
afterAll(() => scenario[Symbol.asyncDispose]())
const { begin, charged, check, finish, makeOffering, makePerson, offer, pass, testApp, tryOut } = scenario
const { clock, db } = testApp

// A card counts for thirty days, and Stripe's test mode has few.
beforeEach(() => pass(31))

const NOT_OFFERED = { status: 409, body: { code: 'trial_not_offered' } }
const trialsOf = (userId: string) =>
  db.selectFrom('trials').selectAll().where('user_id', '=', userId).orderBy('began_at').execute()

test('a trader switches free days on and off, and they stay where prices are named without them', async () => {
  const trader = await makeOffering(14)
  const own = () => call(testApp, trader, 'GET', '/v1/accounts/prices')
  expect((await own()).body).toMatchObject({ trialDays: 14, monthlyCents: 1250 })
  const person = await makePerson()
  const profile = async () =>
    (await call(testApp, person, 'GET', `/v1/accounts/profile?username=${trader.username}`)).body
  expect(await profile()).toMatchObject({ trialDays: 14, priceCents: 1250 })
  const prices = { monthly: '13', yearly: null, currency: 'usd' }
  expect((await call(testApp, trader, 'POST', '/v1/accounts/prices', prices)).body).toMatchObject({
    monthlyCents: 1300,
    trialDays: 14,
  })
  expect((await offer(trader, null)).body).toMatchObject({ trialDays: null })
  expect(await profile()).not.toHaveProperty('trialDays')
  expect(await check(person, trader)).toMatchObject({ trialDays: null })
  expect(await begin(person, trader, 14)).toMatchObject(NOT_OFFERED)
})

test('other free days than 7 and 14 are no question', async () => {
  const trader = await makeOffering()
  const person = await makePerson()
  for (const days of [0, 1, 8, -7, 7.5, '7', null, 365, {}]) {
    expect(await begin(person, trader, days), String(days)).toMatchObject({ status: 400 })
    if (days !== null)
      expect(await offer(trader, days as number), String(days)).toMatchObject({ status: 400 })
  }
  expect(await begin(person, trader, 14), 'not those of this trader').toMatchObject(NOT_OFFERED)
})

test('a person who asks for free days pays nothing until they are over, and follows from the first minute', async () => {
  const trader = await makeOffering()
  const person = await makePerson()
  expect(await check(person, trader)).toMatchObject({ subscribed: false, trialDays: 7 })
  const { body } = await begin(person, trader)
  expect(words(await open(String(body.url)))).toContain('7 days free, then $12.50 a month')
  expect((await begin(person, trader)).body, 'one page').toEqual(body)
  const row = await tryOut(person, trader)
  const ends = new Date(row.started_at.getTime() + 7 * 86_400_000)
  expect(row).toMatchObject({ status: 'trialing', trial_ends_at: ends, price_cents: 1250, end_reason: null })
  expect(row.entitled_from_event).not.toBeNull()
  expect(await check(person, trader)).toMatchObject({ subscribed: true, status: 'trialing', trialDays: null })
  const { subscriptions } = (await call(testApp, person, 'GET', '/v1/subscriptions')).body as {
    subscriptions: unknown[]
  }
  expect(subscriptions).toMatchObject([
    { status: 'trialing', trialEndsAt: ends.toISOString(), priceCents: 1250, endsAt: null },
  ])
  expect(await charged(person.customer)).toEqual([])
  expect(await trialsOf(person.userId)).toMatchObject([{ granted: true, trader_id: trader.userId }])
  expect((await call(testApp, trader, 'GET', '/v1/accounts/subscribers')).body).toEqual({ subscribers: 1 })
  await pass(6.9)
  expect(await charged(person.customer)).toEqual([])
  await pass(0.2)
  expect(await charged(person.customer)).toEqual([1250])
  expect(await findSubscription(scenario, person, trader)).toMatchObject({ status: 'active' })
})

test('a person who asks for none pays at once, also where free days are offered', async () => {
  const trader = await makeOffering()
  const person = await makePerson()
  const url = await checkout(scenario, person, trader)
  expect(words(await open(url))).not.toContain('free')
  await offer(trader, 14)
  await scenario.settle()
  expect(await checkout(scenario, person, trader), 'a page at the price goes on').toBe(url)
})

test('an open page with other free days is ended, and so are those with free days that are off by now', async () => {
  const trader = await makeOffering()
  const person = await makePerson()
  const paid = await checkout(scenario, person, trader)
  const free = String((await begin(person, trader)).body.url)
  expect(free).not.toBe(paid)
  expect((await open(paid)).location ?? words(await open(paid))).not.toContain('Subscribe')
  await offer(trader, 14)
  await scenario.settle()
  const { rows } = await testApp.pool.query(
    'select trial_days, state from checkout_sessions where subscriber_id = $1 order by created_at, id',
    [person.userId],
  )
  expect(rows).toEqual([
    { trial_days: null, state: 'expired' },
    { trial_days: 7, state: 'expired' },
  ])
})

/** Spellings of one mailbox at Gmail. */
function lookAlikes(count: number): string[] {
  const letters = [...'janedoe']
  return Array.from({ length: count }, (_, nth) => {
    const dotted = letters
      .map((letter, at) => (at > 0 && (nth >> (at - 1)) & 1 ? `.${letter}` : letter))
      .join('')
    const tagged = nth % 3 === 0 ? dotted : `${dotted}+${nth}`
    const local = nth % 5 === 0 ? tagged.toUpperCase() : tagged
    return `${local}@${nth % 2 === 0 ? 'gmail.com' : 'googlemail.com'}`
  })
}

test('two hundred spellings of one address get no second trial with a trader', async () => {
  const trader = await makeOffering()
  const first = await makePerson('jane.doe+first@googlemail.com')
  expect(await tryOut(first, trader)).toMatchObject({ status: 'trialing' })
  await pass(31)
  const spellings = lookAlikes(200)
  expect(new Set(spellings.map((one) => one.toLowerCase())).size).toBeGreaterThan(190)
  for (const email of new Set(spellings.map((one) => one.toLowerCase()))) {
    const again = await signIn(testApp, { email })
    expect(await check(again, trader), email).toMatchObject({ trialDays: null })
    expect(await begin(again, trader), email).toMatchObject(NOT_OFFERED)
  }
  const another = await signIn(testApp, { email: 'janedoes@gmail.com' })
  expect(await check(another, trader)).toMatchObject({ trialDays: 7 })
})

test('the check says that free days were refused, until another page is opened and paid', async () => {
  const trader = await makeOffering()
  const [granted, refused] = [await makePerson(), await makePerson()]
  expect(await check(refused, trader)).not.toHaveProperty('trialRefused')
  await tryOut(granted, trader)
  await tryOut(refused, trader)
  expect(await check(refused, trader)).toMatchObject({ subscribed: false, trialRefused: true })
  expect(await check(granted, trader)).not.toHaveProperty('trialRefused')
  const { body } = await call(testApp, refused, 'POST', '/v1/subscriptions/new', {
    username: trader.username,
  })
  expect(await check(refused, trader)).not.toHaveProperty('trialRefused')
  await pay(String(body.url))
  await scenario.settle()
  expect(await check(refused, trader)).toEqual({
    ...{ subscribed: true, id: expect.any(String), status: 'active', trialDays: null },
  })
})

test('one card in five accounts gets one trial: the others end at once, see nothing, pay nothing and are told once', async () => {
  const trader = await makeOffering()
  const granted = await makePerson()
  expect(await tryOut(granted, trader)).toMatchObject({ status: 'trialing' })
  for (let nth = 2; nth <= 5; nth += 1) {
    const again = await makePerson()
    expect(await check(again, trader)).toMatchObject({ trialDays: 7 })
    const row = await tryOut(again, trader)
    expect(row).toMatchObject({ status: 'canceled', end_reason: 'trial_used', entitled_from_event: null })
    const id = row.stripe_subscription_id ?? ''
    expect(await scenario.stripe.subscriptions.retrieve(id)).toMatchObject({ status: 'canceled' })
    await syncSubscription(scenario.deps, id, {}, clock.now())
    expect((await owedMails(scenario, again)).map(({ facts, kind }) => [kind, facts])).toEqual([
      ['subscription_ended', { trader: trader.username, why: 'trial_used' }],
    ])
    expect(await trialsOf(again.userId)).toMatchObject([{ granted: false }])
    expect(await check(again, trader), 'nobody had a trial').toMatchObject({
      subscribed: false,
      trialDays: 7,
      trialRefused: true,
    })
    await pass(8)
    expect(await charged(again.customer)).toEqual([])
  }
  const told = await testApp.db
    .selectFrom('outbox')
    .select('kind')
    .where('user_id', '=', trader.userId)
    .execute()
  expect(told.filter(({ kind }) => kind === 'first_follower')).toHaveLength(1)
})

test('two people at one company with two cards are two people', async () => {
  const trader = await makeOffering()
  const [one, other] = [await makePerson('ann@firm.example'), await makePerson('bob@firm.example')]
  expect(await tryOut(one, trader, CARD)).toMatchObject({ status: 'trialing' })
  expect(await tryOut(other, trader, OTHER_CARD)).toMatchObject({ status: 'trialing' })
})

test('a person has one trial in thirty days over all traders: none on day 29, one on day 31', async () => {
  const [first, second, third] = [await makeOffering(), await makeOffering(), await makeOffering(14)]
  const person = await makePerson()
  expect(await tryOut(person, first)).toMatchObject({ status: 'trialing' })
  expect(await check(person, second)).toMatchObject({ trialDays: null })
  await pass(29)
  expect(await check(person, second)).toMatchObject({ trialDays: null })
  expect(await begin(person, second)).toMatchObject(NOT_OFFERED)
  // Another account with the same card: the account is offered a trial, the card is not.
  const sameCard = await makePerson()
  expect(await tryOut(sameCard, third, CARD, 14)).toMatchObject({ end_reason: 'trial_used' })
  await pass(2)
  expect(await check(person, second)).toMatchObject({ trialDays: 7 })
  expect(await tryOut(person, second)).toMatchObject({ status: 'trialing' })
  for (const { id } of (await scenario.stripe.subscriptions.list({ customer: person.customer })).data)
    await scenario.stripe.subscriptions.cancel(id)
  await pass(31)
  for (const had of [first, second])
    expect(await check(person, had), 'once only').toMatchObject({ trialDays: null })
  expect(await check(person, third)).toMatchObject({ trialDays: 14 })
})

test('of checkouts that finish at once with one card, over accounts and traders, one is granted', async () => {
  const traders = [await makeOffering(), await makeOffering()]
  const people = await Promise.all(Array.from({ length: 6 }, () => makePerson()))
  await scenario.sandbox.control('chaos', { seed: 1, drop: 1 })
  for (const [nth, person] of people.entries()) await finish(person, traders[nth % 2] ?? assert.fail())
  await scenario.sandbox.control('calm', { settle: true })
  const ids = await Promise.all(
    people.map(
      async ({ customer }) => (await scenario.stripe.subscriptions.list({ customer })).data[0]?.id ?? '',
    ),
  )
  await Promise.all([...ids, ...ids].map((id) => syncSubscription(scenario.deps, id, {}, clock.now())))
  await scenario.settle()
  const { rows } = await testApp.pool.query(
    `select status, end_reason, entitled_from_event is not null as saw from subscriptions
     where stripe_subscription_id = any($1) order by status desc`,
    [ids],
  )
  expect(rows).toEqual([
    { status: 'trialing', end_reason: null, saw: true },
    ...Array.from({ length: 5 }, () => ({ status: 'canceled', end_reason: 'trial_used', saw: false })),
  ])
})

test('events that are lost or repeated change no decision', async () => {
  const trader = await makeOffering()
  const person = await makePerson()
  await scenario.sandbox.control('chaos', { seed: 7, duplicate: 1, reorder: 1 })
  const { id, stripe_subscription_id: atStripe } = await tryOut(person, trader)
  await scenario.sandbox.control('calm', { settle: true })
  for (let nth = 0; nth < 3; nth += 1) await syncSubscription(scenario.deps, atStripe ?? '', {}, clock.now())
  expect(await findSubscription(scenario, person, trader)).toMatchObject({ id, status: 'trialing' })
  expect(await trialsOf(person.userId)).toHaveLength(1)
})

test('while Stripe does not tell the card nothing is written, and then the trial begins', async () => {
  const trader = await makeOffering()
  const person = await makePerson()
  await finish(person, trader)
  for (let nth = 0; nth < 40; nth += 1)
    await scenario.sandbox.control('fault', { kind: 'error', method: 'GET', path: '/v1/payment_methods/' })
  await scenario.sandbox.control('advance', { seconds: 0 })
  await scenario.work()
  const { rows } = await testApp.pool.query('select from subscriptions where subscriber_id = $1', [
    person.userId,
  ])
  expect(rows).toEqual([])
  expect(await trialsOf(person.userId)).toEqual([])
  const { rows: waiting } = await testApp.pool.query("select from stripe_events where state = 'received'")
  expect(waiting).not.toEqual([])
  await scenario.sandbox.control('calm', { settle: true })
  await pass(0.1)
  expect(await findSubscription(scenario, person, trader)).toMatchObject({ status: 'trialing' })
})

test('a subscription without a card gets no free days', async () => {
  const trader = await makeOffering()
  const person = await makePerson()
  await subscribeAtStripe(scenario, person, trader, {
    trial_period_days: 7,
    default_payment_method: undefined as never,
  })
  await scenario.settle()
  expect(await findSubscription(scenario, person, trader)).toMatchObject({ end_reason: 'trial_used' })
})
