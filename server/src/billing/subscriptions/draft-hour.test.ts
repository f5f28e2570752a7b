import { afterAll, expect, test } from 'vitest'
import { call } from '../../../test/factories.ts'
import {
  type BillingScenario,
  findSubscription,
  makeFollowed,
  owedMails,
  startBillingScenario,
} from '../../../test/money/billing-scenario.ts'
import { runOperator } from '../../../test/run-operator.ts'

const scenario = await startBillingScenario()
const { sandbox, stripe, testApp } = scenario
afterAll(() => scenario[Symbol.asyncDispose]())

/** In days. */
const HOUR = 1 / 24

/** Somebody whose second month has just begun: its invoice is a draft. */
async function makeRenewing(here: BillingScenario = scenario) {
  const { bought, pass, person, trader } = await makeFollowed(here)
  const { id, items } = bought
  const [item] = items.data
  await pass(((item?.current_period_end ?? 0) - (item?.current_period_start ?? 0)) / 86_400)
  await here.settle()
  const statuses = async () =>
    (await here.stripe.invoices.list({ subscription: id })).data.map(({ status }) => status)
  expect(await statuses()).toEqual(['draft', 'paid'])
  const charges = async () => (await here.stripe.charges.list({ customer: person.customer })).data
  return { trader, person, pass, id, statuses, charges }
}

async function invoicesHere(traderId: string) {
  const rows = await testApp.db
    .selectFrom('invoices')
    .select(['status', 'amount_paid_cents', 'refunded_cents'])
    .where('trader_id', '=', traderId)
    .orderBy('created_at', 'desc')
    .execute()
  return rows.map(({ amount_paid_cents: paid, refunded_cents: refunded, status }) => [status, paid, refunded])
}

test('while a renewal is a draft there is access until the end of the new month, and nobody is mailed', async () => {
  const { charges, pass, person, statuses, trader } = await makeRenewing()
  const { body } = await call(testApp, person, 'GET', '/v1/subscriptions')
  const row = await findSubscription(scenario, person, trader)
  expect(body).toMatchObject({
    subscriptions: [{ status: 'active', currentPeriodEnd: row.current_period_end?.toISOString() }],
  })
  expect(await charges()).toHaveLength(1)
  await pass(HOUR)
  await scenario.settle()
  expect(await statuses()).toEqual(['paid', 'paid'])
  expect(await invoicesHere(trader.userId)).toEqual([
    ['paid', 1000, 0],
    ['paid', 1000, 0],
  ])
  expect(await owedMails(scenario, person)).toEqual([])
})

test('a card that fails is mailed an hour after the month began, not before', async () => {
  const { id, pass, person, trader } = await makeRenewing()
  await sandbox.control('fail-next', { id })
  expect(await findSubscription(scenario, person, trader)).toMatchObject({ status: 'active' })
  await pass(HOUR)
  await scenario.settle()
  expect(await findSubscription(scenario, person, trader)).toMatchObject({ status: 'past_due' })
  expect(await owedMails(scenario, person)).toMatchObject([{ kind: 'payment_problem' }])
})

type Renewing = Awaited<ReturnType<typeof makeRenewing>>

const ENDS: [string, (one: Renewing) => Promise<unknown>, number][] = [
  ['it is ended at Stripe', ({ id }) => stripe.subscriptions.cancel(id), 0],
  ['its trader closes their account', ({ trader }) => sandbox.control('close', { id: trader.account }), 0],
  [
    'the payment before is disputed',
    async ({ charges }) => sandbox.control('dispute', { id: (await charges())[0]?.id }),
    0,
  ],
]

test.each(ENDS)(
  'when %s while its renewal is a draft, no draft is left and nobody is charged',
  async (_, end, refunded) => {
    const one = await makeRenewing()
    await end(one)
    await scenario.settle()
    expect(await findSubscription(scenario, one.person, one.trader)).toMatchObject({
      status: 'canceled',
      entitled_until_event: 0,
    })
    expect(await one.statuses()).toEqual(['void', 'paid'])
    await one.pass(2)
    await scenario.settle()
    expect(await one.charges()).toHaveLength(1)
    expect(await invoicesHere(one.trader.userId)).toEqual([
      ['void', 0, 0],
      // The month that was paid is over: nothing of it is left to return.
      ['paid', 1000, refunded],
    ])
  },
)

const PAUSES: [string, (one: Renewing) => Promise<unknown>, (one: Renewing) => Promise<unknown>][] = [
  [
    'the trader is suspended',
    ({ trader }) => runOperator(testApp, 'suspend', trader.email, 'Copied.'),
    ({ trader }) => runOperator(testApp, 'restore', trader.email, 'Their own.'),
  ],
  [
    'the subscriber is suspended',
    ({ person }) => runOperator(testApp, 'suspend', person.email, 'A stolen card.'),
    ({ person }) => runOperator(testApp, 'restore', person.email, 'Theirs.'),
  ],
  [
    'payouts are lost',
    ({ trader }) => sandbox.control('restrict', { id: trader.account }),
    ({ trader }) => sandbox.control('restore', { id: trader.account }),
  ],
]

test.each(PAUSES)(
  'when %s while a renewal is a draft, it is not charged, and the next one is',
  async (_, pause, resume) => {
    const one = await makeRenewing()
    await pause(one)
    await scenario.settle()
    expect(await one.statuses()).toEqual(['void', 'paid'])
    await one.pass(HOUR)
    await scenario.settle()
    expect(await one.charges()).toHaveLength(1)
    expect(await findSubscription(scenario, one.person, one.trader)).toMatchObject({ status: 'active' })
    expect((await invoicesHere(one.trader.userId))[0]).toEqual(['void', 0, 0])
    await resume(one)
    await scenario.settle()
    await one.pass(32)
    await scenario.settle()
    expect(await one.statuses()).toEqual(['paid', 'void', 'paid'])
  },
)

test('a pause that Stripe refuses half-way is finished later, its draft with it', async () => {
  const one = await makeRenewing()
  for (let time = 0; time < 3; time += 1)
    await sandbox.control('fault', { kind: 'error', method: 'POST', path: '/v1/invoices' })
  await runOperator(testApp, 'suspend', one.trader.email, 'Copied.')
  await scenario.work()
  expect((await stripe.subscriptions.retrieve(one.id)).pause_collection).toMatchObject({ behavior: 'void' })
  expect(await one.statuses()).toEqual(['draft', 'paid'])
  testApp.clock.advance(10_000)
  await scenario.settle()
  expect(await one.statuses()).toEqual(['void', 'paid'])
})

test('a subscriber is notified that their trader is gone although the draft cannot be voided yet', async () => {
  const one = await makeRenewing()
  await sandbox.control('fault', { kind: 'error', method: 'POST', path: '/v1/invoices', times: 100 })
  await sandbox.control('close', { id: one.trader.account })
  await sandbox.control('chaos', { settle: true })
  await scenario.work()
  expect(await one.statuses()).toEqual(['draft', 'paid'])
  expect(await owedMails(scenario, one.person)).toMatchObject([{ kind: 'trader_unavailable' }])
  await sandbox.control('calm')
  testApp.clock.advance(10_000)
  await scenario.settle()
  expect(await one.statuses()).toEqual(['void', 'paid'])
  expect(await owedMails(scenario, one.person)).toHaveLength(1)
})
