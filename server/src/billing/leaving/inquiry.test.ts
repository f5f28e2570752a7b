import { afterAll, beforeEach, expect, test } from 'vitest'
import { takeAlerts } from '../../../test/money/billing-scenario.ts'
import { followEveryCent } from '../../../test/money/follow-every-cent.ts'
import { type Hold, startLeavingScenario } from '../../../test/money/leaving-scenario.ts'

const scenario = await startLeavingScenario()
afterAll(() => scenario[Symbol.asyncDispose]())
const { makeFollower, pass, sandbox, stripe, testApp } = scenario
const { db, pool } = testApp

beforeEach(() => scenario.toNextMonth())

/** Of $12.50, 27 of 31 days; the trader keeps $1.61 less the fee. */
const BACK = { status: 200, body: { paidCents: 1250, returnsCents: 1089 } }
const OVER = { status: 409, body: { code: 'withdrawal_over' } }

/** Somebody who paid four days ago, and whose trader has published since. */
async function makeUsed(): Promise<Hold> {
  const used = await makeFollower()
  await used.publish()
  await pass(4)
  return used
}

const inquire = async ({ charge }: Hold) => sandbox.control('inquire', { id: await charge() })

/** The bank decides. */
async function answer(
  { charge }: Hold,
  evidence: 'winning_evidence' | 'losing_evidence' | 'escalate_inquiry_evidence',
): Promise<void> {
  const [found] = (await stripe.disputes.list({ charge: await charge() })).data
  await stripe.disputes.update(found?.id ?? '', { evidence: { uncategorized_text: evidence }, submit: true })
}

/** Cents that were paid and went back, those that are with the trader, and the mails to both. */
async function standOf({ atTrader, mails, money, trader }: Hold) {
  return { money: await money(), atTrader: await atTrader(), mails: [await mails(), await mails(trader)] }
}

const WITHDRAWN = {
  money: [[1250, 1089]],
  atTrader: 145,
  mails: [['subscription_withdrawn'], ['subscription_withdrawn']],
}

test('while a bank asks, a withdrawal returns what it says, once, and the end of the inquiry changes nothing', async () => {
  const hold = await makeUsed()
  await inquire(hold)
  await scenario.settle()
  expect(await takeAlerts(scenario)).toEqual([
    'Tradepost: payments: a payment is disputed (warning_needs_response)',
  ])
  expect(await hold.now()).toMatchObject({ status: 'active' })
  expect(await hold.withdraw()).toMatchObject(BACK)
  await scenario.settle()
  expect(await standOf(hold)).toEqual(WITHDRAWN)
  await answer(hold, 'winning_evidence')
  await scenario.settle()
  await pass(1)
  expect(await standOf(hold)).toEqual(WITHDRAWN)
  expect(await takeAlerts(scenario)).toEqual([])
})

test('an inquiry that comes while the refund is on its way, or after it, changes nothing', async () => {
  const [after, during] = [await makeUsed(), await makeUsed()]
  expect(await after.withdraw()).toMatchObject({ status: 200 })
  await scenario.settle()
  const returned = await standOf(after)
  await sandbox.control('fault', { kind: 'error', method: 'POST', path: '/v1/refunds', times: 20 })
  expect(await during.withdraw()).toMatchObject(BACK)
  await scenario.work()
  expect(await during.money()).toEqual([[1250, 0]])
  for (const one of [during, after]) await inquire(one)
  await sandbox.control('calm')
  await pass(0.1)
  await pass(0.3)
  expect(await standOf(during)).toEqual(WITHDRAWN)
  expect(await standOf(after)).toEqual(returned)
})

test('an inquiry that becomes a chargeback after the withdrawal takes what was left, from the trader', async () => {
  const hold = await makeUsed()
  await inquire(hold)
  await scenario.settle()
  expect(await hold.withdraw()).toMatchObject(BACK)
  await scenario.settle()
  await answer(hold, 'escalate_inquiry_evidence')
  await scenario.settle()
  await pass(1)
  // The bank has the other $1.61.
  expect(await standOf(hold)).toEqual({
    money: [[1250, 1089]],
    atTrader: 0,
    mails: [['subscription_withdrawn'], ['subscription_withdrawn', 'payment_disputed']],
  })
  await answer(hold, 'winning_evidence')
  await scenario.settle()
  await pass(1)
  expect(await hold.atTrader()).toBe(145)
  expect(await hold.money()).toEqual([[1250, 1089]])
})

test('an inquiry that became a chargeback has ended it, although it is no new dispute', async () => {
  const hold = await makeUsed()
  await inquire(hold)
  await scenario.settle()
  await answer(hold, 'escalate_inquiry_evidence')
  await scenario.settle()
  expect(await hold.now()).toMatchObject({ status: 'canceled', end_reason: 'dispute' })
  expect(await hold.withdraw()).toMatchObject(OVER)
  expect(await standOf(hold)).toEqual({
    money: [[1250, 0]],
    atTrader: 0,
    mails: [['subscription_ended'], ['payment_disputed']],
  })
})

test.each([
  { evidence: 'losing_evidence', back: 0, kept: 0 },
  { evidence: 'winning_evidence', back: 1089, kept: 145 },
] as const)(
  'of a chargeback that nobody has heard of the refund waits for the bank: $evidence returns $back cents',
  async ({ back, evidence, kept }) => {
    const hold = await makeUsed()
    await inquire(hold)
    await scenario.settle()
    await sandbox.control('chaos', { seed: 1, drop: 1 })
    await answer(hold, 'escalate_inquiry_evidence')
    expect(await hold.withdraw()).toMatchObject(BACK)
    await scenario.work()
    expect((await hold.debts()).find(({ kind }) => kind === 'refund')).toMatchObject({ state: 'open' })
    await answer(hold, evidence)
    await sandbox.control('calm', { settle: true })
    for (let nth = 0; nth < 3; nth += 1) await pass(1)
    expect(await hold.money()).toEqual([[1250, back]])
    expect(await hold.atTrader()).toBe(kept)
    expect(await hold.mails()).toEqual(['subscription_withdrawn'])
  },
)

test('after all of it every cent is where it is written', async () => {
  for (let nth = 0; nth < 4; nth += 1) await pass(0.3)
  const people = await db.selectFrom('payout_accounts').select(['user_id', 'stripe_account_id']).execute()
  const traders = people.map((one) => ({ userId: one.user_id, account: one.stripe_account_id ?? '' }))
  expect(await followEveryCent({ sandbox, stripe, pool }, traders)).toMatchObject({ 'difference, cents': 0 })
})
