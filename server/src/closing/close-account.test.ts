import { afterAll, beforeEach, expect, test } from 'vitest'
import { closeBy, makeClosings, press, signInAgain } from '../../test/closing.ts'
import { call, open, type Trader } from '../../test/factories.ts'
import {
  buy,
  checkout,
  findSubscription,
  makeCustomer,
  makePaidTrader,
  owedMails,
  startBillingScenario,
} from '../../test/money/billing-scenario.ts'
import { startQuoteServer } from '../../test/prices/quote-server.ts'
import { runOperator } from '../../test/run-operator.ts'
import { authWire } from '../../test/sign-in/auth-wire.ts'
import { type SignedIn, signIn } from '../../test/sign-in/sign-in.ts'
import { deliverSignInMails } from '../../test/sign-in/sign-in-mails.ts'

const quotes = await startQuoteServer()
const scenario = await startBillingScenario({ quotes, settings: { marketOverride: null } })
const { testApp } = scenario
const { clock, pool } = testApp
const wire = authWire(testApp)
afterAll(async () => {
  await scenario[Symbol.asyncDispose]()
  await quotes.close()
})

const DAY_MS = 86_400_000
/** Thursday, an hour after the market has opened; each test has a week of its own, since prices and Stripe go on. */
let week = 0
const closings = makeClosings(scenario)
beforeEach(() => {
  week += 1
  clock.set(new Date(Date.parse('2026-03-12T14:30:00.000Z') + week * 21 * DAY_MS))
})
const later = (days: number) => clock.advance(days * DAY_MS)

const rowsOf = async (sql: string, ...values: unknown[]) => (await pool.query(sql, values)).rows
const userOf = async ({ userId }: SignedIn) =>
  (await rowsOf('select email, closed_at, erased_at from users where id = $1', userId))[0]
const configurationOf = (who: SignedIn) => call(testApp, who, 'GET', '/v1/accounts/configuration')
const searchFor = (who: SignedIn, { username }: Trader) =>
  call(testApp, who, 'GET', `/v1/accounts/search?username=${username}`)
const profileFor = (who: SignedIn, { username }: Trader) =>
  call(testApp, who, 'GET', `/v1/accounts/profile?username=${username}`)
const boardFor = async (who: SignedIn) => {
  const { body } = await call(testApp, who, 'GET', '/v1/leaderboard')
  return (body.leaderboard as { username: string }[]).map(({ username }) => username)
}
const kindsOf = async (who: SignedIn) => (await owedMails(scenario, who)).map(({ kind }) => kind)

test('who closes the account is signed out everywhere, mailed once, and gets it back by one press', async () => {
  const person = await signIn(testApp)
  const elsewhere = await signInAgain(testApp, person)
  const now = clock.now()
  expect((await configurationOf(elsewhere)).status).toBe(200)
  expect(await closeBy(testApp, person)).toEqual({
    status: 200,
    body: { eraseAt: new Date(now.getTime() + 14 * DAY_MS).toISOString() },
  })
  for (const session of [person, elsewhere]) expect((await configurationOf(session)).status).toBe(401)
  const [mail, ...others] = await closings.tend()
  expect(others).toEqual([])
  expect(mail).toMatchObject({ to: person.email, subject: 'Your Tradepost account is closed' })
  const link = mail?.link ?? ''
  // Programs that look at mails open links too.
  expect(await press(testApp, link, 'GET')).toEqual({
    status: 200,
    title: 'Your Tradepost account is closed',
  })
  expect(await userOf(person)).toMatchObject({ closed_at: now })

  later(13)
  expect(await press(testApp, link)).toEqual({ status: 200, title: 'Your account is open again' })
  expect(await press(testApp, link)).toEqual({ status: 200, title: 'Your account is open' })
  expect(await userOf(person)).toMatchObject({ closed_at: null, email: person.email })
  expect(await closings.tend()).toMatchObject([{ subject: 'Your Tradepost account is open again' }])
  const { user } = await wire.enter(person.email)
  expect(user.id).toBe(person.userId)
  later(30)
  expect(await closings.tend()).toEqual([])
  expect(await userOf(person)).toMatchObject({ erased_at: null })
})

test('closing takes a mailed code where the last one is older than five minutes, and changes nothing before', async () => {
  const person = await signIn(testApp)
  clock.advance(5 * 60_000 + 1)
  expect((await call(testApp, person, 'GET', '/v1/accounts/closing')).body).toMatchObject({
    mailedCodeDue: true,
  })
  expect(await closeBy(testApp, person)).toMatchObject({
    status: 409,
    body: { code: 'reauthentication_needed' },
  })
  expect(await userOf(person)).toMatchObject({ closed_at: null })
  expect((await configurationOf(person)).status).toBe(200)
})

test('two presses at once close the account once', async () => {
  const person = await signIn(testApp)
  const answers = await Promise.all([1, 2, 3].map(() => closeBy(testApp, person)))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401, 401])
  expect(await rowsOf('select count(*)::int as n from closings where user_id = $1', person.userId)).toEqual([
    { n: 1 },
  ])
  expect(await closings.tend()).toHaveLength(1)
})

test('a follower who leaves gets the unused part back and loses access at once; what was bought does not come back', async () => {
  const [one, two] = [await makePaidTrader(scenario), await makePaidTrader(scenario)]
  const person = await makeCustomer(scenario)
  await buy(scenario, person, one)
  await checkout(scenario, person, two)
  expect((await call(testApp, person, 'GET', '/v1/accounts/closing')).body).toEqual({
    followed: 1,
    followers: 0,
    openPositions: 0,
    openedToday: 0,
    mailedCodeDue: false,
  })
  await closeBy(testApp, person)
  const [mail] = await closings.tend()
  expect(await findSubscription(scenario, person, one)).toMatchObject({
    status: 'canceled',
    end_reason: 'account_closed',
    entitled_until_event: 0,
  })
  const { data } = await scenario.stripe.charges.list({ customer: person.customer })
  expect(data.map(({ amount, amount_refunded }) => [amount, amount_refunded])).toEqual([[1000, 1000]])
  const open = await scenario.stripe.checkout.sessions.list({ customer: person.customer, status: 'open' })
  expect(open.data).toEqual([])
  expect(await kindsOf(one)).toEqual([])
  await press(testApp, mail?.link ?? '')
  await closings.tend()
  expect(await findSubscription(scenario, person, one)).toMatchObject({ status: 'canceled' })
  expect(await kindsOf(person)).toEqual(['account_closed', 'account_reopened'])
})

test('what was bought ends also where the account is given back before Stripe has heard of the closing', async () => {
  const trader = await makePaidTrader(scenario)
  const person = await makeCustomer(scenario)
  await buy(scenario, person, trader)
  await closeBy(testApp, person)
  const { rows } = await pool.query('select id from closings where user_id = $1', [person.userId])
  const link = await closings.linkOf(rows[0]?.id)
  expect(await press(testApp, link)).toMatchObject({ title: 'Your account is open again' })
  await closings.tend()
  expect(await findSubscription(scenario, person, trader)).toMatchObject({
    status: 'canceled',
    end_reason: 'account_closed',
  })
  clock.advance(60_000)
  await buy(scenario, await signInAgain(testApp, person), trader)
  expect(await findSubscription(scenario, person, trader)).toMatchObject({ status: 'active' })
})

test('a trader who leaves is on no board, in no search and has no profile; followers are told of each close, then paid back', async () => {
  const trader = await makePaidTrader(scenario)
  const reader = await signIn(testApp)
  const follower = await makeCustomer(scenario)
  await buy(scenario, follower, trader)
  expect((await open(testApp, quotes, trader, 'AAPL', 100)).status).toBe(201)
  expect((await open(testApp, quotes, trader, 'MSFT', 100)).status).toBe(201)
  // Friday: one more, and one of yesterday's has no price.
  clock.advance(DAY_MS)
  expect((await open(testApp, quotes, trader, 'NVDA', 100)).status).toBe(201)
  quotes.set('AAPL', { price: 110, at: clock.now() })
  quotes.set('MSFT', (response) => response.writeHead(500).end())
  const plan = (await call(testApp, trader, 'GET', '/v1/accounts/closing')).body
  expect(plan).toMatchObject({ followers: 1, openPositions: 3, openedToday: 1, mailedCodeDue: true })
  expect((await closeBy(testApp, await signInAgain(testApp, trader))).status).toBe(200)
  await closings.tend()
  const positions = () =>
    rowsOf(
      `select symbol, closed_at is not null as closed, close_price::float8 as price, unsettled from positions
       where trader_id = $1 order by symbol`,
      trader.userId,
    )
  expect(await positions()).toEqual([
    { symbol: 'AAPL', closed: true, price: 110, unsettled: false },
    { symbol: 'MSFT', closed: true, price: 100, unsettled: true },
    { symbol: 'NVDA', closed: false, price: null, unsettled: false },
  ])
  expect(await findSubscription(scenario, follower, trader)).toMatchObject({
    status: 'canceled',
    end_reason: 'trader_unavailable',
    // Three openings and two closes.
    entitled_until_event: 5,
  })
  const [charge] = (await scenario.stripe.charges.list({ customer: follower.customer })).data
  expect(charge?.amount_refunded).toBeGreaterThan(950)
  expect(await owedMails(scenario, follower)).toMatchObject([
    { kind: 'trader_unavailable', facts: { trader: trader.username, left: true } },
  ])
  expect(await kindsOf(trader)).toEqual(['account_closed'])
  expect((await searchFor(reader, trader)).body).toMatchObject({ code: 'user_not_found' })
  expect((await profileFor(reader, trader)).body).toMatchObject({ code: 'user_not_found' })
  expect(await boardFor(reader)).not.toContain(trader.username)

  clock.advance(DAY_MS)
  await closings.tend()
  expect((await positions())[2]).toMatchObject({ symbol: 'NVDA', closed: true, unsettled: true })
  const link = await closings.linkOf(
    (await rowsOf('select id from closings where user_id = $1', trader.userId))[0].id,
  )
  await press(testApp, link)
  const readerAgain = await signIn(testApp)
  expect((await profileFor(readerAgain, trader)).status).toBe(200)
  expect(await boardFor(readerAgain)).toContain(trader.username)
})

test('whoever asks for a code of a closed account is answered as always, and its person is mailed the way back', async () => {
  const person = await signIn(testApp)
  await closeBy(testApp, person)
  await closings.tend()
  clock.advance(120_000)
  const [closed, unknown] = [await wire.otp(person.email), await wire.otp('nobody-at-all@example.com')]
  expect({ status: closed.status, text: closed.text }).toEqual({ status: 200, text: unknown.text })
  expect((await deliverSignInMails(testApp)).map(({ to }) => to)).toEqual(['nobody-at-all@example.com'])
  const mails = await closings.tend()
  expect(mails).toMatchObject([{ to: person.email, subject: 'Your Tradepost account is closed' }])
  expect(mails[0]?.link).toContain('/mail/reopen/')
  for (const code of ['000000', '123456'])
    expect((await wire.verify(person.email, code)).body).toMatchObject({ code: 'otp_expired' })
})

test('two days before the end the person is mailed again, at the end for the last time, and then nothing comes back', async () => {
  const person = await signIn(testApp)
  await closeBy(testApp, person)
  const [{ link = '' } = {}] = await closings.tend()
  later(11)
  expect(await closings.tend()).toEqual([])
  later(1)
  expect(await closings.tend()).toMatchObject([
    { subject: 'Your Tradepost account will be erased in two days', link },
  ])
  expect(await closings.tend()).toEqual([])
  later(2)
  expect(await press(testApp, link)).toEqual({ status: 410, title: 'This account is erased' })
  expect(await closings.tend()).toMatchObject([
    { to: person.email, subject: 'Your Tradepost account is erased' },
  ])
  clock.advance(60_000)
  await closings.tend()
  expect(await userOf(person)).toMatchObject({ email: null, erased_at: clock.now() })
  expect(await press(testApp, link)).toEqual({ status: 410, title: 'This account is erased' })
  const { user } = await wire.enter(person.email)
  expect(user.id).not.toBe(person.userId)
})

test('an operator closes an account with a reason, which is mailed, or has its person erased at once', async () => {
  const person = await signIn(testApp)
  await expect(runOperator(testApp, 'close', person.email)).rejects.toThrow('Say why')
  const end = new Date(clock.now().getTime() + 14 * DAY_MS).toISOString().slice(0, 16)
  expect(await runOperator(testApp, 'close', person.email, 'By', 'letter.')).toContain(
    `Closed; erased on ${end}`,
  )
  expect(await runOperator(testApp, 'close', person.email, 'Again.')).toBe('Is closed already.\n')
  // The command has a clock that goes on.
  clock.advance(60_000)
  const [mail] = await closings.tend()
  expect(mail?.text).toContain('By letter.')
  expect(await runOperator(testApp, 'erase', person.email, 'By another letter.')).toContain('erases them now')
  clock.advance(60_000)
  expect(await closings.tend()).toMatchObject([{ subject: 'Your Tradepost account is erased' }])
  clock.advance(60_000)
  await closings.tend()
  expect(await userOf(person)).toMatchObject({ email: null })
})
