import { expect, test } from 'vitest'
import { startPaymentsScenario } from '../../../test/money/payments-scenario.ts'
import { takeMails } from '../../../test/run-outbox.ts'
import type { SignedIn } from '../../../test/sign-in/sign-in.ts'
import { syncAccount } from './sync-account.ts'

const scenario = await startPaymentsScenario({ limitsOn: false })
const { clock, db, deps, pool, sandbox } = scenario
const HOUR_MS = 3_600_000

const REJECTED = {
  status: 409,
  body: {
    code: 'payouts_rejected',
    message: 'Your payout account at Stripe has been rejected for good. It cannot be opened again here.',
    requestId: expect.any(String),
  },
}

const start = (who: SignedIn) => scenario.post(who, '/v1/accounts/trader')
const status = async (who: SignedIn) => (await scenario.get(who, '/v1/accounts/stripe/status')).body
const sync = (account: string) => syncAccount(deps, account, clock.now())

/** Sends the mails about rejections that wait. @returns their subjects by who gets them */
async function takeNotices(trader: SignedIn): Promise<{ trader: string[]; operator: string[] }> {
  const kinds = ['payouts_rejected', 'operator_notice'] as const
  const mails = await takeMails(scenario, [...kinds], { operatorEmail: 'operator@example.com' })
  const subjectsOf = (address: string) =>
    mails.filter(({ to }) => to === address).map(({ subject }) => subject)
  return { trader: subjectsOf(trader.email), operator: subjectsOf('operator@example.com') }
}

const NOTICES = {
  trader: ['Stripe will not pay you: your account there was rejected'],
  operator: ['Tradepost: payments: a payout account was rejected (rejected_other)'],
}
const NOTHING = { trader: [], operator: [] }

test('an account that was rejected is answered as rejected, leads nowhere, and its trader and the operator are notified once', async () => {
  const trader = await scenario.makeStarted()
  await sandbox.control('reject', { id: trader.account })
  expect(await status(trader)).toEqual({ onboardComplete: false, rejected: true, followed: false })
  // Stripe is not asked for a way that is not there.
  await sandbox.control('fault', { kind: 'error', method: 'POST', times: 20 })
  expect(await start(trader)).toEqual(REJECTED)
  expect(await scenario.post(trader, '/v1/accounts/stripe/dashboard')).toEqual(REJECTED)
  await sandbox.control('calm')
  expect(await takeNotices(trader)).toEqual(NOTICES)

  await Promise.all([sync(trader.account), sync(trader.account), status(trader)])
  clock.advance(7 * HOUR_MS)
  await scenario.runPayments()
  expect(await takeNotices(trader)).toEqual(NOTHING)
})

test('a rejection that many read at the same moment is mailed once', async () => {
  const trader = await scenario.makeReady()
  await sandbox.control('reject', { id: trader.account })
  await Promise.all([1, 2, 3, 4, 5].map(() => sync(trader.account)))
  expect(await takeNotices(trader)).toEqual(NOTICES)
})

test('a rejection whose mail could not be stored is mailed by the next reading', async () => {
  const trader = await scenario.makeStarted()
  await sandbox.control('reject', { id: trader.account })
  await pool.query(
    "alter table outbox add constraint no_rejection check (kind <> 'payouts_rejected') not valid",
  )
  await expect(sync(trader.account)).rejects.toThrow('no_rejection')
  await pool.query('alter table outbox drop constraint no_rejection')
  expect(await takeNotices(trader)).toEqual(NOTHING)
  await sync(trader.account)
  expect(await takeNotices(trader)).toEqual(NOTICES)
})

test('a rejection that is taken back and comes again is no news', async () => {
  const trader = await scenario.makeReady()
  await sandbox.control('reject', { id: trader.account })
  await sync(trader.account)
  expect(await takeNotices(trader)).toEqual(NOTICES)
  await sandbox.control('restore', { id: trader.account })
  expect(await status(trader)).toEqual({ onboardComplete: true })
  await sandbox.control('reject', { id: trader.account })
  await sync(trader.account)
  expect(await takeNotices(trader)).toEqual(NOTHING)
})

test('where Stripe has rejected the account and no event of it has arrived, asking for the link finds out', async () => {
  const trader = await scenario.makeStarted()
  await sandbox.control('reject', { id: trader.account })
  expect(await start(trader)).toEqual(REJECTED)
  expect(await takeNotices(trader)).toEqual(NOTICES)
})

test('an account that was rejected and then closed makes room for a new one, whose rejection is mailed again', async () => {
  const trader = await scenario.makeStarted()
  await sandbox.control('reject', { id: trader.account })
  await sync(trader.account)
  await takeNotices(trader)
  await sandbox.control('close', { id: trader.account })
  expect(await status(trader)).toEqual({ onboardComplete: false })
  expect(await start(trader)).toMatchObject({ status: 200 })
  const { stripe_account_id: account } = await db
    .selectFrom('payout_accounts')
    .select('stripe_account_id')
    .where('user_id', '=', trader.userId)
    .executeTakeFirstOrThrow()
  await sandbox.control('reject', { id: account })
  await sync(account ?? '')
  expect(await takeNotices(trader)).toEqual(NOTICES)
})
