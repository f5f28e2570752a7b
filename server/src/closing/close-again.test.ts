import { afterAll, expect, test } from 'vitest'
import { closeBy, makeClosings, press, signInAgain } from '../../test/closing.ts'
import { startBillingScenario } from '../../test/money/billing-scenario.ts'
import { signIn } from '../../test/sign-in/sign-in.ts'

const scenario = await startBillingScenario()
const { testApp } = scenario
const { clock, pool } = testApp
afterAll(() => scenario[Symbol.asyncDispose]())
const closings = makeClosings(scenario)
const DAY_MS = 86_400_000

test('the link of a first closing does nothing about a second one, and says so', async () => {
  const person = await signIn(testApp)
  await closeBy(testApp, person)
  const [first] = await closings.tend()
  await press(testApp, first?.link ?? '')
  expect(await press(testApp, first?.link ?? '')).toEqual({ status: 200, title: 'Your account is open' })

  clock.advance(DAY_MS)
  expect((await closeBy(testApp, await signInAgain(testApp, person))).status).toBe(200)
  const mails = await closings.tend()
  const second = mails.find(({ subject }) => subject === 'Your Tradepost account is closed')
  expect(await press(testApp, first?.link ?? '')).toEqual({ status: 410, title: 'There is a newer link' })
  const { rows } = await pool.query('select closed_at from users where id = $1', [person.userId])
  expect(rows).toEqual([{ closed_at: clock.now() }])
  expect(await press(testApp, second?.link ?? '', 'GET')).toMatchObject({ status: 200 })

  clock.advance(14 * DAY_MS)
  await closings.tend()
  expect(await press(testApp, first?.link ?? '')).toEqual({ status: 410, title: 'This account is erased' })
})
