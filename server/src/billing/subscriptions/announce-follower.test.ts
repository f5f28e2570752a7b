import { afterAll, beforeEach, expect, test } from 'vitest'
import { call, moveSubscription, NOTES, open } from '../../../test/factories.ts'
import {
  buy,
  makeCustomer,
  makeFollowed,
  makePaidTrader,
  makePair,
  pay,
  startBillingScenario,
} from '../../../test/money/billing-scenario.ts'
import { startQuoteServer } from '../../../test/prices/quote-server.ts'
import { hurryMails, takeMails } from '../../../test/run-outbox.ts'
import { MailError } from '../../mail/smtp/mailer.ts'
import { compareWithStripe } from '../webhooks/webhooks.jobs.ts'

const quotes = await startQuoteServer()
const scenario = await startBillingScenario({ quotes })
const { stripe, testApp } = scenario
afterAll(async () => {
  await scenario[Symbol.asyncDispose]()
  await quotes.close()
})
// Mails that earlier tests left waiting do not belong to a test.
beforeEach(async () => {
  await takeStarted()
  await takeFirst()
})

const takeStarted = (fault?: Error) => takeMails(testApp, ['subscription_started'], { fault })
const takeFirst = () => takeMails(testApp, ['first_follower'])

test('a new follower is mailed once what the trader holds, and each subscription after an end again', {
  tags: ['NOTIF-09'],
}, async () => {
  const { trader, person } = await makePair(scenario)
  await testApp.db.insertInto('symbols').values({ symbol: 'ORCL', name: 'ORACLE CORP' }).execute()
  await open(testApp, quotes, trader, 'ORCL', 187.5)
  testApp.clock.advance(60_000)
  await open(testApp, quotes, trader, 'TINY', 1.25)
  await scenario.sandbox.control('chaos', { seed: 3, duplicate: 1 })
  const bought = await buy(scenario, person, trader)
  await scenario.sandbox.control('calm')

  const [mail, ...others] = await takeStarted()
  expect(others).toEqual([])
  expect(mail).toMatchObject({ to: person.email, subject: `You follow @${trader.username} from now on` })
  expect(mail?.text).toContain(`2 positions of @${trader.username} are open right now`)
  expect(mail?.text).toContain(`TINY
Open price:   $1.25
Opened:       Mar 4, 2026, 15:01:00 UTC (10:01 New York)
Planned hold: 1-3 weeks

${NOTES}

ORCL (Oracle Corp)
Open price:   $187.50
Opened:       Mar 4, 2026, 15:00:00 UTC (10:00 New York)
`)
  for (const link of ['/?tab=subscription', '/account#subscriptions', `/trader/${trader.username}`])
    expect(mail?.text).toContain(`${testApp.settings.origin}${link}\n`)
  const stop = /^<(.*)>$/.exec(mail?.headers?.['List-Unsubscribe'] ?? '')?.[1] ?? ''
  expect(mail?.headers?.['List-Unsubscribe-Post']).toBe('List-Unsubscribe=One-Click')
  expect(mail?.text).toContain(stop)
  expect((await testApp.app.inject({ method: 'POST', url: new URL(stop).pathname })).statusCode).toBe(200)

  await scenario.runScheduled(compareWithStripe)
  await scenario.settle()
  expect(await takeStarted()).toEqual([])
  await stripe.subscriptions.cancel(bought.stripe_subscription_id ?? '')
  await scenario.settle()
  testApp.clock.advance(1000)
  await buy(scenario, person, trader)
  expect((await takeStarted()).map(({ to }) => to)).toEqual([person.email])
})

test('of many positions the newest twenty are in the mail, and how many more there are', async () => {
  const { trader, person } = await makePair(scenario)
  await testApp.pool.query(
    `insert into positions (trader_id, id, symbol, hold_length, open_price, open_notes, opened_at, open_preview_id)
     select $1, gen_random_uuid(), 'S' || n, 'one_to_three_weeks', 10, $2, $3::timestamptz - n * interval '1 minute',
       gen_random_uuid() from generate_series(100, 122) n`,
    [trader.userId, NOTES, testApp.clock.now()],
  )
  await buy(scenario, person, trader)
  const [mail] = await takeStarted()
  expect(mail?.text.match(/^S\d+$/gm)).toEqual(Array.from({ length: 20 }, (_, index) => `S${100 + index}`))
  expect(mail?.text).toContain(`23 positions of @${trader.username} are open right now`)
  expect(mail?.text.replaceAll(/\s+/g, ' ')).toContain('3 more are on your home page.')
})

test('a trader without open positions: the mail states it', async () => {
  const { trader, person } = await makePair(scenario)
  await buy(scenario, person, trader)
  const [mail] = await takeStarted()
  expect(mail?.text.replaceAll(/\s+/g, ' ')).toContain(
    `@${trader.username} has no open position right now. The first mail comes when the next one is opened.`,
  )
})

test('a try that the mail server failed is repeated with what is open by then', async () => {
  const { trader, person } = await makePair(scenario)
  await buy(scenario, person, trader)
  expect(await takeStarted(new MailError({ code: 'ETIMEDOUT' } as never))).toEqual([])
  await open(testApp, quotes, trader, 'LATE', 5)
  await hurryMails(testApp.db)
  const [mail] = await takeStarted()
  expect(mail?.text).toContain('\nLATE\n')
})

test('a follower who has stopped the mails or lost access before it goes gets no such mail', async () => {
  const { trader, person } = await makePair(scenario)
  const { id } = await buy(scenario, person, trader)
  await call(testApp, person, 'POST', `/v1/subscriptions/${id}/mail`, { enabled: false })
  expect(await takeStarted()).toEqual([])
  const silent = await makeCustomer(scenario)
  await call(testApp, silent, 'POST', '/v1/accounts/position-mails', { enabled: false })
  await buy(scenario, silent, trader)
  expect(await takeStarted()).toEqual([])
  const other = await makeCustomer(scenario)
  const ended = await buy(scenario, other, trader)
  await moveSubscription(testApp, trader, ended.id, 'canceled')
  expect(await takeStarted()).toEqual([])
})

test('the trader is mailed of the first follower, without a name, and never of another', {
  tags: ['NOTIF-10'],
}, async () => {
  const trader = await makePaidTrader(scenario)
  const [one, other] = [await makeCustomer(scenario), await makeCustomer(scenario)]
  const bought = await buy(scenario, one, trader)
  const [mail, ...others] = await takeFirst()
  expect(others).toEqual([])
  expect(mail).toMatchObject({ to: trader.email, subject: 'Your first follower on Tradepost' })
  const words = mail?.text.replaceAll(/\s+/g, ' ')
  expect(words).toContain('Somebody has subscribed to you, for $10.00 a month. Tradepost keeps 10 %')
  expect(words).toContain(`${testApp.settings.origin}/account#subscriptions`)
  expect(words).not.toContain(one.email)
  expect(mail?.headers).not.toHaveProperty('List-Unsubscribe')

  await buy(scenario, other, trader)
  await stripe.subscriptions.cancel(bought.stripe_subscription_id ?? '')
  await scenario.settle()
  testApp.clock.advance(1000)
  await buy(scenario, one, trader)
  expect(await takeFirst()).toEqual([])
})

test('of a first follower who pays by the year the trader reads the price of the year', async () => {
  const { trader, person } = await makePair(scenario)
  const prices = { monthly: '12.50', yearly: '', currency: 'usd' }
  expect((await call(testApp, trader, 'POST', '/v1/accounts/prices', prices)).status).toBe(200)
  const wanted = { username: trader.username, interval: 'year', priceCents: 12_500 }
  const { body, status } = await call(testApp, person, 'POST', '/v1/subscriptions/new', wanted)
  expect({ status, ...body }).toMatchObject({ status: 200 })
  expect((await pay(String(body.url))).location).toContain('/payment/success')
  await scenario.settle()
  const [mail] = await takeFirst()
  expect(mail?.text.replaceAll(/\s+/g, ' ')).toContain(
    'Somebody has subscribed to you, for $125.00 a year. Tradepost keeps 10 %',
  )
})

test('people who followed before there were such mails get none when they renew', async () => {
  const { pass, trader } = await makeFollowed(scenario)
  await testApp.pool.query('delete from outbox')
  await pass(32)
  await scenario.settle()
  expect([await takeStarted(), await takeFirst()]).toEqual([[], []])
  await buy(scenario, await makeCustomer(scenario), trader)
  expect(await takeFirst()).toEqual([])
})
