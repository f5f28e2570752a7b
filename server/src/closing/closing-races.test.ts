import { afterAll, expect, test } from 'vitest'
import { closeBy, makeClosings, press, signInAgain } from '../../test/closing.ts'
import { countWaiting } from '../../test/database/waiting-for-locks.ts'
import { call, makeTrader, open } from '../../test/factories.ts'
import { makeCustomer, makePair, pay, startBillingScenario } from '../../test/money/billing-scenario.ts'
import { startQuoteServer } from '../../test/prices/quote-server.ts'
import { takeMails } from '../../test/run-outbox.ts'
import { authWire } from '../../test/sign-in/auth-wire.ts'
import { signIn } from '../../test/sign-in/sign-in.ts'
import { makeSecretKey } from '../auth/keys/secret-key.ts'
import { eraseForOperator } from './close-for-person.ts'

const quotes = await startQuoteServer()
const scenario = await startBillingScenario({ quotes, settings: { marketOverride: null } })
const { testApp } = scenario
const { clock, db, pool } = testApp
afterAll(async () => {
  await scenario[Symbol.asyncDispose]()
  await quotes.close()
})
const closings = makeClosings(scenario)
const secret = makeSecretKey(testApp.settings.authSecret)
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** A row that nobody else gets until it is let go. */
async function holdRow(table: string, id: string) {
  const client = await pool.connect()
  await client.query('begin')
  await client.query(`select from ${table} where id = $1 for update`, [id])
  return async () => {
    await client.query('rollback')
    client.release()
  }
}

/** In which an account that is due is erased, once its mail and what Stripe knows are waited for. */
async function passAnHour() {
  for (let step = 0; step < 3; step += 1) {
    await closings.tend()
    clock.advance(HOUR_MS / 2)
  }
}

const untilWaiting = (count: number) => expect.poll(() => countWaiting(testApp)).toBe(count)

test('an erasure that an operator asks for while a worker tends the closing comes at once', async () => {
  clock.set(new Date('2026-05-14T15:00:00.000Z'))
  const trader = await makeTrader(testApp)
  await open(testApp, quotes, trader, 'HOLD', 100)
  clock.advance(DAY_MS)
  await closeBy(testApp, await signInAgain(testApp, trader))
  const { promise: asked, resolve: isAsked } = Promise.withResolvers<() => void>()
  quotes.set('HOLD', (response) => isAsked(() => response.end(JSON.stringify({ c: 100, t: 1 }))))
  const tending = closings.run()
  const answer = await asked
  clock.advance(1000)
  await eraseForOperator({ db, secret }, trader.email, 'Asked by letter.', clock.now())
  answer()
  await tending
  await passAnHour()
  const { rows } = await pool.query('select erased_at is not null as erased from users where id = $1', [
    trader.userId,
  ])
  expect(rows).toEqual([{ erased: true }])
})

test('an account that is given back while the market is asked keeps its positions open', async () => {
  clock.set(new Date('2026-06-11T15:00:00.000Z'))
  const trader = await makeTrader(testApp)
  for (const symbol of ['BACK', 'BACL']) await open(testApp, quotes, trader, symbol, 100)
  clock.advance(DAY_MS)
  await closeBy(testApp, await signInAgain(testApp, trader))
  const [mail] = await takeMails(testApp, ['account_closed'])
  const link = /https?:\S+\/mail\/reopen\/\S+/.exec(mail?.text ?? '')?.[0] ?? ''
  const { promise: asked, resolve: isAsked } = Promise.withResolvers<() => void>()
  quotes.set('BACK', (response) => isAsked(() => response.end(JSON.stringify({ c: 100, t: 1 }))))
  const tending = closings.run()
  const answer = await asked
  expect(await press(testApp, link)).toMatchObject({ status: 200 })
  answer()
  await tending
  const { rows } = await pool.query(
    'select count(*)::int as open from positions where trader_id = $1 and active',
    [trader.userId],
  )
  expect(rows).toEqual([{ open: 2 }])
})

test('a sign-in at the moment of the closing ends neither of the two', async () => {
  const person = await signIn(testApp)
  const wire = authWire(testApp)
  const { code } = await wire.mailTo(person.email)
  const release = await holdRow('sessions', person.sessionId)
  const closing = closeBy(testApp, person)
  await untilWaiting(1)
  const verifying = wire.verify(person.email, code)
  await untilWaiting(2)
  await release()
  expect((await closing).status).toBe(200)
  expect((await verifying).status).toBe(403)
})

test('a closing that waits while its session is ended closes nothing', async () => {
  const person = await signIn(testApp)
  const client = await pool.connect()
  await client.query('begin')
  await client.query('select from users where id = $1 for update', [person.userId])
  const closing = closeBy(testApp, person)
  await untilWaiting(1)
  await client.query('update sessions set revoked_at = $2 where id = $1', [person.sessionId, clock.now()])
  await client.query('commit')
  client.release()
  expect(await closing).toMatchObject({ status: 401, body: { code: 'unauthorized' } })
  const { rows } = await pool.query('select closed_at from users where id = $1', [person.userId])
  expect(rows).toEqual([{ closed_at: null }])
})

test('an export that waits behind the closing is refused, and no link is mailed', async () => {
  const person = await signIn(testApp)
  const release = await holdRow('users', person.userId)
  const closing = closeBy(testApp, person)
  await untilWaiting(1)
  const exporting = call(testApp, person, 'POST', '/v1/accounts/export')
  await untilWaiting(2)
  await release()
  expect((await closing).status).toBe(200)
  expect(await exporting).toMatchObject({ status: 401, body: { code: 'unauthorized' } })
  const { rows } = await pool.query("select from outbox where user_id = $1 and kind = 'export_ready'", [
    person.userId,
  ])
  expect(rows).toEqual([])
})

test('the last use of a discount code stays used when its user is erased', async () => {
  const { person, trader } = await makePair(scenario)
  const typed = { code: 'spring', off: '20 %', months: 1, maxUses: 1, lastDay: null, currency: 'usd' }
  await call(testApp, trader, 'POST', '/v1/accounts/discount-codes', typed)
  const order = { username: trader.username, discountCode: 'spring' }
  const { body } = await call(testApp, person, 'POST', '/v1/subscriptions/new', order)
  await pay(String(body.url))
  await scenario.settle()
  await eraseForOperator({ db, secret }, person.email, 'A letter.', clock.now())
  await passAnHour()
  const other = await makeCustomer(scenario)
  const look = await call(testApp, other, 'GET', `/v1/traders/${trader.username}/discounts/spring`)
  expect(look).toMatchObject({ status: 404, body: { code: 'discount_code_not_found' } })
  const own = await signInAgain(testApp, trader)
  const { body: listed } = await call(testApp, own, 'GET', '/v1/accounts/discount-codes')
  // Only those that can be used are listed.
  expect(listed.codes).toEqual([])
  const { rows } = await pool.query(
    'select url, stripe_session_id from checkout_sessions where subscriber_id = $1',
    [person.userId],
  )
  expect(rows).toEqual([{ url: null, stripe_session_id: null }])
})

test('nobody reads the price with a code of a trader whose account is closed', async () => {
  const { person, trader } = await makePair(scenario)
  const typed = { code: 'autumn', off: '20 %', months: 1, maxUses: null, lastDay: null, currency: 'usd' }
  await call(testApp, trader, 'POST', '/v1/accounts/discount-codes', typed)
  const look = () => call(testApp, person, 'GET', `/v1/traders/${trader.username}/discounts/autumn`)
  expect((await look()).status).toBe(200)
  await closeBy(testApp, await signInAgain(testApp, trader))
  expect(await look()).toMatchObject({ status: 404, body: { code: 'user_not_found' } })
})
