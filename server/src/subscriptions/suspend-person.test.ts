import { afterAll, expect, test } from 'vitest'
import { call } from '../../test/factories.ts'
import { runOperator } from '../../test/run-operator.ts'
import {
  checkout,
  findSubscription,
  giveClock,
  makeCustomer,
  makePaidTrader,
  openWebhookRoom,
  owedMails,
  subscribeAtStripe,
} from '../../test/webhook-room.ts'
import { lookAtLostPayouts } from './subscriptions.jobs.ts'

const room = await openWebhookRoom()
const { stripe, testApp } = room
afterAll(() => room[Symbol.asyncDispose]())

const DAY_MS = 86_400_000

async function makePair() {
  const [trader, person] = [await makePaidTrader(room), await makeCustomer(room)]
  const pass = await giveClock(room, person.customer)
  const bought = await subscribeAtStripe(room, person, trader)
  await room.settle()
  return { trader, person, pass, bought }
}

const kinds = async (who: Parameters<typeof owedMails>[1]) =>
  (await owedMails(room, who)).map(({ kind }) => kind)

test('G-56: a suspended trader is not paid for, everybody concerned is mailed, and once restored all goes on', async () => {
  const { bought, pass, person, trader } = await makePair()
  const other = await makeCustomer(room)
  await checkout(room, other, trader)
  expect(await runOperator(testApp, 'suspend', `@${trader.username}`, 'Copied', 'notes.')).toBe(
    'Suspended.\n',
  )
  expect(await runOperator(testApp, 'suspend', trader.email, 'Again.')).toBe('Is suspended already.\n')
  expect((await call(testApp, trader, 'GET', '/v1/accounts/configuration')).status).toBe(403)
  await room.settle()
  expect(await findSubscription(room, person, trader)).toMatchObject({
    status: 'active',
    paused_since: testApp.clock.now(),
  })
  expect((await stripe.checkout.sessions.list({ customer: other.customer, status: 'open' })).data).toEqual([])
  const begin = () => call(testApp, other, 'POST', '/v1/subscriptions/new', { username: trader.username })
  expect(await begin()).toMatchObject({ status: 409, body: { code: 'not_subscribable' } })
  expect(await owedMails(room, trader)).toMatchObject([
    { kind: 'account_suspended', facts: { reason: 'Copied notes.' } },
  ])
  expect(await kinds(person)).toEqual(['collection_paused'])

  await pass(32)
  await room.settle()
  const [renewal] = (await stripe.invoices.list({ subscription: bought.id })).data
  expect(renewal?.status).toBe('void')

  expect(await runOperator(testApp, 'restore', trader.email, 'They were their own.')).toBe('Restored.\n')
  expect(await runOperator(testApp, 'restore', trader.email, 'Again.')).toBe('Is not suspended.\n')
  await room.settle()
  expect(await findSubscription(room, person, trader)).toMatchObject({ status: 'active', paused_since: null })
  expect((await begin()).status).toBe(200)
  expect(await kinds(trader)).toEqual(['account_suspended', 'account_restored'])
  expect(await kinds(person)).toEqual(['collection_paused', 'collection_resumed'])
  await pass(31)
  const { data } = await stripe.charges.list({ customer: person.customer })
  expect(data).toHaveLength(2)
})

test('G-56: a suspended subscriber is not charged, and is charged again once restored', async () => {
  const { bought, pass, person, trader } = await makePair()
  const page = await makePaidTrader(room)
  await checkout(room, person, page)
  expect(await runOperator(testApp, 'suspend', person.email, 'A stolen card.')).toBe('Suspended.\n')
  await room.settle()
  const open = await stripe.checkout.sessions.list({ customer: person.customer, status: 'open' })
  expect(open.data).toEqual([])
  await pass(32)
  await room.settle()
  expect((await stripe.invoices.list({ subscription: bought.id })).data.map(({ status }) => status)).toEqual([
    'void',
    'paid',
  ])
  expect(await kinds(person)).toEqual(['account_suspended'])
  expect(await kinds(trader)).toEqual([])
  expect(await runOperator(testApp, 'restore', person.email, 'It was theirs.')).toBe('Restored.\n')
  await room.settle()
  expect((await stripe.subscriptions.retrieve(bought.id)).pause_collection).toBeNull()
  expect(await kinds(person)).toEqual(['account_suspended', 'account_restored'])
})

test('G-56: thirty days after a suspension the subscriptions to that trader end, and what is left goes back', async () => {
  const { person, trader } = await makePair()
  await runOperator(testApp, 'suspend', trader.email, 'Fraud.')
  await room.settle()
  const { suspended_at: since } = await testApp.db
    .selectFrom('suspensions')
    .select('suspended_at')
    .where('user_id', '=', trader.userId)
    .executeTakeFirstOrThrow()
  const began = since.getTime()
  const look = async (at: number) => {
    testApp.clock.set(new Date(at))
    await room.runScheduled(lookAtLostPayouts)
    await room.settle()
    return findSubscription(room, person, trader)
  }
  expect(await look(began + 30 * DAY_MS - 1)).toMatchObject({ status: 'active' })
  expect(await look(began + 30 * DAY_MS)).toMatchObject({
    status: 'canceled',
    end_reason: 'trader_unavailable',
  })
  expect(await kinds(person)).toEqual(['collection_paused', 'trader_unavailable'])
  expect(await owedMails(room, trader)).toMatchObject([
    { kind: 'account_suspended' },
    { kind: 'payouts_lost', facts: { after: 'suspended' } },
  ])
})

test('G-56: nobody is suspended without a name and a reason', async () => {
  const { email } = await makeCustomer(room)
  await expect(runOperator(testApp, 'suspend')).rejects.toThrow('Nobody has that mail address or username.')
  await expect(runOperator(testApp, 'suspend', 'nobody@example.com', 'x')).rejects.toThrow('Nobody has')
  await expect(runOperator(testApp, 'suspend', email)).rejects.toThrow('Say why')
  await expect(runOperator(testApp, 'restore', email, 'x'.repeat(501))).rejects.toThrow('at most 500')
  expect(await runOperator(testApp, 'audit', email)).not.toContain('suspended')
})
