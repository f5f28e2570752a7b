import { afterAll, beforeEach, expect, test } from 'vitest'
import { closeBy, makeClosings, press, signInAgain } from '../../test/closing.ts'
import { call } from '../../test/factories.ts'
import {
  findSubscription,
  giveClock,
  makeCustomer,
  makePaidTrader,
  owedMails,
  startBillingScenario,
  subscribeAtStripe,
} from '../../test/money/billing-scenario.ts'
import { followEveryCent } from '../../test/money/follow-every-cent.ts'
import { runOperator } from '../../test/run-operator.ts'
import { authWire } from '../../test/sign-in/auth-wire.ts'
import { bearer, type SignedIn } from '../../test/sign-in/sign-in.ts'
import { newId } from '../platform/ids.ts'

const scenario = await startBillingScenario()
const { sandbox, stripe, testApp } = scenario
const { clock, pool } = testApp
afterAll(() => scenario[Symbol.asyncDispose]())
const closings = makeClosings(scenario)
const wire = authWire(testApp)
const START = clock.now()
const DAY_MS = 86_400_000
beforeEach(() => clock.set(START))

const linkOf = async ({ userId }: SignedIn) =>
  closings.linkOf((await pool.query('select id from closings where user_id = $1', [userId])).rows[0].id)
const kindsOf = async (who: SignedIn) => (await owedMails(scenario, who)).map(({ kind }) => kind)

test('a follower in every state of paying leaves: each subscription ends, what is unused of each goes back once, to the cent', async () => {
  const traders = []
  for (let nth = 0; nth < 4; nth += 1) traders.push(await makePaidTrader(scenario))
  const [paid, owed, disputed, ending] = traders as [
    (typeof traders)[0],
    (typeof traders)[0],
    (typeof traders)[0],
    (typeof traders)[0],
  ]
  const person = await makeCustomer(scenario)
  const pass = await giveClock(scenario, person.customer)
  for (const trader of [paid, disputed, ending]) await subscribeAtStripe(scenario, person, trader)
  const { id } = await subscribeAtStripe(scenario, person, owed)
  await scenario.settle()
  const card = await stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer: person.customer })
  await stripe.subscriptions.update(id, { default_payment_method: card.id })
  const { stripe_subscription_id: last } = await findSubscription(scenario, person, ending)
  await stripe.subscriptions.update(last ?? '', { cancel_at_period_end: true })
  await pass(32)
  await scenario.settle()
  expect((await findSubscription(scenario, person, owed)).status).toBe('past_due')
  expect((await findSubscription(scenario, person, ending)).status).toBe('canceled')
  const { rows } = await pool.query(
    'select charge_id from invoices where trader_id = $1 order by created_at desc limit 1',
    [disputed.userId],
  )
  await sandbox.control('dispute', { id: rows[0].charge_id })
  await scenario.settle()

  expect((await closeBy(testApp, await signInAgain(testApp, person))).status).toBe(200)
  await closings.tend()
  await closings.tend()
  const states = []
  for (const trader of traders) {
    const { end_reason: reason, status } = await findSubscription(scenario, person, trader)
    states.push([status, reason])
  }
  expect(states).toEqual([
    ['canceled', 'account_closed'],
    ['canceled', 'account_closed'],
    ['canceled', 'dispute'],
    ['canceled', null],
  ])
  const back = async (trader: SignedIn) =>
    (
      await pool.query('select sum(refunded_cents)::int as cents from invoices where trader_id = $1', [
        trader.userId,
      ])
    ).rows[0].cents
  // A day of the second month has passed of what is paid; nothing is left of the others.
  expect(await back(paid)).toBeGreaterThan(900)
  expect(await back(paid)).toBeLessThanOrEqual(1000)
  expect([await back(owed), await back(disputed), await back(ending)]).toEqual([0, 0, 0])
  const open = await stripe.invoices.list({ customer: person.customer, status: 'open' })
  expect(open.data).toEqual([])
  // The books count what the bank has decided; money that it holds meanwhile is nobody's.
  const [dispute] = (await stripe.disputes.list({ limit: 1 })).data
  await stripe.disputes.close(dispute?.id ?? '')
  await scenario.settle()
  await followEveryCent({ pool, sandbox, stripe }, traders)
})

test('a trader with twelve followers and lost payouts leaves: each is paid back and told once, however often the work is done', async () => {
  const trader = await makePaidTrader(scenario)
  const people = []
  for (let nth = 0; nth < 12; nth += 1) {
    const person = await makeCustomer(scenario)
    await subscribeAtStripe(scenario, person, trader)
    people.push(person)
  }
  await scenario.settle()
  await sandbox.control('restrict', { id: trader.account })
  await scenario.settle()
  expect((await closeBy(testApp, await signInAgain(testApp, trader))).status).toBe(200)
  await closings.tend()
  await pool.query('update closings set due_at = $2 where user_id = $1', [trader.userId, clock.now()])
  await closings.tend()
  for (const person of people) {
    expect((await findSubscription(scenario, person, trader)).end_reason).toBe('trader_unavailable')
    expect((await kindsOf(person)).filter((kind) => kind === 'trader_unavailable')).toHaveLength(1)
    const [charge] = (await stripe.charges.list({ customer: person.customer })).data
    expect(charge?.amount_refunded).toBe(1000)
  }
  expect((await kindsOf(trader)).filter((kind) => kind === 'payouts_lost')).toEqual([])
  clock.advance(14 * DAY_MS)
  await closings.tend()
  clock.advance(3_600_000)
  await closings.tend()
  expect((await pool.query('select email from users where id = $1', [trader.userId])).rows).toEqual([
    { email: null },
  ])
  expect((await kindsOf(people[0] as SignedIn)).filter((kind) => kind === 'trader_unavailable')).toHaveLength(
    1,
  )
})

test('a suspended person whose account an operator closes gets it back suspended', async () => {
  const person = await makeCustomer(scenario)
  await runOperator(testApp, 'suspend', person.email, 'Copied notes.')
  await runOperator(testApp, 'close', person.email, 'They asked by letter.')
  clock.advance(60_000)
  const [mail] = await closings.tend()
  expect(mail).toMatchObject({ to: person.email, subject: 'Your Tradepost account is closed' })
  expect(await press(testApp, mail?.link ?? '')).toMatchObject({ status: 200 })
  const { rows } = await pool.query(
    'select suspended_at is not null as suspended, closed_at from users where id = $1',
    [person.userId],
  )
  expect(rows).toEqual([{ suspended: true, closed_at: null }])
})

test('a person with a second factor closes the account only where they have confirmed with it', async () => {
  const person = await makeCustomer(scenario)
  await pool.query(
    `insert into mfa_factors (id, user_id, factor_type, status, secret_sealed, secret_key_id, created_at, updated_at)
     values ($1, $2, 'totp', 'verified', '\\x01', 'key', $3, $3)`,
    [newId(), person.userId, clock.now()],
  )
  expect(await closeBy(testApp, person)).toMatchObject({
    status: 401,
    body: { code: 'second_factor_required' },
  })
  expect(
    (await pool.query('select closed_at from users where id = $1', [person.userId])).rows[0].closed_at,
  ).toBeNull()
})

test('a change of address that is under way ends with the closing', async () => {
  const session = await wire.enter('moving@example.com')
  const asked = await wire.call('PUT', '/user', {
    token: session.access_token,
    body: { email: 'moved@example.com' },
  })
  expect(asked.status).toBe(200)
  const left = async () =>
    (
      await pool.query(
        `select (select count(*)::int from email_changes where user_id = $1) as changes,
          (select count(*)::int from account_codes where user_id = $1) as codes`,
        [session.user.id],
      )
    ).rows[0]
  expect(await left()).toEqual({ changes: 1, codes: 2 })
  const closed = await testApp.app.inject({
    method: 'POST',
    url: '/v1/accounts/close',
    payload: { confirm: true },
    headers: bearer(session.access_token),
  })
  expect(closed.statusCode).toBe(200)
  expect(await left()).toEqual({ changes: 0, codes: 0 })
})

test('an account that is given back on day 13 while a worker tends it is either open and whole, or erased and gone', async () => {
  for (let round = 0; round < 8; round += 1) {
    const person = await makeCustomer(scenario)
    await closeBy(testApp, person)
    await closings.tend()
    const link = await linkOf(person)
    clock.advance(14 * DAY_MS - (round % 2))
    await pool.query('update closings set due_at = $2 where user_id = $1', [person.userId, clock.now()])
    const [page] = await Promise.all([press(testApp, link), closings.run()])
    const { rows } = await pool.query(
      `select users.closed_at is null as open, reopened_at is not null as reopened, ended_at is not null as ended
       from users join closings on user_id = users.id where users.id = $1`,
      [person.userId],
    )
    const inTime = round % 2 === 1
    expect({ round, status: page.status, ...rows[0] }).toEqual(
      inTime
        ? { round, status: 200, open: true, reopened: true, ended: false }
        : { round, status: 410, open: false, reopened: false, ended: true },
    )
    clock.set(START)
  }
  expect(
    (
      await call(
        testApp,
        await signInAgain(testApp, await makeCustomer(scenario)),
        'GET',
        '/v1/accounts/closing',
      )
    ).status,
  ).toBe(200)
})
