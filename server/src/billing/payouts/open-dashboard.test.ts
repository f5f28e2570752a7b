import { expect, test } from 'vitest'
import { open } from '../../../../sandbox/src/stripe/contract/browser.ts'
import { makeTrader, readTables } from '../../../test/factories.ts'
import { FAULTS, startPaymentsScenario } from '../../../test/money/payments-scenario.ts'
import { type SignedIn, signIn } from '../../../test/sign-in/sign-in.ts'
import { openDashboard } from './open-dashboard.ts'

const scenario = await startPaymentsScenario({ limitsOn: false })
const { sandbox } = scenario
const dashboard = (who: SignedIn) => scenario.post(who, '/v1/accounts/stripe/dashboard')

test('the dashboard before completion and onboarding without a username are refused, and nothing changes', {
  tags: ['PAY-13'],
}, async () => {
  const people = [await signIn(scenario), await makeTrader(scenario), await scenario.makeStarted()]
  const before = await readTables(scenario)
  for (const person of people) {
    expect(await dashboard(person)).toMatchObject({
      status: 409,
      body: { code: 'onboarding_incomplete', message: 'Finish payout setup first.' },
    })
  }
  const [nameless] = people
  expect(nameless && (await scenario.post(nameless, '/v1/accounts/trader'))).toMatchObject({
    status: 409,
    body: { code: 'username_required', message: 'Set a username first.' },
  })
  expect(await readTables(scenario)).toEqual(before)
})

test('an onboarded trader gets a new way into the dashboard each time', { tags: ['API-09'] }, async () => {
  const trader = await scenario.makeReady()
  const urls = []
  for (const _ of [1, 2]) {
    const { status, body } = await dashboard(trader)
    expect(status).toBe(200)
    expect((await open(String(body.url))).html).toContain(`<h1>@${trader.username}</h1>`)
    urls.push(body.url)
  }
  expect(new Set(urls).size).toBe(2)
})

test.each(FAULTS)('when Stripe %s, the refusal names it, and the next try leads there', async (_, faults) => {
  const trader = await scenario.makeReady()
  await scenario.spoil(faults, 'POST', `/v1/accounts/${trader.account}/login_links`)
  expect(await dashboard(trader)).toMatchObject({ status: 503, body: { code: 'payment_provider_error' } })
  expect(await dashboard(trader)).toMatchObject({ status: 200 })
})

test('when Stripe takes too long, the refusal names it, and nothing changes', async () => {
  const trader = await scenario.makeReady()
  await sandbox.control('fault', { kind: 'slow', ms: 2000, path: `/v1/accounts/${trader.account}` })
  const before = await readTables(scenario)
  await expect(openDashboard(scenario.hasty, trader, scenario.clock.now())).rejects.toMatchObject({
    code: 'payment_provider_error',
  })
  expect(await readTables(scenario)).toEqual(before)
})

test('a trader whose account was closed at Stripe without our knowledge has to onboard again', async () => {
  const trader = await scenario.makeReady()
  await sandbox.control('close', { id: trader.account })
  expect(await dashboard(trader)).toMatchObject({ status: 409, body: { code: 'onboarding_incomplete' } })
  expect((await scenario.get(trader, '/v1/accounts/stripe/status')).body).toEqual({ onboardComplete: false })
})

test('a trader who lost their payouts without our knowledge has to onboard again', async () => {
  const trader = await scenario.makeReady()
  await sandbox.control('restrict', { id: trader.account })
  expect(await dashboard(trader)).toMatchObject({ status: 409, body: { code: 'onboarding_incomplete' } })
  expect((await scenario.get(trader, '/v1/accounts/stripe/status')).body).toEqual({ onboardComplete: false })
})
