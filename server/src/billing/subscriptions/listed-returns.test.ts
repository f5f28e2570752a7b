import { afterAll, expect, test } from 'vitest'
import { call } from '../../../test/factories.ts'
import { startEmptyMonthScenario } from '../../../test/money/empty-month-scenario.ts'
import type { SignedIn } from '../../../test/sign-in/sign-in.ts'

const scenario = await startEmptyMonthScenario()
afterAll(() => scenario[Symbol.asyncDispose]())
const { judge, makeMonth, pass, row, settle, speak, testApp } = scenario
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
