import assert from 'node:assert/strict'
import type { TakenOff } from '@tradepost/contract/desk'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { call } from '../../../test/factories.ts'
import { buy, makeCustomer, takeAlerts } from '../../../test/money/billing-scenario.ts'
import { startWarningScenario } from '../../../test/money/warning-scenario.ts'
import type { SignedIn } from '../../../test/sign-in/sign-in.ts'

const scenario = await startWarningScenario()
afterAll(() => scenario[Symbol.asyncDispose]())
const { charges, disputesOf, makeMonth, pass, sandbox, stripe, testApp, warned } = scenario
const { clock, db } = testApp

type Made = Awaited<ReturnType<typeof makeMonth>>
type Desk = { takenOff?: TakenOff[]; income: { allCents: number }[] }

/** Subscriptions of tests before ask for no more money. */
beforeEach(async () => {
  await scenario.endAll()
  await takeAlerts(scenario)
})

/** As somebody who has just signed in: months pass here, and a session ends sooner. */
async function deskOf(who: SignedIn): Promise<Desk> {
  const now = clock.now()
  await db.updateTable('sessions').set({ created_at: now, refreshed_at: now }).execute()
  const { body, status } = await call(testApp, who, 'GET', '/v1/accounts/desk')
  assert.equal(status, 200)
  return body as Desk
}

/** The list of a desk, by why and cents. */
const listed = async (who: SignedIn) =>
  (await deskOf(who)).takenOff?.map(({ paidCents, shareCents, why }) => [why, paidCents, shareCents])

/** Another follower of the same trader. */
async function another({ trader }: Made): Promise<Made> {
  const person = await makeCustomer(scenario)
  await buy(scenario, person, trader)
  return { person, trader }
}

async function disputed(made: Made): Promise<string> {
  const [id] = await charges(made)
  await sandbox.control('dispute', { id })
  await scenario.settle()
  return (await disputesOf(made))[0]?.id ?? assert.fail('nothing is disputed')
}

async function decide(dispute: string, evidence: string): Promise<void> {
  await stripe.disputes.update(dispute, { evidence: { uncategorized_text: evidence } })
  await scenario.settle()
}

test('a desk lists what was taken off income, why, the newest first, and its sum is what income lost', async () => {
  const first = await makeMonth()
  const { trader } = first
  const others: Made[] = []
  for (let nth = 0; nth < 4; nth += 1) others.push(await another(first))
  const [byHand, open, won, lost] = others as [Made, Made, Made, Made]
  expect([(await deskOf(trader)).takenOff, (await deskOf(trader)).income[0]?.allCents]).toEqual([
    undefined,
    4500,
  ])
  await warned(first)
  await pass(1)
  const [charge = ''] = await charges(byHand)
  await stripe.refunds.create({ charge, amount: 400, reverse_transfer: true, refund_application_fee: true })
  await scenario.settle()
  const cameBackAt = clock.now().toISOString()
  await pass(1)
  const ofWon = await disputed(won)
  await decide(ofWon, 'winning_evidence')
  await pass(1)
  await decide(await disputed(lost), 'losing_evidence')
  await pass(1)
  await disputed(open)
  expect(await listed(trader)).toEqual([
    ['disputed', 1000, 900],
    ['dispute_lost', 1000, 900],
    ['dispute_won', 1000, 0],
    ['returned', 1000, 360],
    ['warned', 1000, 900],
  ])
  const { income, takenOff = [] } = await deskOf(trader)
  // $45 came in, and the list is what is missing of it.
  expect(income[0]?.allCents).toBe(4500 - 3060)
  expect(takenOff.reduce((sum, { shareCents }) => sum + shareCents, 0)).toBe(3060)
  expect(takenOff[3]).toEqual({
    ...{ at: cameBackAt, paidCents: 1000, shareCents: 360, currency: 'usd', why: 'returned' },
  })
  // Nobody else sees it, and it names nobody.
  expect((await deskOf(open.person)).takenOff).toBeUndefined()
  expect(JSON.stringify(takenOff)).not.toMatch(/@|user|person|in_|ch_/)
})

test('a withdrawal and an empty month are listed as such, an inquiry is not, and after a year nothing is', async () => {
  const left = await makeMonth()
  const { trader } = left
  await scenario.withdraws(left)
  await scenario.settle()
  const asked = await another(left)
  const [id] = await charges(asked)
  await sandbox.control('inquire', { id })
  await scenario.settle()
  expect(await listed(trader)).toEqual([['withdrawn', 1000, 900]])
  await scenario.judge()
  await pass(31.2)
  await scenario.judge()
  expect(await listed(trader)).toEqual([
    ['empty_month', 1000, 900],
    ['withdrawn', 1000, 900],
  ])
  await scenario.endAll()
  await pass(340)
  expect(await listed(trader)).toEqual([['empty_month', 1000, 900]])
  await pass(40)
  expect(await listed(trader)).toBeUndefined()
})

test('a dispute that is won after a part came back lists the part alone', async () => {
  const made = await makeMonth()
  const [charge = ''] = await charges(made)
  await stripe.refunds.create({ charge, amount: 400, reverse_transfer: true, refund_application_fee: true })
  await scenario.settle()
  const dispute = await disputed(made)
  expect(await listed(made.trader)).toEqual([['disputed', 1000, 900]])
  await decide(dispute, 'winning_evidence')
  expect(await listed(made.trader)).toEqual([['returned', 1000, 360]])
})
