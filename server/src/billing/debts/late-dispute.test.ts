import { afterAll, beforeEach, expect, test } from 'vitest'
import { followEveryCent } from '../../../test/money/follow-every-cent.ts'
import { type Hold, startLeavingScenario } from '../../../test/money/leaving-scenario.ts'

const scenario = await startLeavingScenario()
afterAll(() => scenario[Symbol.asyncDispose]())
const { makeFollower, pass, sandbox, stripe, testApp } = scenario
const { clock, db, pool } = testApp

beforeEach(() => scenario.toNextMonth())

const DAY_MS = 86_400_000

/** Lets time pass at Stripe, of which nothing is heard here. */
async function passUnheard(days: number): Promise<void> {
  clock.advance(days * DAY_MS)
  await sandbox.control('advance', { seconds: 0 })
  // A renewal is a draft for an hour.
  clock.advance(7_200_000)
  await sandbox.control('advance', { seconds: 0 })
}

/** The bank takes back the first payment, and nothing of it is heard before `hear`. */
async function disputeUnheard({ charge }: Hold): Promise<void> {
  await sandbox.control('chaos', { seed: 1, drop: 1 })
  await sandbox.control('dispute', { id: await charge() })
}

async function hear(): Promise<void> {
  await sandbox.control('calm', { settle: true })
  await pass(0.1)
}

test('a renewal that was charged before a dispute was heard of goes back whole, and the trader gives both', async () => {
  const hold = await makeFollower()
  await hold.publish()
  await pass(29)
  await disputeUnheard(hold)
  await passUnheard(3)
  expect(await hold.money(), 'the renewal is paid').toEqual([
    [1250, 0],
    [1250, 0],
  ])
  await hear()
  expect(await hold.now()).toMatchObject({ status: 'canceled', end_reason: 'dispute' })
  expect(await hold.money()).toEqual([
    [1250, 0],
    [1250, 1250],
  ])
  expect(await hold.atTrader()).toBe(0)
  await pass(1)
  expect(await hold.money(), 'once').toEqual([
    [1250, 0],
    [1250, 1250],
  ])
})

test('a renewal from before the dispute stays, and so does what was paid before an inquiry became one', async () => {
  const [older, asked] = [await makeFollower(), await makeFollower()]
  const [first, other] = [await older.charge(), await asked.charge()]
  await sandbox.control('inquire', { id: other })
  await pass(31.2)
  expect([await older.money(), await asked.money()]).toMatchObject([{ length: 2 }, { length: 2 }])
  await sandbox.control('dispute', { id: first })
  const [inquiry] = (await stripe.disputes.list({ charge: other })).data
  await stripe.disputes.update(inquiry?.id ?? '', {
    evidence: { uncategorized_text: 'escalate_inquiry_evidence' },
    submit: true,
  })
  await hear()
  for (const one of [older, asked]) {
    expect(await one.now()).toMatchObject({ status: 'canceled', end_reason: 'dispute' })
    expect(await one.money()).toEqual([
      [1250, 0],
      [1250, 0],
    ])
    expect(await one.atTrader()).toBe(1125)
  }
})

test('after all of it every cent is where it is written', async () => {
  for (let nth = 0; nth < 4; nth += 1) await pass(0.3)
  const people = await db.selectFrom('payout_accounts').select(['user_id', 'stripe_account_id']).execute()
  const traders = people.map((one) => ({ userId: one.user_id, account: one.stripe_account_id ?? '' }))
  expect(await followEveryCent({ sandbox, stripe, pool }, traders)).toMatchObject({ 'difference, cents': 0 })
})
