import assert from 'node:assert/strict'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { closeBy, makeClosings } from '../../../test/closing.ts'
import { call } from '../../../test/factories.ts'
import { findSubscription, owedMails, subscribeAtStripe } from '../../../test/money/billing-scenario.ts'
import { followEveryCent } from '../../../test/money/follow-every-cent.ts'
import { moneyOf } from '../../../test/money/money-of.ts'
import { CARD, FAILING_CARD, OTHER_CARD, startTrialScenario } from '../../../test/money/trial-scenario.ts'
import { runOperator } from '../../../test/run-operator.ts'
import { runPurges } from '../../../test/run-purges.ts'
import { hourlySweepsOf } from '../../worker.ts'
import { lookAtOverdue } from '../subscriptions/subscriptions.jobs.ts'
import { syncSubscription } from '../subscriptions/sync-subscription.ts'

const scenario = await startTrialScenario()
afterAll(() => scenario[Symbol.asyncDispose]())
const { charged, check, finish, makeOffering, makePerson, offer, pass, sandbox, stripe, testApp, tryOut } =
  scenario
const { clock, db, pool } = testApp
const closings = makeClosings(scenario)

// A card counts for thirty days, and Stripe's test mode has few.
beforeEach(() => pass(31))

async function makeTrial(card: string = CARD) {
  const [trader, person] = [await makeOffering(), await makePerson()]
  const row = await tryOut(person, trader, card)
  expect(row).toMatchObject({ status: 'trialing' })
  const atStripe = row.stripe_subscription_id ?? assert.fail()
  const now = () => findSubscription(scenario, person, trader)
  const end = (who: typeof person = person, id: string = row.id) =>
    call(testApp, who, 'POST', `/v1/subscriptions/${id}/end-trial`)
  return { trader, person, row, atStripe, now, end }
}

/** Runs the worker's hourly part that mails before the ends of trials. */
async function mailEnds(): Promise<void> {
  const sweep = hourlySweepsOf(testApp).find(({ name }) => name === 'mails before the end of trials')
  await (sweep ?? assert.fail()).run(clock.now())
}
const mailsOf = async (who: Parameters<typeof owedMails>[1]) =>
  (await owedMails(scenario, who)).map(({ facts, kind }) => [kind, facts])

test('a trial and two renewals are accounted for to the cent', async () => {
  const { atStripe, person, trader } = await makeTrial()
  await pass(7.1)
  expect(await charged(person.customer)).toEqual([1250])
  await pass(31)
  await pass(31)
  expect(await charged(person.customer)).toEqual([1250, 1250, 1250])
  const { rows } = await pool.query(
    `select amount_due_cents, amount_paid_cents, fee_cents, transferred_cents from invoices
     join subscriptions one on one.id = subscription_id where one.stripe_subscription_id = $1 order by invoices.created_at`,
    [atStripe],
  )
  const [free, ...paid] = rows
  expect(free).toMatchObject({
    amount_due_cents: 0,
    amount_paid_cents: 0,
    fee_cents: 0,
    transferred_cents: 0,
  })
  expect(paid).toHaveLength(3)
  for (const one of paid)
    expect(one).toMatchObject({ amount_due_cents: 1250, amount_paid_cents: 1250, fee_cents: 125 })
  expect(await moneyOf(stripe, trader.account)).toBe(3375)
  const people = await db.selectFrom('payout_accounts').select(['user_id', 'stripe_account_id']).execute()
  const traders = people.map((one) => ({ userId: one.user_id, account: one.stripe_account_id ?? '' }))
  expect(await followEveryCent({ sandbox, stripe, pool }, traders)).toMatchObject({ 'difference, cents': 0 })
})

test('a first payment that fails leaves three days, and not a moment less', async () => {
  const { now, person, trader } = await makeTrial(FAILING_CARD)
  await pass(7.1)
  const owing = await now()
  expect(owing).toMatchObject({ status: 'past_due' })
  expect(await mailsOf(person)).toMatchObject([
    ['payment_problem', { amountCents: 1250, problem: 'declined' }],
  ])
  const since = owing.past_due_since?.getTime() ?? assert.fail()
  expect(since).toBe(owing.trial_ends_at?.getTime())
  const look = async (at: number) => {
    clock.set(new Date(at))
    await sandbox.control('advance', { seconds: 0 })
    await scenario.runScheduled(lookAtOverdue)
    await scenario.settle()
    return now()
  }
  expect(await look(since + 3 * 86_400_000 - 1)).toMatchObject({ status: 'past_due' })
  expect(await look(since + 3 * 86_400_000)).toMatchObject({ status: 'canceled', end_reason: 'unpaid' })
  expect((await mailsOf(person)).at(-1)).toEqual([
    'subscription_ended',
    { trader: trader.username, why: 'unpaid' },
  ])
  expect(await charged(person.customer)).toEqual([])
})

test('a renewal that fails later has the twenty-one days of everybody', async () => {
  const { atStripe, now, person } = await makeTrial()
  await pass(7.1)
  const card = await stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer: person.customer })
  await stripe.subscriptions.update(atStripe, { default_payment_method: card.id })
  await pass(31)
  const since = (await now()).past_due_since?.getTime() ?? assert.fail()
  clock.set(new Date(since + 4 * 86_400_000))
  await scenario.runScheduled(lookAtOverdue)
  await scenario.settle()
  expect(await now()).toMatchObject({ status: 'past_due', end_reason: null })
  await stripe.subscriptions.cancel(atStripe)
})

test('one press ends a trial with its last day, nothing is charged, and pressing again changes nothing', async () => {
  const { atStripe, end, now, person, row, trader } = await makeTrial()
  const answer = { status: 200, body: { endsAt: row.trial_ends_at?.toISOString() } }
  expect(await end()).toEqual(answer)
  expect(await now(), 'before any event').toMatchObject({ status: 'trialing', cancel_at: row.trial_ends_at })
  await scenario.settle()
  expect(await end()).toEqual(answer)
  expect(await Promise.all([end(), end()])).toEqual([answer, answer])
  expect(await stripe.subscriptions.retrieve(atStripe)).toMatchObject({ cancel_at_period_end: true })
  await pass(6.9)
  await mailEnds()
  expect(
    (await mailsOf(person)).map(([kind]) => kind),
    'no word of an end that they know',
  ).toEqual(['subscription_canceled'])
  expect(await check(person, trader)).toMatchObject({ subscribed: true })
  await pass(0.2)
  expect(await now()).toMatchObject({ status: 'canceled', end_reason: null })
  expect(await charged(person.customer)).toEqual([])
  expect(await end()).toMatchObject({ status: 409, body: { code: 'trial_over' } })
})

test('an end that was pressed is taken back at Stripe', async () => {
  const { atStripe, end, now, person } = await makeTrial()
  await end()
  await stripe.subscriptions.update(atStripe, { cancel_at_period_end: false })
  await scenario.settle()
  expect(await now()).toMatchObject({ status: 'trialing', cancel_at: null })
  await pass(7.1)
  expect(await charged(person.customer)).toEqual([1250])
})

test('a trial of somebody else, none, and one that is over cannot be ended', async () => {
  const { end, now, person, row } = await makeTrial()
  const stranger = await makePerson()
  for (const id of [row.id, '0199c000-0000-7000-8000-000000000001', 'maria', 'no such thing'])
    expect(await end(stranger, encodeURIComponent(id)), id).toMatchObject({
      status: 404,
      body: { code: 'subscription_not_found' },
    })
  expect(await now()).toMatchObject({ cancel_at: null })
  await sandbox.control('chaos', { seed: 1, drop: 1 })
  clock.advance(7.1 * 86_400_000)
  await sandbox.control('advance', { seconds: 0 })
  await db.updateTable('sessions').set({ refreshed_at: clock.now() }).execute()
  // The trial is over at Stripe, and the product has not heard of it.
  expect(await now()).toMatchObject({ status: 'trialing' })
  expect(await end()).toMatchObject({ status: 409, body: { code: 'trial_over' } })
  await sandbox.control('calm', { settle: true })
  await scenario.settle()
  expect(await now()).toMatchObject({ status: 'active', cancel_at: null })
  expect(await charged(person.customer)).toEqual([1250])
})

test.each(['rate-limit', 'error', 'lost-answer'])(
  'where Stripe meets %s at the end of a trial, a second press ends it',
  async (kind) => {
    const { atStripe, end, now } = await makeTrial()
    for (let nth = 0; nth < 2; nth += 1)
      await sandbox.control('fault', { kind, method: 'POST', path: `/v1/subscriptions/${atStripe}` })
    expect(await end()).toMatchObject({ status: 503, body: { code: 'payment_provider_error' } })
    await sandbox.control('calm')
    expect((await end()).status).toBe(200)
    expect((await now()).cancel_at).not.toBeNull()
    await stripe.subscriptions.cancel(atStripe)
  },
)

test('a mail comes two days before the end, once, with date and amount; also after the workers were away', async () => {
  const { atStripe, person, row, trader } = await makeTrial()
  await pass(4.9)
  await mailEnds()
  expect(await mailsOf(person)).toEqual([])
  await pass(0.2)
  for (let nth = 0; nth < 3; nth += 1) await mailEnds()
  await Promise.all([mailEnds(), mailEnds()])
  const facts = {
    trader: trader.username,
    amountCents: 1250,
    currency: 'usd',
    interval: 'month',
    endsAt: row.trial_ends_at?.toISOString(),
  }
  expect(await mailsOf(person)).toEqual([['trial_ending', facts]])
  await stripe.subscriptions.cancel(atStripe)
  const late = await makeTrialOfOther()
  await pass(6.95)
  await mailEnds()
  expect((await mailsOf(late.person)).map(([kind]) => kind)).toEqual(['trial_ending'])
  await pass(0.1)
  await mailEnds()
  expect(await mailsOf(late.person)).toHaveLength(1)
})

const makeTrialOfOther = () => makeTrial(OTHER_CARD)

test('what is paid after a trial is the price of its checkout, whatever the trader names meanwhile', async () => {
  const { person, trader } = await makeTrial()
  const prices = { monthly: '99', yearly: null, currency: 'usd', trialDays: null }
  expect((await call(testApp, trader, 'POST', '/v1/accounts/prices', prices)).status).toBe(200)
  await pass(7.1)
  expect(await charged(person.customer)).toEqual([1250])
})

test('who closes the account in a trial pays nothing', async () => {
  const { atStripe, now, person } = await makeTrial()
  expect((await closeBy(testApp, person)).status).toBe(200)
  await closings.tend()
  expect(await now()).toMatchObject({ status: 'canceled', end_reason: 'account_closed' })
  expect(await stripe.subscriptions.retrieve(atStripe)).toMatchObject({ status: 'canceled' })
  await pass(8)
  expect(await charged(person.customer)).toEqual([])
})

test('a trader who closes the account ends the trial, and nothing is charged', async () => {
  const { now, person, trader } = await makeTrial()
  expect((await closeBy(testApp, trader)).status).toBe(200)
  await closings.tend()
  expect(await now()).toMatchObject({ status: 'canceled', end_reason: 'trader_unavailable' })
  await pass(8)
  expect(await charged(person.customer)).toEqual([])
})

test('a trial that ends while the trader is suspended is not charged, and no mail says that it will be', async () => {
  const { now, person, trader } = await makeTrial()
  await runOperator(testApp, 'suspend', trader.email, 'A question.')
  await scenario.settle()
  await pass(5.5)
  await mailEnds()
  expect((await mailsOf(person)).map(([kind]) => kind)).not.toContain('trial_ending')
  await pass(2)
  expect((await now()).paused_since).not.toBeNull()
  expect(await charged(person.customer)).toEqual([])
})

test('a trial that ends while the trader cannot be paid is not charged', async () => {
  const { person, trader } = await makeTrial()
  await sandbox.control('restrict', { id: trader.account })
  await scenario.settle()
  await pass(7.5)
  expect(await charged(person.customer)).toEqual([])
})

test('a second subscription in a trial ends as a double, and is paid back', async () => {
  const { now, person, row, trader } = await makeTrial()
  clock.advance(1000)
  await subscribeAtStripe(scenario, person, trader)
  await scenario.settle()
  const { rows } = await pool.query(
    'select status, end_reason from subscriptions where subscriber_id = $1 order by status desc',
    [person.userId],
  )
  expect(rows).toEqual([
    { status: 'trialing', end_reason: null },
    { status: 'canceled', end_reason: 'double' },
  ])
  expect(await now()).toBeDefined()
  const { data } = await stripe.charges.list({ customer: person.customer })
  expect(data.map(({ amount, amount_refunded: back }) => [amount, back])).toEqual([[1250, 1250]])
  expect(row.status).toBe('trialing')
})

test('of two trials of a pair that finish at once one is a double, and the person has the other', async () => {
  const [trader, person] = [await makeOffering(), await makePerson()]
  await sandbox.control('chaos', { seed: 1, drop: 1 })
  await finish(person, trader)
  clock.advance(1000)
  await subscribeAtStripe(scenario, person, trader, { trial_period_days: 7 })
  await sandbox.control('calm', { settle: true })
  const { data } = await stripe.subscriptions.list({ customer: person.customer })
  await Promise.all(data.map(({ id }) => syncSubscription(scenario.deps, id, {}, clock.now())))
  await scenario.settle()
  const { rows } = await pool.query(
    'select status, end_reason from subscriptions where subscriber_id = $1 order by status desc',
    [person.userId],
  )
  expect(rows).toEqual([
    { status: 'trialing', end_reason: null },
    { status: 'canceled', end_reason: 'double' },
  ])
})

test('what is kept of an erased person still refuses a second trial, and goes after 400 days', async () => {
  const email = 'once.only+1@mail.example'
  const [trader, person] = [await makeOffering(), await makePerson(email)]
  expect(await tryOut(person, trader, OTHER_CARD)).toMatchObject({ status: 'trialing' })
  await runOperator(testApp, 'erase', email, 'By letter.')
  for (const minutes of [1, 61, 1]) {
    clock.advance(minutes * 60_000)
    await closings.tend()
  }
  await scenario.settle()
  clock.advance(3_600_000)
  await closings.tend()
  const { rows } = await pool.query('select email from users where id = $1', [person.userId])
  expect(rows).toEqual([{ email: null }])
  const again = await makePerson('onceonly@mail.example')
  expect(await check(again, trader)).toMatchObject({ trialDays: null })
  const trials = () =>
    db.selectFrom('trials').select('granted').where('user_id', '=', person.userId).execute()
  const erasedAt = clock.now().getTime()
  await runPurges(testApp, new Date(erasedAt + 399 * 86_400_000))
  expect(await trials()).toHaveLength(1)
  await runPurges(testApp, new Date(erasedAt + 401 * 86_400_000))
  expect(await trials()).toEqual([])
  await offer(trader, null)
})

test('renewals are of the day on which the free days ended: an agreed price comes with the one that is promised', async () => {
  const year = clock.now().getUTCFullYear() + 1
  // The 17th of January; the free days end on the last of the month.
  await pass((Date.UTC(year, 0, 17, 10) - clock.now().getTime()) / 86_400_000)
  const [trader, person] = [await makeOffering(14), await makePerson()]
  const { id } = await tryOut(person, trader, CARD, 14)
  await pass(40)
  const priced = { monthly: '20', yearly: null, currency: 'usd', trialDays: 14 }
  await call(testApp, trader, 'POST', '/v1/accounts/prices', priced)
  const agreed = await call(testApp, person, 'POST', `/v1/subscriptions/${id}/price`, { priceCents: 2000 })
  expect(agreed.body.newPrice).toMatchObject({ agreed: true, from: `${year}-03-31T10:00:00.000Z` })
  for (let month = 0; month < 3; month += 1) await pass(30)
  expect(await charged(person.customer)).toEqual([2000, 2000, 1250, 1250])
})
