import type { FollowingResults } from '@tradepost/contract/following'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { buildTestApp, TEST_NOW } from '../../test/build-test-app.ts'
import { call, close, makeTrader, open, subscribe } from '../../test/factories.ts'
import { startQuoteServer } from '../../test/prices/quote-server.ts'
import { takeMails } from '../../test/run-outbox.ts'
import { type SignedIn, signIn } from '../../test/sign-in/sign-in.ts'
import { announceAllRenewals } from './announce-renewals.ts'
import { readResults } from './read-results.ts'

const quotes = await startQuoteServer()
const testApp = await buildTestApp({ quotes, settings: { limitsOn: false } })
const { clock, db, pool } = testApp
afterAll(async () => {
  await testApp.close()
  await quotes.close()
})
beforeEach(() => clock.set(TEST_NOW))

const DAY_MS = 86_400_000
const THE_FIFTH = '2026-03-05T08:00:00.000Z'
const announce = () => announceAllRenewals(db, clock.now())
const mails = async () => {
  const taken = await takeMails(testApp, ['renewal_ahead'])
  return taken.map((mail) => ({ ...mail, text: mail.text.replaceAll(/\s+/g, ' ') }))
}

async function renewAt(id: string, at: string, more = 'cancel_at = null'): Promise<void> {
  await pool.query(`update subscriptions set current_period_end = $2, ${more} where id = $1`, [id, at])
}

/** Somebody for whom a subscription renews tomorrow. */
async function followUntilTomorrow(more?: string): Promise<SignedIn> {
  const [trader, follower] = [await makeTrader(testApp), await signIn(testApp)]
  await renewAt(await subscribe(testApp, follower, trader), THE_FIFTH, more)
  return follower
}

test('the mail before a renewal names the amount that is left of the price with a discount', async () => {
  await followUntilTomorrow('cancel_at = null, renewal_cents = 750')
  await announce()
  expect(await mails()).toMatchObject([
    {
      subject: expect.stringContaining('you pay $7.50 for @'),
      text: expect.stringContaining('Another month: $7.50'),
    },
  ])
})

test('the day before subscriptions renew one mail says what each trader has brought, with the figures of the strip', async () => {
  const [maria, ben, cleo] = [
    await makeTrader(testApp, 'maria'),
    await makeTrader(testApp, 'ben'),
    await makeTrader(testApp, 'cleo'),
  ]
  const follower = await signIn(testApp)
  const ids = [
    await subscribe(testApp, follower, maria),
    await subscribe(testApp, follower, ben),
    await subscribe(testApp, follower, cleo),
  ]
  await open(testApp, quotes, maria, 'GAIN', 100)
  await open(testApp, quotes, maria, 'HELD', 100)
  await open(testApp, quotes, cleo, 'ELSE', 100)
  clock.advance(DAY_MS)
  await close(testApp, quotes, maria, 'GAIN', 104)
  await close(testApp, quotes, cleo, 'ELSE', 150)
  for (const [nth, at] of [
    '2026-03-06T00:00:00.000Z',
    '2026-03-06T23:59:59.000Z',
    '2026-03-07T00:00:00.000Z',
  ].entries())
    await renewAt(ids[nth] ?? '', at)
  await announce()
  await announce()
  const [mail, ...others] = await mails()
  expect(others).toEqual([])
  expect(mail).toMatchObject({ to: follower.email, subject: 'On Mar 6 you pay $20.00 for 2 traders' })
  expect(mail?.text).toContain(
    '@ben Another month: $10.00 Closed since Mar 4: nothing yet Open now: 0 @maria Another month: $10.00 Closed since Mar 4: 1, 1 won Mean of these: +4.00% Open now: 1',
  )
  expect(mail?.text).not.toContain('@cleo')
  const { traders } = await readResults(testApp, follower.userId, clock.now())
  expect(traders.find(({ username }) => username === 'maria')).toMatchObject({
    closed: 1,
    won: 1,
    mean: 4,
    open: 1,
  })
  await announce()
  expect(await mails()).toEqual([])
})

test('the mail names what is paid for another year', async () => {
  const [trader, follower] = [await makeTrader(testApp), await signIn(testApp)]
  const id = await subscribe(testApp, follower, trader)
  await renewAt(id, THE_FIFTH, "billing_interval = 'year', price_cents = 10000")
  await announce()
  const [mail] = await mails()
  expect(mail).toMatchObject({ subject: `On Mar 5 you pay $100.00 for @${trader.username}` })
  expect(mail?.text).toContain('Another year: $100.00')
  expect(mail?.text).toContain('what you have paid for stays yours until its year is over.')
})

test('nobody is mailed of what ends, is paused or unpaid, nor of another day', async () => {
  await followUntilTomorrow("cancel_at = '2026-03-05T08:00:00Z'")
  await followUntilTomorrow("paused_since = '2026-03-01T08:00:00Z'")
  await followUntilTomorrow("status = 'past_due'")
  const today = await followUntilTomorrow()
  await pool.query(
    "update subscriptions set current_period_end = '2026-03-04T23:59:00Z' where subscriber_id = $1",
    [today.userId],
  )
  await announce()
  expect(await mails()).toEqual([])
})

test('a mail that waits is dropped once its subscription ends, or its day has come', async () => {
  const [ended, late] = [await followUntilTomorrow(), await followUntilTomorrow()]
  await announce()
  await pool.query("update subscriptions set cancel_at = '2026-03-05T08:00:00Z' where subscriber_id = $1", [
    ended.userId,
  ])
  clock.set(new Date('2026-03-05T00:00:00.000Z'))
  expect(await mails()).toEqual([])
  expect((await call(testApp, late, 'GET', '/v1/following/results')).status).toBe(200)
})

test('one click in the mail stops these mails, and the switch of the account starts them again', async () => {
  const follower = await followUntilTomorrow()
  await announce()
  const mail = (await mails()).find(({ to }) => to === follower.email)
  const url = /\/mail\/unsubscribe\/[\w-]+/.exec(mail?.text ?? '')?.[0] ?? ''
  const page = await testApp.app.inject({ method: 'GET', url })
  expect(page.body).toContain('Stop mails before renewals?')
  const isOn = async () =>
    ((await call(testApp, follower, 'GET', '/v1/following/results')).body as unknown as FollowingResults)
      .renewalMail
  expect(await isOn()).toBe(true)
  for (const _twice of [1, 2]) {
    const done = await testApp.app.inject({ method: 'POST', url, payload: 'List-Unsubscribe=One-Click' })
    expect(done.body).toContain('Done: no more mails before renewals')
  }
  expect(await isOn()).toBe(false)
  clock.advance(DAY_MS)
  await pool.query(
    "update subscriptions set current_period_end = '2026-03-06T08:00:00Z' where subscriber_id = $1",
    [follower.userId],
  )
  await announce()
  expect(await mails()).toEqual([])
  await call(testApp, follower, 'POST', '/v1/following/renewal-mail', { enabled: true })
  await announce()
  expect((await mails()).map(({ to }) => to)).toEqual([follower.email])
})
