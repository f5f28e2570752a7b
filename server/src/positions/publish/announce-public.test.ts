import { afterAll, beforeEach, expect, test } from 'vitest'
import { buildTestApp, TEST_NOW } from '../../../test/build-test-app.ts'
import { silentLog } from '../../../test/database/database.ts'
import { close, makeTrader, open, type Trader } from '../../../test/factories.ts'
import { startQuoteServer } from '../../../test/prices/quote-server.ts'
import { runOperator } from '../../../test/run-operator.ts'
import { takeMails } from '../../../test/run-outbox.ts'
import { announcePublic } from './announce-public.ts'

const quotes = await startQuoteServer()
const testApp = await buildTestApp({ quotes, settings: { limitsOn: false } })
const { clock, db, pool } = testApp
afterAll(async () => {
  await testApp.close()
  await quotes.close()
})
beforeEach(() => clock.set(TEST_NOW))

const sweep = (log = silentLog) => announcePublic({ db, log }).run(clock.now())
const mailed = async () =>
  (await takeMails(testApp, ['position_public'])).map(({ subject, to }) => ({ to, subject }))

async function openOf(trader: Trader, symbol: string): Promise<string> {
  const { body } = await open(testApp, quotes, trader, symbol, 100)
  return (body.position as { id: string }).id
}

/** Two days before: 1 to 3 weeks are over by a day on the 26th. */
const THE_24TH = new Date('2026-03-24T15:00:00.000Z')

test('a trader is mailed once, two days before a position becomes public, with the way to close it', async () => {
  const trader = await makeTrader(testApp)
  await openOf(trader, 'AAPL')
  clock.set(new Date(THE_24TH.getTime() - 1))
  await sweep()
  expect(await mailed()).toEqual([])
  clock.set(THE_24TH)
  await Promise.all([sweep(), sweep()])
  await sweep()
  const [mail, ...others] = await takeMails(testApp, ['position_public'])
  expect(others).toEqual([])
  expect(mail).toMatchObject({ to: trader.email, subject: 'AAPL becomes public on Mar 26' })
  expect(mail?.text).toContain(`${testApp.settings.origin}/?tab=personal`)
  expect(mail?.text.replaceAll(/\s+/g, ' ')).toContain('You opened AAPL at $100.00 on Mar 4')
  clock.set(new Date('2026-03-26T15:00:00.000Z'))
  await sweep()
  expect(await mailed()).toEqual([])
})

test('nobody is mailed of what is closed or struck by then, nor while they are suspended', async () => {
  const [trader, suspended] = [await makeTrader(testApp), await makeTrader(testApp)]
  await openOf(trader, 'CLSD')
  const struck = await openOf(trader, 'STRK')
  await openOf(suspended, 'AAPL')
  await runOperator(testApp, 'positions:strike', struck, 'A glitch.')
  clock.set(new Date('2026-03-20T15:00:00.000Z'))
  await close(testApp, quotes, trader, 'CLSD', 110)
  await pool.query('update users set suspended_at = $2 where id = $1', [suspended.userId, clock.now()])
  clock.set(THE_24TH)
  await sweep()
  expect(await mailed()).toEqual([])
})

test('one that fails keeps none of the others, and has the next sweep', async () => {
  const [first, second] = [await makeTrader(testApp), await makeTrader(testApp)]
  const id = await openOf(first, 'FAIL')
  await openOf(second, 'GOOD')
  clock.set(THE_24TH)
  const constraint = `alter table outbox add constraint no_mail check (cause is distinct from 'public:${id}')`
  await pool.query(constraint)
  const warned: object[] = []
  await sweep({ ...silentLog, warn: (facts: object) => void warned.push(facts) } as never)
  expect(warned).toMatchObject([{ positionId: id }])
  expect(await mailed()).toEqual([{ to: second.email, subject: 'GOOD becomes public on Mar 26' }])
  await pool.query('alter table outbox drop constraint no_mail')
  await sweep()
  expect(await mailed()).toEqual([{ to: first.email, subject: 'FAIL becomes public on Mar 26' }])
})

test('a trader who could not be mailed before is mailed that it is public already', async () => {
  const trader = await makeTrader(testApp)
  await openOf(trader, 'AAPL')
  clock.set(new Date('2026-03-26T15:00:00.000Z'))
  await sweep()
  expect(await mailed()).toEqual([{ to: trader.email, subject: 'AAPL is public since Mar 26' }])
})
