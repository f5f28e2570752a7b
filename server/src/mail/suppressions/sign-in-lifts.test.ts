import { afterAll, expect, test } from 'vitest'
import { buildTestApp } from '../../../test/build-test-app.ts'
import { call, makeTrader, open, subscribe } from '../../../test/factories.ts'
import { startDeliveryScenario } from '../../../test/mails/delivery-scenario.ts'
import { startQuoteServer } from '../../../test/prices/quote-server.ts'
import { authWire, wrongCode } from '../../../test/sign-in/auth-wire.ts'
import { type SignedIn, signIn } from '../../../test/sign-in/sign-in.ts'
import { suppressAddress } from './suppressions.queries.ts'

const quotes = await startQuoteServer()
const testApp = await buildTestApp({ quotes, settings: { limitsOn: false } })
const wire = authWire(testApp)
afterAll(async () => {
  await testApp.close()
  await quotes.close()
})

const mailsRefused = async (who: SignedIn) =>
  (await call(testApp, who, 'GET', '/v1/subscriptions')).body.mailsRefused

const suppress = (who: SignedIn, cause: 'bounced' | 'complained') =>
  suppressAddress(
    testApp.db,
    { userId: who.userId, replyCode: 550, status: '5.1.1', cause },
    testApp.clock.now(),
  )

test('a person who signs in with a mailed code after their mail server refused them is mailed the next position again', async () => {
  await using delivery = await startDeliveryScenario({ app: testApp })
  const { sink } = delivery
  const trader = await makeTrader(testApp)
  const ann = await signIn(testApp, { email: 'ann@people.example' })
  await subscribe(testApp, ann, trader)
  sink.script = { recipient: () => '550 5.1.1 no such mailbox' }
  await open(testApp, quotes, trader, 'AAPL', 100)
  const worker = await delivery.startWorker()
  await expect.poll(() => delivery.countExceptions('refusals = 1')).toBe(1)
  expect(await mailsRefused(ann)).toBeNull()
  await testApp.pool.query("update mail_refusals set refused_at = refused_at - interval '1 day'")
  await delivery.advance(60_000)
  await expect.poll(() => mailsRefused(ann)).toBe('refused')
  await worker.stop()

  sink.script = {}
  await wire.enter('ann@people.example')
  expect(await mailsRefused(ann)).toBeNull()
  await open(testApp, quotes, trader, 'MSFT', 100)
  await delivery.startWorker()
  await sink.until(() => sink.byRecipient.get('ann@people.example') === 1)
  await delivery.advance(15 * 60_000)
  await delivery.untilNothingIsLeft()
  expect(sink.byRecipient.get('ann@people.example')).toBe(2)
  const { rows } = await testApp.pool.query(
    "select detail from audit_log where action = 'suppression_lifted' and user_id = $1",
    [ann.userId],
  )
  expect(rows).toEqual([{ detail: 'by a mailed code' }])
})

test('the mailed link does the same, and what was held against the address before does not count again', async () => {
  const bob = await signIn(testApp, { email: 'bob@people.example' })
  await suppress(bob, 'bounced')
  await testApp.pool.query(
    'insert into mail_refusals (user_id, trader_id, event_no, refused_at) values ($1, gen_random_uuid(), 1, now())',
    [bob.userId],
  )
  const { tokenHash } = await wire.mailTo('bob@people.example')
  expect(await mailsRefused(bob)).toBe('refused')
  expect((await wire.verifyLink(tokenHash)).status).toBe(200)
  expect(await mailsRefused(bob)).toBeNull()
  const { rowCount } = await testApp.pool.query('select from mail_refusals where user_id = $1', [bob.userId])
  expect(rowCount).toBe(0)
})

test('a complaint outlives signing in, and a wrong code and somebody else’s sign-in lift nothing', async () => {
  const eve = await signIn(testApp, { email: 'eve@people.example' })
  await suppress(eve, 'complained')
  await wire.enter('eve@people.example')
  expect(await mailsRefused(eve)).toBe('complained')

  const flo = await signIn(testApp, { email: 'flo@people.example' })
  await suppress(flo, 'bounced')
  const { code } = await wire.mailTo('flo@people.example')
  await wire.verify('flo@people.example', wrongCode(code))
  await wire.enter('gil@people.example')
  expect(await mailsRefused(flo)).toBe('refused')
})
