import { afterAll, expect, test } from 'vitest'
import { call } from '../../../test/factories.ts'
import { buy, makeCustomer } from '../../../test/money/billing-scenario.ts'
import { startEmptyMonthScenario } from '../../../test/money/empty-month-scenario.ts'
import { runOperator } from '../../../test/run-operator.ts'
import { takeMails } from '../../../test/run-outbox.ts'

const scenario = await startEmptyMonthScenario()
afterAll(() => scenario[Symbol.asyncDispose]())
const { judge, makeMonth, pass, speak, tell, told, testApp } = scenario

/** A trader whom three people have paid for a month: two on one day, one on the next. */
async function makeFollowedByThree() {
  const { person, trader } = await makeMonth()
  const second = await makeCustomer(scenario)
  await buy(scenario, second, trader)
  await pass(1)
  const third = await makeCustomer(scenario)
  await buy(scenario, third, trader)
  return { trader, people: [person, second, third] }
}

const kindsOf = async (who: Parameters<typeof told>[0]) => (await told(who)).map(([kind]) => kind)

test('a trader is told once a day of all followers whose month ends in a week, and afterwards of what went back', async () => {
  const { people, trader } = await makeFollowedByThree()
  await pass(21.9)
  await tell()
  expect(await told(trader)).toEqual([])
  await pass(0.2)
  await judge()
  for (let nth = 0; nth < 2; nth += 1) await tell()
  await Promise.all([tell(), tell()])
  const two = {
    amountCents: 2000,
    currency: 'usd',
    followers: 2,
    from: '2026-03-04T15:00:00.000Z',
    until: '2026-04-04T15:00:00.000Z',
  }
  expect(await told(trader)).toEqual([['empty_months_ahead', { trader: trader.username, endings: [two] }]])
  await pass(1)
  await tell()
  const one = {
    ...two,
    amountCents: 1000,
    followers: 1,
    from: '2026-03-05T15:00:00.000Z',
    until: '2026-04-05T15:00:00.000Z',
  }
  expect((await told(trader))[1]).toEqual(['empty_months_ahead', { trader: trader.username, endings: [one] }])
  // Nobody else hears of it before it has gone back.
  for (const person of people) expect(await told(person)).toEqual([])

  await pass(8.1)
  await judge()
  for (let nth = 0; nth < 2; nth += 1) await tell()
  await pass(1)
  await tell()
  expect((await told(trader)).slice(2)).toEqual([
    [
      'empty_months_returned',
      { trader: trader.username, returns: [{ amountCents: 3000, currency: 'usd', months: 3 }] },
    ],
  ])
  for (const person of people) expect(await kindsOf(person)).toEqual(['empty_month_returned'])
  const { body } = await call(testApp, trader, 'GET', '/v1/accounts/desk')
  // The three renewals are left.
  expect(body).toMatchObject({
    returned: [{ currency: 'usd', months: 3, cents: 3000 }],
    income: [{ currency: 'usd', allCents: 2700 }],
  })
  const mails = await takeMails(testApp, [
    'empty_month_returned',
    'empty_months_ahead',
    'empty_months_returned',
  ])
  expect(mails.map(({ subject }) => subject).toSorted()).toEqual(
    [
      '$30.00 went back for 3 paid months in which nothing of yours arrived',
      ...Array.from(
        { length: 3 },
        () => `Nothing of @${trader.username} reached you in your month: $10.00 come back to you`,
      ),
      'On Apr 4 $20.00 go back to 2 followers, unless you publish',
      'On Apr 5 $10.00 go back to one follower, unless you publish',
    ].toSorted(),
  )
})

test('a trader who has published, or is suspended, is told nothing before', async () => {
  const [spoke, gone] = [await makeMonth(), await makeMonth()]
  await pass(3)
  await speak(spoke.trader)
  await runOperator(testApp, 'suspend', gone.trader.email, 'A question.')
  await pass(21)
  await judge()
  await tell()
  expect(await told(spoke.trader)).toEqual([])
  expect(await told(gone.trader)).toEqual([])
})

test('a trader who publishes after the mail keeps what was paid', async () => {
  const { person, trader } = await makeMonth()
  await pass(24)
  await judge()
  await tell()
  expect(await kindsOf(trader)).toEqual(['empty_months_ahead'])
  await speak(trader)
  await pass(7.2)
  await judge()
  await tell()
  expect(await kindsOf(trader)).toEqual(['empty_months_ahead'])
  expect(await told(person)).toEqual([])
})
