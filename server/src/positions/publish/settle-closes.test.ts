import { afterAll, beforeEach, expect, test } from 'vitest'
import { buildTestApp } from '../../../test/build-test-app.ts'
import { call, close, makeTrader, open, type Trader } from '../../../test/factories.ts'
import { planAll } from '../../../test/followers.ts'
import { startQuoteServer } from '../../../test/prices/quote-server.ts'
import { adjustForSplit, closeDelisted } from '../correct/adjust-positions.ts'
import { recountStatistics } from '../record/recount-statistics.ts'
import { claimUnsettled, listUnsettled } from './settle-closes.queries.ts'
import { settleCloses } from './settle-closes.ts'

const quotes = await startQuoteServer()
const testApp = await buildTestApp({ quotes, settings: { limitsOn: false } })
afterAll(async () => {
  await testApp.close()
  await quotes.close()
})

const { clock, db, pool } = testApp
const THURSDAY = new Date('2026-03-05T15:00:00.000Z')
const FRIDAYS_LAST = new Date('2026-03-06T20:59:58.000Z')
const SUNDAY = new Date('2026-03-08T22:00:00.000Z')
const MONDAY = new Date('2026-03-09T13:30:05.000Z')
beforeEach(() => clock.set(THURSDAY))

const sweep = () => settleCloses({ ...testApp, db, log: testApp.app.log as never }).run(clock.now())
const trade = (symbol: string, price: number, at: Date | string) =>
  quotes.set(symbol, { price, at: new Date(at) })
const profileOf = async (trader: Trader) =>
  (await call(testApp, trader, 'GET', `/v1/accounts/profile?username=${trader.username}`)).body
const boardOf = async (trader: Trader) =>
  ((await call(testApp, trader, 'GET', '/v1/leaderboard')).body.leaderboard as { username: string }[]).filter(
    ({ username }) => username === trader.username,
  )
async function positionOf(trader: Trader) {
  const { rows } = await pool.query(
    `select unsettled, close_price::float8 as price, percentage_gain::float8 as gain, settled_at, settled_by
     from positions where trader_id = $1`,
    [trader.userId],
  )
  return rows[0]
}
async function kindsOf(trader: Trader): Promise<string[]> {
  const { rows } = await pool.query(
    'select kind from position_events where trader_id = $1 order by event_no',
    [trader.userId],
  )
  return rows.map(({ kind }) => kind)
}
const timesAsked = (symbol: string) => quotes.asked.filter((question) => question.symbol === symbol).length

/** Opened on Thursday at 100, closed on Sunday at the 110 of Friday's last trade. */
async function closeOnSunday(symbol: string): Promise<Trader> {
  const trader = await makeTrader(testApp)
  clock.set(THURSDAY)
  expect((await open(testApp, quotes, trader, symbol, 100)).status).toBe(201)
  clock.set(SUNDAY)
  trade(symbol, 110, FRIDAYS_LAST)
  const preview = await call(testApp, trader, 'POST', '/v1/positions/preview', { symbol })
  const payload = { symbol, key: preview.body.key, closeNotes: 'Out before the week begins.' }
  const { status, body } = await call(testApp, trader, 'POST', '/v1/positions/close', payload)
  expect({ status, ...body }).toMatchObject({
    status: 200,
    position: {
      active: false,
      closePrice: 110,
      percentageGain: 10,
      settled: false,
      closedAt: SUNDAY.toISOString(),
    },
  })
  return trader
}

test('a close at a price of the week before is closed at once, and settled at the first trade after it', async () => {
  const trader = await closeOnSunday('WKND')
  expect((await call(testApp, trader, 'GET', '/v1/positions')).body).toEqual({ positions: [] })
  expect(await profileOf(trader)).toMatchObject({
    openPositions: 0,
    closedPositions: 1,
    averageProfit: null,
    latestPositions: [{ symbol: 'WKND', percentageGain: 10, settled: false }],
    record: { closed: 0, average: null, best: null, worst: null, median: null },
  })
  expect(await boardOf(trader)).toEqual([])
  const list = async () =>
    (await call(testApp, trader, 'GET', `/v1/traders/${trader.username}/positions/closed`)).body.positions
  expect(await list()).toMatchObject([{ closePrice: 110, settled: false }])

  const before = timesAsked('WKND')
  await sweep()
  clock.set(new Date('2026-03-09T13:29:59.000Z'))
  await sweep()
  expect(timesAsked('WKND'), 'nobody asks while the exchange is closed').toBe(before)

  clock.set(MONDAY)
  await sweep()
  expect(await positionOf(trader), 'there has been no trade yet').toMatchObject({ unsettled: true })
  trade('WKND', 92, '2026-03-09T13:30:31.000Z')
  await sweep()
  expect(timesAsked('WKND'), 'once a minute').toBe(before + 1)
  clock.advance(60_000)
  await sweep()
  expect(await positionOf(trader)).toEqual({
    unsettled: false,
    price: 92,
    gain: -8,
    settled_at: new Date('2026-03-09T13:30:31.000Z'),
    settled_by: 'trade',
  })
  const profile = await profileOf(trader)
  expect(profile).toMatchObject({
    closedPositions: 1,
    averageProfit: -8,
    latestPositions: [{ symbol: 'WKND', percentageGain: -8, closed: SUNDAY.toISOString() }],
    record: { closed: 1, average: -8, best: -8, worst: -8, median: -8 },
  })
  expect((profile.latestPositions as object[])[0]).not.toHaveProperty('settled')
  expect(await boardOf(trader)).toMatchObject([{ averageGain: '-8.00', closed: 1 }])
  expect((await list()) as object[]).not.toHaveProperty('[0].settled')
  expect(await recountStatistics(db), 'figures that a recount finds wrong').toBe(0)
})

test('a settlement is an event that nobody is mailed about; Activity shows it', async () => {
  const trader = await closeOnSunday('TELL')
  const item = async () =>
    (await call(testApp, trader, 'GET', '/v1/activity')).body.items as Record<string, unknown>[]
  expect((await item())[0]).toMatchObject({
    kind: 'closed',
    close: { price: 110, percentageGain: 10, settled: false, tradedAt: FRIDAYS_LAST.toISOString() },
  })
  clock.set(MONDAY)
  trade('TELL', 121, '2026-03-09T13:30:01.000Z')
  await sweep()
  expect(await kindsOf(trader)).toEqual(['opened', 'closed', 'settled'])
  const [settled, closed] = await item()
  expect(settled).toMatchObject({
    kind: 'settled',
    settlement: { price: 121, percentageGain: 21, by: 'trade' },
  })
  expect(settled).not.toHaveProperty('close')
  expect(closed).toMatchObject({ kind: 'closed', close: { price: 121, percentageGain: 21 } })
  await planAll(db, clock.now())
  const { rows } = await pool.query(
    `select event.kind, plan.audience_size from mail_plans plan join position_events event using (trader_id, event_no)
     where trader_id = $1 and plan.planned_at is not null order by event_no`,
    [trader.userId],
  )
  expect(rows.at(-1)).toEqual({ kind: 'settled', audience_size: 0 })
})

test('a trade of before the close, whenever it becomes known, settles nothing', async () => {
  const trader = await closeOnSunday('PAST')
  clock.set(MONDAY)
  trade('PAST', 150, SUNDAY)
  await sweep()
  expect(await positionOf(trader)).toMatchObject({ unsettled: true, price: 110 })
})

test('two workers at once ask once and settle once', async () => {
  const trader = await closeOnSunday('TWO')
  clock.set(MONDAY)
  trade('TWO', 120, '2026-03-09T13:30:01.000Z')
  const before = timesAsked('TWO')
  await Promise.all([sweep(), sweep(), sweep()])
  expect(timesAsked('TWO')).toBe(before + 1)
  expect(await kindsOf(trader)).toEqual(['opened', 'closed', 'settled'])
  expect(await recountStatistics(db)).toBe(0)
})

test('a worker that dies between its claim and the settlement leaves it to the next minute', async () => {
  const trader = await closeOnSunday('DIES')
  clock.set(MONDAY)
  trade('DIES', 120, '2026-03-09T13:30:01.000Z')
  const due = await listUnsettled(db, { askedBefore: clock.now(), limit: 100 })
  for (const each of due) expect(await claimUnsettled(db, each, clock.now())).toBe(true)
  clock.advance(59_999)
  await sweep()
  expect(await positionOf(trader)).toMatchObject({ unsettled: true })
  clock.advance(1)
  await sweep()
  expect(await positionOf(trader)).toMatchObject({ unsettled: false, price: 120 })
})

test('while the provider is away a close waits, and one that fails keeps none of the others', async () => {
  const [away, failing, fine] = [
    await closeOnSunday('AWAY'),
    await closeOnSunday('FAIL'),
    await closeOnSunday('FINE'),
  ]
  await pool.query(`create function refuse_settling() returns trigger language plpgsql as
    $$ begin if new.trader_id = '${failing.userId}' then raise exception 'no'; end if; return new; end $$`)
  await pool.query(`create trigger refuse_settling before update of settled_at on positions
    for each row execute function refuse_settling()`)
  clock.set(MONDAY)
  quotes.set('AWAY', (response) => response.writeHead(503).end())
  trade('FAIL', 120, '2026-03-09T13:30:01.000Z')
  trade('FINE', 120, '2026-03-09T13:30:01.000Z')
  await sweep()
  await pool.query('drop function refuse_settling cascade')
  expect(await positionOf(fine)).toMatchObject({ unsettled: false, price: 120 })
  expect(await positionOf(failing)).toMatchObject({ unsettled: true })
  expect(await kindsOf(failing)).toEqual(['opened', 'closed'])
  trade('AWAY', 90, '2026-03-09T13:31:00.000Z')
  clock.advance(60_000)
  await sweep()
  expect(await positionOf(failing)).toMatchObject({ unsettled: false, price: 120 })
  expect(await positionOf(away)).toMatchObject({ unsettled: false, price: 90 })
})

test('without an answer of the market a close is unsettled, also while it is open', async () => {
  const trader = await makeTrader(testApp)
  await open(testApp, quotes, trader, 'MUTE', 100)
  clock.set(new Date('2026-03-06T15:00:00.000Z'))
  trade('MUTE', 105, clock.now())
  const { body } = await call(testApp, trader, 'POST', '/v1/positions/preview', { symbol: 'MUTE' })
  clock.advance(6000)
  quotes.set('MUTE', (response) => response.writeHead(500).end())
  const payload = { symbol: 'MUTE', key: body.key, closeNotes: 'Out, whatever the price is.' }
  expect((await call(testApp, trader, 'POST', '/v1/positions/close', payload)).body.position).toMatchObject({
    closePrice: 105,
    settled: false,
  })
  clock.advance(60_000)
  trade('MUTE', 101, clock.now())
  await sweep()
  expect(await positionOf(trader)).toMatchObject({ unsettled: false, price: 101, settled_by: 'trade' })
})

test('after three session days the operator is notified of it once, after ten the last price counts and is marked so', async () => {
  const trader = await closeOnSunday('HALT')
  const noticesSent = async () =>
    (
      await pool.query(
        `select facts ->> 'subject' as subject from outbox where facts ->> 'subject' like 'HALT%'`,
      )
    ).rows
  for (const day of ['09', '10']) {
    clock.set(new Date(`2026-03-${day}T15:00:00.000Z`))
    await sweep()
  }
  expect(await noticesSent()).toEqual([])
  for (const at of ['11T15:00', '11T15:01', '12T15:00', '19T20:59']) {
    clock.set(new Date(`2026-03-${at}:00.000Z`))
    await sweep()
  }
  expect(await noticesSent()).toEqual([{ subject: 'HALT has not traded since a position was closed' }])
  expect(await positionOf(trader)).toMatchObject({ unsettled: true })
  clock.set(new Date('2026-03-20T13:30:00.000Z'))
  await sweep()
  expect(await positionOf(trader)).toEqual({
    unsettled: false,
    price: 110,
    gain: 10,
    settled_at: clock.now(),
    settled_by: 'last_price',
  })
})

test('a last price that is split while the market is asked settles in new shares', async () => {
  const trader = await closeOnSunday('LAST')
  clock.set(new Date('2026-03-20T13:30:00.000Z'))
  const { promise: asked, resolve: isAsked } = Promise.withResolvers<() => void>()
  quotes.set('LAST', (response) => isAsked(() => response.writeHead(500).end()))
  const sweeping = sweep()
  const answer = await asked
  await adjustForSplit(db, { symbol: 'LAST', ratio: '10:1', day: '2026-03-09' }, clock.now())
  answer()
  await sweeping
  expect(await positionOf(trader)).toMatchObject({
    unsettled: false,
    price: 11,
    gain: 10,
    settled_by: 'last_price',
  })
})

test('a delisting settles at what holders got', async () => {
  const trader = await closeOnSunday('GONE')
  clock.set(MONDAY)
  expect(await closeDelisted(db, { symbol: 'GONE', price: '30' }, clock.now())).toEqual({
    closed: 0,
    settled: 1,
    tooNew: 0,
  })
  expect(await positionOf(trader)).toMatchObject({
    unsettled: false,
    price: 30,
    gain: -70,
    settled_by: 'operator',
  })
  expect(await recountStatistics(db)).toBe(0)
})

test('a split over the weekend is no loss: both prices are counted in new shares, entered before the first trade or after it', async () => {
  const [early, late] = [await closeOnSunday('SPLT'), await closeOnSunday('SPLU')]
  clock.set(MONDAY)
  await adjustForSplit(db, { symbol: 'SPLT', ratio: '10:1', day: '2026-03-09' }, clock.now())
  expect(await positionOf(early)).toMatchObject({ unsettled: true, price: 11, gain: 10 })
  for (const symbol of ['SPLT', 'SPLU']) trade(symbol, 12.4, '2026-03-09T13:30:04.000Z')
  await sweep()
  expect(await positionOf(early)).toMatchObject({ unsettled: false, price: 12.4, gain: 24 })
  expect(await positionOf(late), 'a price of new shares looks wrong').toMatchObject({
    unsettled: true,
    price: 110,
  })
  await adjustForSplit(db, { symbol: 'SPLU', ratio: '10:1', day: '2026-03-09' }, clock.now())
  clock.advance(60_000)
  await sweep()
  expect(await positionOf(late)).toMatchObject({ unsettled: false, price: 12.4, gain: 24 })
  expect(await recountStatistics(db)).toBe(0)
})

test('a fresh close is settled from the start, and so is any under an override', async () => {
  const trader = await makeTrader(testApp)
  await open(testApp, quotes, trader, 'NOW', 100)
  clock.set(new Date('2026-03-06T15:00:00.000Z'))
  const { body } = await close(testApp, quotes, trader, 'NOW', 110)
  expect(body.position).not.toHaveProperty('settled')
  expect(await positionOf(trader)).toMatchObject({ unsettled: false, settled_at: null })

  await using forced = await buildTestApp({ now: THURSDAY, quotes, settings: { marketOverride: 'hours' } })
  const other = await makeTrader(forced)
  await open(forced, quotes, other, 'OLD', 100)
  forced.clock.set(SUNDAY)
  trade('OLD', 110, FRIDAYS_LAST)
  const preview = await call(forced, other, 'POST', '/v1/positions/preview', { symbol: 'OLD' })
  const payload = { symbol: 'OLD', key: preview.body.key, closeNotes: 'Out before the week begins.' }
  const answer = await call(forced, other, 'POST', '/v1/positions/close', payload)
  expect(answer.body.position).toMatchObject({ closePrice: 110, percentageGain: 10 })
  expect(answer.body.position).not.toHaveProperty('settled')
})
