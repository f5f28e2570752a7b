import { afterAll, expect, test } from 'vitest'
import { call } from '../../../test/factories.ts'
import { startEmptyMonthScenario } from '../../../test/money/empty-month-scenario.ts'
import type { SignedIn } from '../../../test/sign-in/sign-in.ts'

const scenario = await startEmptyMonthScenario()
afterAll(() => scenario[Symbol.asyncDispose]())
const { judge, makeMonth, pass, row, sandbox, settle, speak, stripe, testApp } = scenario
const { clock } = testApp

const listed = async (who: SignedIn) => (await call(testApp, who, 'GET', '/v1/subscriptions')).body

test('the list of the one who paid remembers a withdrawal: when, how much, on its way, and returned', async () => {
  const { person, trader } = await makeMonth()
  const { id } = await row(person, trader)
  expect(await listed(person)).toMatchObject({ subscriptions: [{ id, status: 'active' }] })
  expect(JSON.stringify(await listed(person))).not.toMatch(/"returns"|"withdrawnAt"/)
  const at = clock.now().toISOString()
  expect((await call(testApp, person, 'POST', `/v1/subscriptions/${id}/withdraw`, {})).status).toBe(200)
  const withdrawn = { why: 'withdrawn', cents: 1000, monthFrom: null }
  expect(await listed(person)).toMatchObject({
    subscriptions: [
      { id, status: 'canceled', withdrawnAt: at, returns: [{ ...withdrawn, returnedAt: null }] },
    ],
  })
  await settle()
  expect(await listed(person)).toMatchObject({
    subscriptions: [
      { id, withdrawnAt: at, returns: [{ ...withdrawn, returnedAt: clock.now().toISOString() }] },
    ],
  })
  expect(await listed(trader)).toMatchObject({ subscriptions: [] })
})

test('it remembers a month in which nothing reached them too, and none in which something did', async () => {
  const [silent, spoken] = [await makeMonth(), await makeMonth()]
  const monthFrom = clock.now().toISOString().slice(0, 10)
  await speak(spoken.trader)
  await pass(31.2)
  await judge()
  const { subscriptions } = (await listed(silent.person)) as { subscriptions: unknown[] }
  expect(subscriptions).toMatchObject([
    {
      status: 'active',
      returns: [{ why: 'empty_month', cents: 1000, monthFrom, returnedAt: clock.now().toISOString() }],
    },
  ])
  expect(JSON.stringify(await listed(spoken.person))).not.toContain('"returns"')
})

type Paid = Awaited<ReturnType<typeof makeMonth>>

async function chargeOf({ person }: Paid): Promise<string> {
  const [charge] = (await stripe.charges.list({ customer: person.customer, limit: 1 })).data
  return charge?.id ?? ''
}

test('it remembers what somebody returned in the dashboard of Stripe, by the day, and beside it what the product returns', async () => {
  const made = await makeMonth()
  const { person, trader } = made
  const charge = await chargeOf(made)
  await stripe.refunds.create({ charge, amount: 400, reverse_transfer: true, refund_application_fee: true })
  await settle()
  const byHand = { why: 'other', cents: 400, monthFrom: null, returnedAt: clock.now().toISOString() }
  expect(await listed(person)).toMatchObject({ subscriptions: [{ status: 'active', returns: [byHand] }] })
  await pass(1)
  const { id } = await row(person, trader)
  expect((await call(testApp, person, 'POST', `/v1/subscriptions/${id}/withdraw`, {})).status).toBe(200)
  await settle()
  const { subscriptions } = (await listed(person)) as { subscriptions: { returns: { cents: number }[] }[] }
  const back = subscriptions[0]?.returns.map(({ cents }) => cents).toSorted((one, other) => one - other)
  expect(back).toEqual([400, 600])
  expect(await listed(trader)).toMatchObject({ subscriptions: [] })
})

test.each([
  ['winning_evidence', 'payment'],
  ['losing_evidence', 'payer'],
] as const)(
  'it remembers a disputed payment, and after %s that the bank decided for the %s',
  async (evidence, decided) => {
    const made = await makeMonth()
    const { person } = made
    const charge = await chargeOf(made)
    await sandbox.control('inquire', { id: charge })
    await settle()
    expect(JSON.stringify(await listed(person))).not.toContain('"disputes"')
    const [dispute] = (await stripe.disputes.list({ charge })).data
    const answer = (words: string) =>
      stripe.disputes.update(dispute?.id ?? '', { evidence: { uncategorized_text: words } })
    await answer('escalate_inquiry_evidence')
    await settle()
    const disputed = { paidCents: 1000, disputedAt: expect.any(String) }
    expect(await listed(person)).toMatchObject({
      subscriptions: [{ status: 'canceled', disputes: [{ ...disputed, decided: null }] }],
    })
    await answer(evidence)
    await settle()
    expect(await listed(person)).toMatchObject({
      subscriptions: [{ status: 'canceled', disputes: [{ ...disputed, decided }] }],
    })
  },
)
