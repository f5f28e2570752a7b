import { expect, test, vi } from 'vitest'
import { open, press } from '../../../../sandbox/src/stripe/contract/browser.ts'
import { makeTrader, moveSubscription, readTables, subscribe } from '../../../test/factories.ts'
import { FAULTS, startPaymentsScenario } from '../../../test/money/payments-scenario.ts'
import { RACE_TIMEOUT_MS, rounds } from '../../../test/rounds.ts'
import { type SignedIn, signIn } from '../../../test/sign-in/sign-in.ts'
import { startOnboarding } from './start-onboarding.ts'

const scenario = await startPaymentsScenario({ limitsOn: false })
vi.setConfig({ testTimeout: RACE_TIMEOUT_MS })
const { clock, db, settings, sandbox, stripe } = scenario

const start = (who: SignedIn) => scenario.post(who, '/v1/accounts/trader')
const isTrader = async (who: SignedIn) => (await scenario.get(who, '/v1/accounts/configuration')).body.trader
const rowOf = (who: SignedIn) =>
  db.selectFrom('payout_accounts').selectAll().where('user_id', '=', who.userId).executeTakeFirst()
/** The trader's accounts at Stripe that are not closed, by id. */
async function atStripe(username: string): Promise<string[]> {
  const found: string[] = []
  for await (const account of stripe.v2.core.accounts.list())
    if (account.display_name === `@${username}`) found.push(account.id)
  return found
}
const profileOf = async (viewer: SignedIn, username: string) =>
  (await scenario.get(viewer, `/v1/accounts/profile?username=${username}`)).body

test('onboarding without a username is refused and changes nothing', async () => {
  const person = await signIn(scenario)
  const before = await readTables(scenario)
  expect(await start(person)).toMatchObject({
    status: 409,
    body: { code: 'username_required', message: 'Set a username first.' },
  })
  expect(await readTables(scenario)).toEqual(before)
})

test('the trader call leads through Stripe to a trader who can receive subscribers', {
  tags: ['API-13', 'ROLE-04'],
}, async () => {
  const [trader, viewer] = [await makeTrader(scenario), await signIn(scenario)]
  expect(await isTrader(trader)).toBe(false)
  const answer = await start(trader)
  expect(answer).toMatchObject({ status: 200, body: { url: expect.any(String) } })
  expect(await isTrader(trader)).toBe(true)
  expect(await profileOf(viewer, trader.username)).toMatchObject({ canSubscribe: false })

  const page = await open(String(answer.body.url))
  expect(page.html).toContain(`@${trader.username}`)
  const left = await press(page, 'Leave')
  expect(left.location, 'a page, which coming back to proves nothing').toBe(
    `${settings.origin}/account?onboarding=return#payments`,
  )
  expect((await scenario.get(trader, '/v1/accounts/stripe/status')).body).toEqual({ onboardComplete: false })

  const again = await open(String((await start(trader)).body.url))
  await press(again, 'Complete onboarding')
  expect((await scenario.get(trader, '/v1/accounts/stripe/status')).body).toEqual({ onboardComplete: true })
  expect(await profileOf(viewer, trader.username)).toMatchObject({ canSubscribe: true })
  expect(await atStripe(trader.username)).toHaveLength(1)
})

test('a trader who is onboarded is refused with the reason, and nothing changes', async () => {
  const trader = await scenario.makeReady()
  const before = await readTables(scenario)
  expect(await start(trader)).toMatchObject({
    status: 409,
    body: { code: 'already_onboarded', message: 'Your payouts are already set up.' },
  })
  expect(await readTables(scenario)).toEqual(before)
})

test('the account is opened as the product wants it, in the country of the platform', async () => {
  const trader = await scenario.makeStarted()
  const account = await stripe.v2.core.accounts.retrieve(trader.account, {
    include: ['configuration.recipient', 'defaults', 'identity'],
  })
  expect(account).toMatchObject({
    contact_email: trader.email,
    display_name: `@${trader.username}`,
    dashboard: 'express',
    identity: { country: 'US' },
    defaults: { responsibilities: { fees_collector: 'application', losses_collector: 'application' } },
    metadata: { app: 'tradepost', env: 'local', user_id: trader.userId },
  })
  // Kept for every further try.
  expect((await rowOf(trader))?.country).toBe('US')
})

test('the terms agreed to are those of the first call, with its time', async () => {
  const trader = await makeTrader(scenario)
  const agreedAt = clock.now()
  await start(trader)
  clock.advance(60_000)
  await start(trader)
  expect(await rowOf(trader)).toMatchObject({
    terms_version: '2026-11',
    terms_accepted_at: agreedAt,
  })
})

test('every click makes a new link; a used one leads back to a page that asks for another', async () => {
  const trader = await makeTrader(scenario)
  const urls = [String((await start(trader)).body.url), String((await start(trader)).body.url)]
  expect(new Set(urls).size).toBe(2)
  await open(urls[0] ?? '')
  expect((await open(urls[0] ?? '')).location).toBe(`${settings.origin}/account?onboarding=refresh#payments`)
  expect(await atStripe(trader.username)).toHaveLength(1)
})

test('clicks at the same moment open one account', async () => {
  for (let round = 0; round < rounds(); round += 1) {
    const trader = await makeTrader(scenario)
    const answers = await Promise.all([start(trader), start(trader), start(trader)])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(await atStripe(trader.username)).toEqual([(await rowOf(trader))?.stripe_account_id])
  }
})

const CALLS: [what: string, method: 'GET' | 'POST', path: string][] = [
  ['reading the platform', 'GET', '/v1/account'],
  ['opening the account', 'POST', '/v2/core/accounts'],
  ['making the link', 'POST', '/v2/core/account_links'],
]

test.each(
  CALLS.flatMap(([what, method, path]) =>
    FAULTS.map(([how, faults]) => ({ what, how, method, path, faults })),
  ),
)(
  'when Stripe $how at $what, the refusal names it, and the next try goes on with one account',
  async ({ method, path, faults }) => {
    const trader = await makeTrader(scenario)
    await scenario.spoil(faults, method, path)
    expect(await start(trader)).toMatchObject({ status: 503, body: { code: 'payment_provider_error' } })
    expect(await start(trader)).toMatchObject({ status: 200 })
    expect(await atStripe(trader.username)).toEqual([(await rowOf(trader))?.stripe_account_id])
  },
)

test('when Stripe takes too long, the account that it opened meanwhile is found again', async () => {
  const trader = await makeTrader(scenario)
  // The country is known from a first try: the one call that is left takes too long.
  await scenario.spoil(FAULTS[0][1], 'POST', '/v2/core/accounts')
  expect(await start(trader)).toMatchObject({ status: 503 })
  await sandbox.control('fault', { kind: 'slow', ms: 2000, method: 'POST', path: '/v2/core/accounts' })
  await expect(startOnboarding(scenario.hasty, trader, clock.now())).rejects.toMatchObject({
    code: 'payment_provider_error',
  })
  await expect.poll(() => start(trader)).toMatchObject({ status: 200 })
  expect(await atStripe(trader.username)).toEqual([(await rowOf(trader))?.stripe_account_id])
})

test('when Stripe takes too long with the link, the refusal names it, and nothing changes', async () => {
  const trader = await scenario.makeStarted()
  await sandbox.control('fault', { kind: 'slow', ms: 2000, path: '/v2/core/account_links' })
  const before = await readTables(scenario)
  await expect(startOnboarding(scenario.hasty, trader, clock.now())).rejects.toMatchObject({
    code: 'payment_provider_error',
  })
  expect(await readTables(scenario)).toEqual(before)
  expect(await start(trader)).toMatchObject({ status: 200 })
})

test('an account a request left undone is opened automatically; only then is the user a trader', async () => {
  const trader = await makeTrader(scenario)
  await scenario.spoil(FAULTS[2][1], 'POST', '/v2/core/accounts')
  expect(await start(trader)).toMatchObject({ status: 503 })
  expect(await isTrader(trader)).toBe(false)
  clock.advance(20_000)
  await scenario.runPayments()
  expect(await isTrader(trader)).toBe(true)
  expect(await atStripe(trader.username)).toEqual([(await rowOf(trader))?.stripe_account_id])
})

test('in the place of a closed account a new one is opened', async () => {
  const trader = await scenario.makeReady()
  await sandbox.control('close', { id: trader.account })
  // No event has arrived yet: Stripe refuses the link, and its account is read.
  await db
    .updateTable('payout_accounts')
    .set({ transfers_status: 'restricted', state: 'restricted' })
    .where('user_id', '=', trader.userId)
    .execute()
  expect(await start(trader)).toMatchObject({ status: 200 })
  const row = await rowOf(trader)
  expect(row).toMatchObject({ generation: 1, state: 'incomplete', closed_at: null, complete_at: null })
  expect(row?.stripe_account_id).not.toBe(trader.account)
  expect(await atStripe(trader.username)).toEqual([row?.stripe_account_id])
})

test('while somebody still pays to a closed account no new one is opened, and the ending is hurried', async () => {
  const [trader, follower] = [await scenario.makeReady(), await signIn(scenario)]
  const followed = await subscribe(scenario, follower, trader)
  await sandbox.control('close', { id: trader.account })
  clock.advance(11 * 60_000)
  expect((await scenario.get(trader, '/v1/accounts/stripe/status')).body).toEqual({ onboardComplete: false })
  expect(await start(trader)).toMatchObject({ status: 503, body: { code: 'payment_provider_error' } })
  expect(await rowOf(trader)).toMatchObject({ stripe_account_id: trader.account, state: 'closed' })
  await moveSubscription(scenario, trader, followed, 'canceled')
  expect(await start(trader)).toMatchObject({ status: 200 })
  expect(await rowOf(trader)).toMatchObject({ generation: 1 })
})
