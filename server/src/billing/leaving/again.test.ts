import { afterAll, beforeEach, expect, test } from 'vitest'
import { buy } from '../../../test/money/billing-scenario.ts'
import { followEveryCent } from '../../../test/money/follow-every-cent.ts'
import { startLeavingScenario } from '../../../test/money/leaving-scenario.ts'
import { judgeEmptyMonths } from '../empty-months/judge-months.ts'

const scenario = await startLeavingScenario()
afterAll(() => scenario[Symbol.asyncDispose]())
const { pass, sandbox, stripe, testApp } = scenario
const { clock, db, pool } = testApp

/** The worker's hourly look at paid months. */
const judge = () => judgeEmptyMonths(db, { returnEmptyMonths: true }).run(clock.now())

beforeEach(async () => {
  await scenario.toNextMonth()
  await judge()
})

test('whoever withdraws and subscribes again and again gets each payment back once at most, and no second trial', async () => {
  const [trader, person] = [await scenario.makeOffering(), await scenario.makePerson()]
  await scenario.tryOut(person, trader)
  await pass(7.1)
  const first = await scenario.holdOf(person, trader)
  expect(await first.withdraw()).toMatchObject({ status: 200, body: { returnsCents: 1250 } })
  await scenario.settle()
  expect(await scenario.begin(person, trader)).toMatchObject({
    status: 409,
    body: { code: 'trial_not_offered' },
  })

  await buy(scenario, person, trader)
  const second = await scenario.holdOf(person, trader)
  await second.publish()
  await pass(4)
  const partly = await second.withdraw()
  expect(partly).toMatchObject({ status: 200, body: { paidCents: 1250 } })
  await scenario.settle()

  await buy(scenario, person, trader)
  const third = await scenario.holdOf(person, trader)
  // Each contract has fourteen days of its own; what came before it was no part of it.
  expect(await third.leaving()).toMatchObject({ withdrawal: { returnsCents: 1250, delivered: false } })
  expect(await third.withdraw()).toMatchObject({ status: 200, body: { returnsCents: 1250 } })
  await scenario.settle()
  const part = Number((partly.body as { returnsCents: number }).returnsCents)
  expect(await third.money()).toEqual([
    [1250, 1250],
    [1250, part],
    [1250, 1250],
  ])

  // Nothing reached them, since no mail is sent here: the rest of the second month goes back at its end, and no more of any other.
  await pass(42)
  for (let nth = 0; nth < 2; nth += 1) {
    await judge()
    await scenario.settle()
  }
  expect(await third.money()).toEqual([
    [1250, 1250],
    [1250, 1250],
    [1250, 1250],
  ])
  expect(await third.atTrader()).toBe(0)
  expect((await third.debts()).filter(({ kind }) => kind === 'empty_month')).toEqual([
    { kind: 'empty_month', cause: expect.any(String), amount_cents: 1250 - part, state: 'settled' },
  ])
  for (const one of [first, second, third]) expect((await one.withdraw()).status).toBe(200)
  expect((await third.mails()).filter((kind) => kind === 'subscription_withdrawn')).toHaveLength(3)
})

test('not a cent is missing behind all of it', async () => {
  const people = await db.selectFrom('payout_accounts').select(['user_id', 'stripe_account_id']).execute()
  const traders = people.map((one) => ({ userId: one.user_id, account: one.stripe_account_id ?? '' }))
  expect(await followEveryCent({ sandbox, stripe, pool }, traders)).toMatchObject({ 'difference, cents': 0 })
})
