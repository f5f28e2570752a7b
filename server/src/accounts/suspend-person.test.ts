import { afterAll, expect, test } from 'vitest'
import { call } from '../../test/factories.ts'
import {
  checkout,
  findSubscription,
  giveClock,
  makeCustomer,
  makePaidTrader,
  owedMails,
  startBillingScenario,
  subscribeAtStripe,
} from '../../test/money/billing-scenario.ts'
import { runOperator } from '../../test/run-operator.ts'
import { lookAtLostPayouts } from '../billing/subscriptions/subscriptions.jobs.ts'

const scenario = await startBillingScenario()
const { stripe, testApp } = scenario
afterAll(() => scenario[Symbol.asyncDispose]())

const DAY_MS = 86_400_000

async function makePair() {
  const [trader, person] = [await makePaidTrader(scenario), await makeCustomer(scenario)]
  const pass = await giveClock(scenario, person.customer)
  const bought = await subscribeAtStripe(scenario, person, trader)
  await scenario.settle()
  return { trader, person, pass, bought }
}

const kinds = async (who: Parameters<typeof owedMails>[1]) =>
  (await owedMails(scenario, who)).map(({ kind }) => kind)

test('a suspended trader is not paid for, everybody concerned is mailed, and once restored all goes on', async () => {
  const { bought, pass, person, trader } = await makePair()
  const other = await makeCustomer(scenario)
  await checkout(scenario, other, trader)
  expect(await runOperator(testApp, 'suspend', `@${trader.username}`, 'Copied', 'notes.')).toBe(
    'Suspended.\n',
  )
  expect(await runOperator(testApp, 'suspend', trader.email, 'Again.')).toBe('Is suspended already.\n')
  expect((await call(testApp, trader, 'GET', '/v1/accounts/configuration')).status).toBe(403)
  await scenario.settle()
  expect(await findSubscription(scenario, person, trader)).toMatchObject({
    status: 'active',
    paused_since: testApp.clock.now(),
  })
  expect((await stripe.checkout.sessions.list({ customer: other.customer, status: 'open' })).data).toEqual([])
  const begin = () => call(testApp, other, 'POST', '/v1/subscriptions/new', { username: trader.username })
  expect(await begin()).toMatchObject({ status: 409, body: { code: 'not_subscribable' } })
  expect(await owedMails(scenario, trader)).toMatchObject([
    { kind: 'account_suspended', facts: { reason: 'Copied notes.' } },
  ])
  expect(await kinds(person)).toEqual(['collection_paused'])

  await pass(32)
  await scenario.settle()
  const [renewal] = (await stripe.invoices.list({ subscription: bought.id })).data
  expect(renewal?.status).toBe('void')

  expect(await runOperator(testApp, 'restore', trader.email, 'They were their own.')).toBe('Restored.\n')
  expect(await runOperator(testApp, 'restore', trader.email, 'Again.')).toBe('Is not suspended.\n')
  await scenario.settle()
  expect(await findSubscription(scenario, person, trader)).toMatchObject({
    status: 'active',
    paused_since: null,
  })
  expect((await begin()).status).toBe(200)
  expect(await kinds(trader)).toEqual(['account_suspended', 'account_restored'])
  expect(await kinds(person)).toEqual(['collection_paused', 'collection_resumed'])
  await pass(31)
  const { data } = await stripe.charges.list({ customer: person.customer })
  expect(data).toHaveLength(2)
})

test('a suspended subscriber is not charged, and is charged again once restored', async () => {
  const { bought, pass, person, trader } = await makePair()
  const page = await makePaidTrader(scenario)
  await checkout(scenario, person, page)
  expect(await runOperator(testApp, 'suspend', person.email, 'A stolen card.')).toBe('Suspended.\n')
  await scenario.settle()
  const open = await stripe.checkout.sessions.list({ customer: person.customer, status: 'open' })
  expect(open.data).toEqual([])
  await pass(32)
  await scenario.settle()
  expect((await stripe.invoices.list({ subscription: bought.id })).data.map(({ status }) => status)).toEqual([
    'void',
    'paid',
  ])
  expect(await kinds(person)).toEqual(['account_suspended'])
  expect(await kinds(trader)).toEqual([])
  expect(await runOperator(testApp, 'restore', person.email, 'It was theirs.')).toBe('Restored.\n')
  await scenario.settle()
  expect((await stripe.subscriptions.retrieve(bought.id)).pause_collection).toBeNull()
  expect(await kinds(person)).toEqual(['account_suspended', 'account_restored'])
})

test('thirty days after a suspension the subscriptions to that trader end, and what is left goes back', async () => {
  const { person, trader } = await makePair()
  await runOperator(testApp, 'suspend', trader.email, 'Fraud.')
  await scenario.settle()
  const { suspended_at: since } = await testApp.db
    .selectFrom('suspensions')
    .select('suspended_at')
    .where('user_id', '=', trader.userId)
    .executeTakeFirstOrThrow()
  const began = since.getTime()
  const look = async (at: number) => {
    testApp.clock.set(new Date(at))
    await scenario.runScheduled(lookAtLostPayouts)
    await scenario.settle()
    return findSubscription(scenario, person, trader)
  }
  expect(await look(began + 30 * DAY_MS - 1)).toMatchObject({ status: 'active' })
  expect(await look(began + 30 * DAY_MS)).toMatchObject({
    status: 'canceled',
    end_reason: 'trader_unavailable',
  })
  expect(await kinds(person)).toEqual(['collection_paused', 'trader_unavailable'])
  expect(await owedMails(scenario, trader)).toMatchObject([
    { kind: 'account_suspended' },
    { kind: 'payouts_lost', facts: { after: 'suspended' } },
  ])
})

test('nobody is suspended without a name and a reason', async () => {
  const { email } = await makeCustomer(scenario)
  await expect(runOperator(testApp, 'suspend')).rejects.toThrow('Nobody has that mail address or username.')
  await expect(runOperator(testApp, 'suspend', 'nobody@example.com', 'x')).rejects.toThrow('Nobody has')
  await expect(runOperator(testApp, 'suspend', email)).rejects.toThrow('Say why')
  await expect(runOperator(testApp, 'restore', email, 'x'.repeat(501))).rejects.toThrow('at most 500')
  expect(await runOperator(testApp, 'audit', email)).not.toContain('suspended')
})
