import type Stripe from 'stripe'
import { expect, onTestFinished, test, vi } from 'vitest'
import { readTables } from '../../../test/factories.ts'
import { FAULTS, startPaymentsScenario } from '../../../test/money/payments-scenario.ts'
import { type SignedIn, signIn } from '../../../test/sign-in/sign-in.ts'
import { findCurrentPrice } from '../prices/trader-prices.queries.ts'
import { findPayoutAccount } from './payout-accounts.queries.ts'
import { lookAtPayoutAccount } from './payouts.jobs.ts'
import { syncAccount } from './sync-account.ts'

const scenario = await startPaymentsScenario()
const { clock, db, deps, pool, sandbox, stripe } = scenario
const HOUR_MS = 3_600_000

const status = async (who: SignedIn) => (await scenario.get(who, '/v1/accounts/stripe/status')).body
const stored = (who: SignedIn) => findPayoutAccount(db, who.userId)
const sync = (account: string) => syncAccount(deps, account, clock.now())
/** Whether the followers of this trader are going to be looked at; forgets it. */
async function takeNews(who: SignedIn): Promise<boolean> {
  const { rowCount } = await pool.query('delete from work where key = $1', [`payouts-changed:${who.userId}`])
  return rowCount === 1
}

/** Counts how often an account is read at Stripe: the client emits an event for every request. */
function countReadings(account: string): { readings(): number } {
  let count = 0
  const onRequest = ({ path }: Stripe.RequestEvent) => {
    if (path.includes(account)) count += 1
  }
  stripe.on('request', onRequest)
  return { readings: () => count }
}

test('the status is answered without an account, with one begun and with one complete', {
  tags: ['PAY-11', 'API-08'],
}, async () => {
  expect(await status(await signIn(scenario))).toEqual({ onboardComplete: false })
  expect(await status(await scenario.makeStarted())).toEqual({ onboardComplete: false })
  expect(await status(await scenario.makeReady())).toEqual({ onboardComplete: true })
})

test('a trader who has just come back from Stripe is answered what is true there', async () => {
  const trader = await scenario.makeStarted()
  expect(await status(trader)).toEqual({ onboardComplete: false })
  await sandbox.control('restore', { id: trader.account })
  expect(await status(trader)).toEqual({ onboardComplete: true })
})

test('an account that was read ten minutes ago is read again, one that was read later is not', async () => {
  const trader = await scenario.makeReady()
  await sandbox.control('restrict', { id: trader.account })
  clock.advance(10 * 60_000 - 1)
  expect(await status(trader)).toEqual({ onboardComplete: true })
  clock.advance(1)
  expect(await status(trader)).toEqual({ onboardComplete: false })
})

test('asking again and again reads at Stripe ten times a minute, and is always answered', async () => {
  const trader = await scenario.makeStarted()
  clock.advance(60_000)
  for (let ask = 0; ask < 10; ask += 1) await status(trader)
  await sandbox.control('restore', { id: trader.account })
  expect(await status(trader), 'as it was last seen').toEqual({ onboardComplete: false })
  clock.advance(60_000)
  expect(await status(trader)).toEqual({ onboardComplete: true })
})

test.each([...FAULTS, ['does not answer', [{ kind: 'slow', ms: 20_000 }]] as const])(
  'when Stripe %s, the status is answered as it was last seen, and nothing changes',
  async (_, faults) => {
    const trader = await scenario.makeReady()
    clock.advance(11 * 60_000)
    for (const fault of faults)
      await sandbox.control('fault', { ...fault, path: `/v2/core/accounts/${trader.account}` })
    const before = await readTables(scenario)
    expect(await scenario.get(trader, '/v1/accounts/stripe/status')).toEqual({
      status: 200,
      body: { onboardComplete: true },
    })
    expect(await readTables(scenario)).toEqual(before)
    await sandbox.control('calm')
  },
)

test('payouts that come, go, come back and end are mailed to the trader’s followers, each once', async () => {
  const trader = await scenario.makeStarted()
  await sync(trader.account)
  expect(await takeNews(trader), 'not yet able is no news').toBe(false)
  expect(await stored(trader)).toMatchObject({ state: 'incomplete', reason: 'requirements_past_due' })

  await sandbox.control('restore', { id: trader.account })
  const completeAt = clock.now()
  await sync(trader.account)
  expect(await takeNews(trader)).toBe(true)
  clock.advance(HOUR_MS)
  await sync(trader.account)
  expect(await takeNews(trader), 'nothing changed').toBe(false)
  expect(await stored(trader)).toMatchObject({ state: 'ready', completeAt, lostAt: null, reason: null })

  await sandbox.control('restrict', { id: trader.account })
  const lostAt = clock.now()
  await sync(trader.account)
  expect(await takeNews(trader)).toBe(true)
  clock.advance(HOUR_MS)
  await sync(trader.account)
  expect(await stored(trader)).toMatchObject({ state: 'restricted', completeAt, lostAt })

  await sandbox.control('restore', { id: trader.account })
  await sync(trader.account)
  expect(await takeNews(trader)).toBe(true)
  expect(await stored(trader)).toMatchObject({ state: 'ready', lostAt: null })

  await sandbox.control('close', { id: trader.account })
  const closedAt = clock.now()
  await sync(trader.account)
  expect(await takeNews(trader)).toBe(true)
  clock.advance(HOUR_MS)
  await sync(trader.account)
  expect(await takeNews(trader), 'closed once').toBe(false)
  expect(await stored(trader)).toMatchObject({ state: 'closed', closedAt, lostAt: closedAt })
})

test('an account that Stripe does not know any more counts as closed', async () => {
  const trader = await scenario.makeReady()
  const gone = `acct_gone${trader.userId.slice(-8)}`
  await db
    .updateTable('payout_accounts')
    .set({ stripe_account_id: gone })
    .where('user_id', '=', trader.userId)
    .execute()
  await sync(gone)
  expect(await stored(trader)).toMatchObject({ state: 'closed' })
  expect(await status(trader)).toEqual({ onboardComplete: false })
})

test('an account that belongs to nobody here changes nothing', async () => {
  const before = await readTables(scenario)
  expect(await sync('acct_of_somebody')).toBeNull()
  expect(await readTables(scenario)).toEqual(before)
})

/** The next reading of an account is answered at once, and its answer comes back when `end` is called. */
function holdReading() {
  const read = stripe.v2.core.accounts.retrieve.bind(stripe.v2.core.accounts)
  const late = Promise.withResolvers<void>()
  const slow = Promise.withResolvers<void>()
  const spy = vi.spyOn(stripe.v2.core.accounts, 'retrieve').mockImplementationOnce(async (...args) => {
    const seen = await read(...args)
    late.resolve()
    await slow.promise
    return seen
  })
  onTestFinished(() => spy.mockRestore())
  return { answered: late.promise, end: slow.resolve }
}

test('of two readings that overlap, the one that was read last stays', async () => {
  const trader = await scenario.makeStarted()
  // The first reading saw the account before it was approved, and comes back after the second was written.
  const held = holdReading()
  const first = sync(trader.account)
  await held.answered
  await sandbox.control('restore', { id: trader.account })
  await sync(trader.account)
  held.end()
  expect(await first).toMatchObject({ state: 'ready' })
  expect(await stored(trader)).toMatchObject({ state: 'ready', lostAt: null })
})

test('a reading that began before the account was to be looked at again is not what is stored', async () => {
  const trader = await scenario.makeStarted()
  const held = holdReading()
  const reading = sync(trader.account)
  await held.answered
  await sandbox.control('restore', { id: trader.account })
  await lookAtPayoutAccount(db, trader.userId, clock.now())
  held.end()
  expect(await reading).toMatchObject({ state: 'ready' })
})

test('an account is looked at at once where that is asked for, with or without a time, unless it is closed', async () => {
  const trader = await scenario.makeStarted()
  const lookAt = async () =>
    (await pool.query('select look_at, tries from payout_accounts where user_id = $1', [trader.userId])).rows
  for (const before of [new Date(clock.now().getTime() + HOUR_MS), null]) {
    await pool.query('update payout_accounts set look_at = $2, tries = 3 where user_id = $1', [
      trader.userId,
      before,
    ])
    await lookAtPayoutAccount(db, trader.userId, clock.now())
    expect(await lookAt()).toEqual([{ look_at: clock.now(), tries: 0 }])
  }
  await sandbox.control('close', { id: trader.account })
  await sync(trader.account)
  await lookAtPayoutAccount(db, trader.userId, clock.now())
  expect(await lookAt()).toMatchObject([{ look_at: null }])
})

test('accounts are reread automatically: after six hours while they cannot receive, else after a day', async () => {
  const trader = await scenario.makeStarted()
  await sync(trader.account)
  const counted = countReadings(trader.account)
  const afterHours = async (hours: number) => {
    clock.advance(hours * HOUR_MS)
    await scenario.runPayments()
    return counted.readings()
  }
  expect(await afterHours(5)).toBe(0)
  await sandbox.control('restore', { id: trader.account })
  const first = await afterHours(1)
  expect(first).toBeGreaterThan(0)
  expect(await stored(trader)).toMatchObject({ state: 'ready' })
  expect(await afterHours(23)).toBe(first)
  expect(await afterHours(1)).toBeGreaterThan(first)
})

test('a trader who becomes able to receive has a price before the first subscriber comes', async () => {
  const trader = await scenario.makeReady()
  await scenario.runPayments()
  expect(await findCurrentPrice(db, trader.userId, 'month')).toMatchObject({
    priceCents: 1000,
    currency: 'usd',
  })
})
