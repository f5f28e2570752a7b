import { afterAll, beforeEach, expect, test } from 'vitest'
import { buildTestApp, TEST_NOW } from '../../test/build-test-app.ts'
import { openEarlierDatabase, silentLog } from '../../test/database.ts'
import { close, makeTrader, open, type Trader } from '../../test/factories.ts'
import { makeCrowdTrader } from '../../test/followers.ts'
import { startQuoteServer } from '../../test/quote-server.ts'
import { runOperator } from '../../test/run-operator.ts'
import { takeMails } from '../../test/run-outbox.ts'
import { migrate } from '../platform/migrate.ts'
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

test('a trader who could not be mailed before is told that it is public already', async () => {
  const trader = await makeTrader(testApp)
  await openOf(trader, 'AAPL')
  clock.set(new Date('2026-03-26T15:00:00.000Z'))
  await sweep()
  expect(await mailed()).toEqual([{ to: trader.email, subject: 'AAPL is public since Mar 26' }])
})

test('what the version before opens meanwhile becomes public by the rule', async () => {
  const trader = await makeTrader(testApp)
  const id = await openOf(trader, 'AAPL')
  await pool.query('update positions set public_at = null, public_mail_due = null where id = $1', [id])
  await sweep()
  const { rows } = await pool.query('select public_at, public_mail_due from positions where id = $1', [id])
  expect(rows).toEqual([{ public_at: new Date('2026-03-26T15:00:00.000Z'), public_mail_due: THE_24TH }])
})

test('at the upgrade what is past its plan is announced at once and public after seven days', async () => {
  await using earlier = await openEarlierDatabase('0066')
  const { traderId } = await makeCrowdTrader(earlier.pool, 'maria', TEST_NOW)
  const insert = (symbol: string, hold: string, age: string, closed = false) =>
    earlier.pool.query(
      `insert into positions (trader_id, id, symbol, hold_length, open_price, open_notes, opened_at, open_preview_id,
         closed_at, close_price, close_notes, close_preview_id, percentage_gain)
       select $1, gen_random_uuid(), $2, $3::hold_length, 10, 'ten or more', now() - $4::interval, gen_random_uuid(),
         ended, case when ended is not null then 12 end, case when ended is not null then 'ten or more' end,
         case when ended is not null then gen_random_uuid() end, case when ended is not null then 20 end
       from (select case when $5 then now() end as ended) close`,
      [traderId, symbol, hold, age, closed],
    )
  await insert('LATE', 'less_than_one_week', '2400 hours')
  await insert('EDGE', 'more_than_six_months', '8785 hours')
  await insert('SOON', 'one_to_three_weeks', '480 hours')
  await insert('YEAR', 'more_than_six_months', '8640 hours')
  await insert('NEW', 'three_to_six_months', '24 hours')
  await insert('GONE', 'less_than_one_week', '2400 hours', true)
  await migrate(earlier.url, silentLog)
  // In whole hours from the upgrade on.
  const { rows } = await earlier.pool.query<{ line: string }>(
    `select concat_ws(' ', symbol, round(extract(epoch from public_at - applied_at) / 3600),
       round(extract(epoch from public_mail_due - applied_at) / 3600)) as line
     from positions, migrations where name like '0066%' order by public_at, symbol`,
  )
  expect(rows.map(({ line }) => line)).toEqual([
    // 20 of 22 days and 360 of 366 are less than seven days from their ends; these are told two days before.
    'EDGE 168 0',
    'LATE 168 0',
    'SOON 168 120',
    'YEAR 168 120',
    'NEW 4416 4368',
    'GONE',
  ])
  const events = await earlier.pool.query('select last_event_no::int as no from traders')
  expect(events.rows).toEqual([{ no: 1 }])
  const now = new Date()
  await announcePublic({ db: earlier.db, log: silentLog }).run(now)
  const mails = await takeMails({ ...testApp, ...earlier, clock: { ...clock, now: () => now } }, [
    'position_public',
  ])
  expect(mails.map(({ subject }) => subject.split(' ')[0]).sort()).toEqual(['EDGE', 'LATE'])
  expect(mails[0]?.subject).toMatch(/becomes public on/)
})
