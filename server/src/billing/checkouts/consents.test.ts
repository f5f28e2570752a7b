import { pino } from 'pino'
import { afterAll, afterEach, expect, test } from 'vitest'
import { open } from '../../../../sandbox/src/stripe/contract/browser.ts'
import { signInAgain } from '../../../test/closing.ts'
import { takeFile } from '../../../test/exports.ts'
import { call } from '../../../test/factories.ts'
import {
  buy,
  checkout,
  findSubscription,
  makeCustomer,
  makePaidTrader,
  makePair,
  pay,
  startBillingScenario,
  subscribeAtStripe,
  takeAlerts,
} from '../../../test/money/billing-scenario.ts'
import type { Settings } from '../../platform/settings.ts'
import { findTermsRefused } from '../provider/platform.queries.ts'
import { endCheckoutsOfOtherTerms } from './checkouts.queries.ts'

const lines: string[] = []
const scenario = await startBillingScenario({
  log: pino({ base: null }, { write: (line) => void lines.push(line) }),
})
const { sandbox, stripe, testApp } = scenario
const { clock, db, pool, settings } = testApp
afterAll(() => scenario[Symbol.asyncDispose]())
const { stripe: keys, terms } = settings
afterEach(() => {
  use({ stripe: keys, terms })
  return sandbox.control('calm')
})

/** Goes on with other settings, as after a restart. */
function use(changed: Partial<Settings>): void {
  Object.assign(settings, changed)
}

/** Starts with other terms: the operator has written them, or others than before. */
async function publishTerms(version: string): Promise<void> {
  use({ terms: { version, isOwn: true } })
  await endCheckoutsOfOtherTerms(db, version, clock.now())
}

async function consentsOf({ userId }: { userId: string }) {
  const { rows } = await pool.query(
    'select trader_id, subscription_id, terms_version, sentence, accepted_at, stripe_session_id from consents where user_id = $1 order by accepted_at, terms_version',
    [userId],
  )
  return rows
}

/** Whether the page of a checkout takes a payment still. */
async function isPaidOn(url: string): Promise<boolean> {
  const { html } = await open(url)
  return (
    html.includes('>Subscribe</button>') && (await pay(url)).location?.includes('/payment/success') === true
  )
}

test('agreement to the terms of a checkout is stored once, however often and late Stripe tells of it', async () => {
  const { person, trader } = await makePair(scenario)
  await publishTerms('one')
  const url = await checkout(scenario, person, trader)
  const boughtAt = new Date(Math.floor(clock.now().getTime() / 1000) * 1000)
  await sandbox.control('drop')
  await sandbox.control('duplicate')
  expect(await isPaidOn(url)).toBe(true)
  // The terms and the time of the sync are others than those of the page.
  await publishTerms('two')
  clock.advance(3_600_000)
  await scenario.settle()
  const { id } = await findSubscription(scenario, person, trader)
  const [session] = (await stripe.checkout.sessions.list({ customer: person.customer })).data
  const row = {
    trader_id: trader.userId,
    subscription_id: id,
    terms_version: 'one',
    sentence: `I agree to the [terms](${settings.origin}/terms), version one. You can lose money: past gains promise nothing, and nothing here is investment advice.`,
    accepted_at: boughtAt,
    stripe_session_id: session?.id,
  }
  expect(await consentsOf(person)).toEqual([row])
  for (const statement of [
    "update consents set terms_version = 'three' where user_id = $1",
    'delete from consents where user_id = $1',
  ])
    await expect(pool.query(statement, [person.userId])).rejects.toThrow('a consent stays as it was given')
  await expect(pool.query('truncate consents')).rejects.toThrow('a consent stays as it was given')
  await stripe.subscriptions.update(String(session?.subscription), { metadata: { touched: 'yes' } })
  await scenario.settle()
  expect(await consentsOf(person)).toEqual([row])
  const file = await takeFile(testApp, await signInAgain(testApp, person))
  expect(file.of('consents')).toMatchObject([
    { trader: trader.username, terms_version: 'one', sentence: row.sentence, stripe_session_id: session?.id },
  ])
})

test('each checkout has a consent of its own, also after an end', async () => {
  const { person, trader } = await makePair(scenario)
  const another = await makePaidTrader(scenario)
  const first = await buy(scenario, person, trader)
  await buy(scenario, person, another)
  await stripe.subscriptions.cancel(first.stripe_subscription_id ?? '')
  await scenario.settle()
  clock.advance(60_000)
  await buy(scenario, person, trader)
  const consents = await consentsOf(person)
  expect(consents.map(({ trader_id }) => trader_id)).toEqual(
    expect.arrayContaining([trader.userId, trader.userId, another.userId]),
  )
  expect(new Set(consents.map(({ subscription_id }) => subscription_id)).size).toBe(3)
})

test('a page of other terms is ended, by a start and by the next click', async () => {
  const { person, trader } = await makePair(scenario)
  const other = await makeCustomer(scenario)
  await publishTerms('one')
  const [left, clicked] = [await checkout(scenario, person, trader), await checkout(scenario, other, trader)]
  await publishTerms('one')
  await scenario.settle()
  expect(await checkout(scenario, person, trader), 'the same terms again').toBe(left)
  use({ terms: { version: 'two', isOwn: true } })
  const now = await checkout(scenario, other, trader)
  expect(now).not.toBe(clicked)
  expect(await isPaidOn(clicked)).toBe(false)
  await publishTerms('two')
  await scenario.settle()
  expect(await isPaidOn(left)).toBe(false)
  expect(await isPaidOn(now)).toBe(true)
  await scenario.settle()
  expect(await consentsOf(other)).toMatchObject([{ terms_version: 'two' }])
  expect(await consentsOf(person)).toEqual([])
})

test('a page of an earlier release, which asks for no consent, is ended by the first start', async () => {
  const { person, trader } = await makePair(scenario)
  const url = await checkout(scenario, person, trader)
  await pool.query('update checkout_sessions set terms_version = null where subscriber_id = $1', [
    person.userId,
  ])
  await publishTerms(terms.version)
  await scenario.settle()
  expect(await isPaidOn(url)).toBe(false)
})

test('where Stripe knows of no consent, access is as ever, and the operator is told why once', async () => {
  const { person, trader } = await makePair(scenario)
  await takeAlerts(scenario)
  lines.length = 0
  const marked = { subscriber_id: person.userId, trader_id: trader.userId, terms_version: 'one' }
  const { id } = await subscribeAtStripe(scenario, person, trader, {
    metadata: { app: 'tradepost', env: 'local', ...marked },
  })
  await scenario.settle()
  expect(await findSubscription(scenario, person, trader)).toMatchObject({ status: 'active' })
  expect(await consentsOf(person)).toEqual([])
  expect(await takeAlerts(scenario)).toEqual([
    'Tradepost: payments: a checkout was paid without consent to the terms',
  ])
  expect(lines.map((line) => JSON.parse(line))).toContainEqual(
    expect.objectContaining({
      subscription: id,
      reason: 'Stripe has no checkout of it',
      msg: 'a checkout was paid, and Stripe knows of no consent to the terms',
    }),
  )
  await stripe.subscriptions.update(id, { metadata: { touched: 'yes' } })
  await scenario.settle()
  expect(await takeAlerts(scenario)).toEqual([])
})

test('a consent that Stripe does not tell keeps nobody from access, and is stored by the next try', async () => {
  const { person, trader } = await makePair(scenario)
  expect(await isPaidOn(await checkout(scenario, person, trader))).toBe(true)
  await sandbox.control('calm', { settle: true })
  await sandbox.control('fault', { kind: 'error', method: 'GET', path: '/v1/checkout/sessions', times: 6 })
  await scenario.work()
  expect(await findSubscription(scenario, person, trader)).toMatchObject({ status: 'active' })
  expect(await consentsOf(person)).toEqual([])
  await sandbox.control('calm')
  clock.advance(3_600_000)
  await scenario.settle()
  expect(await consentsOf(person)).toHaveLength(1)
})

test('Stripe without an address of the terms is a refusal that lasts, and says what is missing', async () => {
  clock.advance(2 * 86_400_000)
  const { person, trader } = await makePair(scenario)
  await takeAlerts(scenario)
  await sandbox.control('terms-url', { url: '' })
  const refusedAt = clock.now()
  for (let nth = 0; nth < 2; nth += 1) {
    expect(
      await call(testApp, person, 'POST', '/v1/subscriptions/new', { username: trader.username }),
    ).toMatchObject({ status: 409, body: { code: 'payment_refused' } })
    clock.advance(60_000)
  }
  expect(await takeAlerts(scenario)).toEqual([
    'Tradepost: payments: Stripe asks for the address of the terms in its public details',
  ])
  expect(await findTermsRefused(db)).toEqual(refusedAt)
  await sandbox.control('terms-url', { url: 'https://sandbox.example/terms' })
  await checkout(scenario, person, trader)
  expect(await findTermsRefused(db)).toBeNull()
})

test('a key that takes real money sells nothing before the operator has published terms', async () => {
  const { person, trader } = await makePair(scenario)
  const { username } = trader
  const read = (path: string) => call(testApp, person, 'GET', `/v1/accounts/${path}?username=${username}`)
  const begin = () => call(testApp, person, 'POST', '/v1/subscriptions/new', { username })
  /** By the profile, by the search and by the price that the search names. */
  async function isOffered(): Promise<unknown[]> {
    const [profile, found] = [await read('profile'), await read('search')]
    return [profile.body.canSubscribe, found.body.canSubscribe, 'priceCents' in found.body]
  }
  expect(await isOffered()).toEqual([true, true, true])
  use({ stripe: { ...keys, secretKey: 'sk_live_1' } })
  expect(await begin()).toMatchObject({
    status: 409,
    body: { code: 'not_subscribable', message: 'Subscribing is not available for this user.' },
  })
  expect(await isOffered()).toEqual([false, false, false])
  use({ terms: { version: 'one', isOwn: true } })
  expect(await isOffered()).toEqual([true, true, true])
  expect((await begin()).status).toBe(200)
})
