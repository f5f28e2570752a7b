import { randomUUID } from 'node:crypto'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { readActivity } from '../../../test/activity.ts'
import { buildTestApp, TEST_NOW } from '../../../test/build-test-app.ts'
import {
  call,
  close,
  makeTrader,
  NOTES,
  open,
  readTables,
  subscribe,
  type Trader,
} from '../../../test/factories.ts'
import { nextSignal, openFeed } from '../../../test/open-feed.ts'
import { startQuoteServer } from '../../../test/prices/quote-server.ts'
import { runOperator } from '../../../test/run-operator.ts'
import { makeEventMails } from '../../mail/event-mails/event-mails.ts'
import { listNewestOpen } from '../../mail/notices/started.queries.ts'
import { settle } from '../publish/settle-closes.ts'
import { recountStatistics } from '../record/recount-statistics.ts'
import { adjustForSplit } from './adjust-positions.ts'

const quotes = await startQuoteServer()
const testApp = await buildTestApp({ quotes, settings: { limitsOn: false } })
afterAll(async () => {
  await testApp.close()
  await quotes.close()
})
beforeEach(() => testApp.clock.set(TEST_NOW))

const { clock, db, pool } = testApp
const NEXT_DAY = new Date('2026-03-05T15:00:00.000Z')
const FRIDAYS_LAST = new Date('2026-03-06T20:59:58.000Z')
const SUNDAY = new Date('2026-03-08T22:00:00.000Z')
const MONDAY = new Date('2026-03-09T13:30:31.000Z')
const REASON = 'Nobody traded at that price.'
const STRUCK = { struck: true, struckReason: REASON }

const strike = (id: string, ...words: string[]) => runOperator(testApp, 'positions:strike', id, ...words)
const profileOf = async (trader: Trader) =>
  (await call(testApp, trader, 'GET', `/v1/accounts/profile?username=${trader.username}`)).body
const listOf = async (who: Trader) => (await call(testApp, who, 'GET', '/v1/positions')).body.positions

async function idOf(trader: Trader, symbol: string): Promise<string> {
  const { rows } = await pool.query('select id from positions where trader_id = $1 and symbol = $2', [
    trader.userId,
    symbol,
  ])
  return rows[0].id
}

/** The statistics of a trader. */
async function countsOf(trader: Trader) {
  const { rows } = await pool.query(
    `select open_count as open, closed_count as closed, unsettled_count as unsettled, gain_sum::float8 as gain, win_count as wins,
       kept_count as kept from trader_stats where trader_id = $1`,
    [trader.userId],
  )
  return rows[0]
}
const NOTHING = { open: 0, closed: 0, unsettled: 0, gain: 0, wins: 0, kept: 0 }

/** Opened at 100 on Wednesday, and closed so many minutes after the same time of the next day. */
async function trade(trader: Trader, symbol: string, price: number, minutes: number): Promise<void> {
  clock.set(TEST_NOW)
  expect((await open(testApp, quotes, trader, symbol, 100)).status).toBe(201)
  clock.set(new Date(NEXT_DAY.getTime() + minutes * 60_000))
  expect((await close(testApp, quotes, trader, symbol, price)).status).toBe(200)
}

/** On a Sunday, at the last price of Friday. */
async function closeOnSunday(trader: Trader, symbol: string, price: number) {
  clock.set(SUNDAY)
  quotes.set(symbol, { price, at: FRIDAYS_LAST })
  const preview = await call(testApp, trader, 'POST', '/v1/positions/preview', { symbol })
  const payload = { symbol, key: preview.body.key, closeNotes: NOTES }
  return call(testApp, trader, 'POST', '/v1/positions/close', payload)
}

test('a closed position that an operator strikes counts nowhere, stays in the lists as struck, and its followers are sent the reason', async () => {
  const [cheat, honest] = [await makeTrader(testApp), await makeTrader(testApp)]
  const [follower, stranger] = [await makeTrader(testApp), await makeTrader(testApp)]
  await subscribe(testApp, follower, cheat)
  await trade(cheat, 'GLCH', 150, 0)
  await trade(cheat, 'REAL', 110, 1)
  await trade(honest, 'GOOD', 120, 2)
  const board = async () => {
    const ranked = (await call(testApp, stranger, 'GET', '/v1/leaderboard')).body.leaderboard
    return (ranked as { username: string; averageGain: string }[]).map(
      ({ averageGain, username }) => `${username} ${averageGain}`,
    )
  }
  expect(await board()).toEqual([`${cheat.username} 30.00`, `${honest.username} 20.00`])
  expect(await profileOf(cheat)).toMatchObject({ closedPositions: 2, record: { best: 50, median: 30 } })
  expect(await recountStatistics(db)).toBe(0)

  const id = await idOf(cheat, 'GLCH')
  expect(await strike(id, ...REASON.split(' '))).toBe('Struck.\n')
  expect(await board()).toEqual([`${honest.username} 20.00`, `${cheat.username} 10.00`])
  expect(await countsOf(cheat)).toEqual({ open: 0, closed: 1, unsettled: 0, gain: 10, wins: 1, kept: 1 })
  expect(await recountStatistics(db)).toBe(0)
  const profile = await profileOf(cheat)
  expect(profile).toMatchObject({ closedPositions: 1, averageProfit: 10 })
  expect(profile.record).toMatchObject({ closed: 1, average: 10, median: 10, best: 10, worst: 10 })
  expect(profile.latestPositions).toMatchObject([
    { symbol: 'REAL', percentageGain: 10 },
    { symbol: 'GLCH', percentageGain: 50, ...STRUCK },
  ])
  const listed = await call(testApp, stranger, 'GET', `/v1/traders/${cheat.username}/positions/closed`)
  const [real, glitch] = listed.body.positions as object[]
  expect(glitch).toMatchObject({ symbol: 'GLCH', openPrice: 100, closePrice: 150, ...STRUCK })
  expect(real).not.toHaveProperty('struck')

  const [item] = (await readActivity(testApp, follower)).items
  expect(item).toMatchObject({ kind: 'adjusted', symbol: 'GLCH', strike: { reason: REASON } })
  const mails = makeEventMails({ db, settings: testApp.settings })
  const mail = await mails.of({ traderId: cheat.userId, eventNo: 5 })
  const written = String(
    mail?.sheet().to({ address: 'ada@example.com', unsubscribeToken: 'x' }).bytes('').toString(),
  )
  expect(written).toContain(`Subject: @${cheat.username}'s position in GLCH was struck`)
  expect(written).toContain(`Reason: ${REASON}`)
  const mailed = await pool.query(
    "select 1 from event_work where trader_id = $1 and event_no = 5 and reader = 'mail'",
    [cheat.userId],
  )
  expect(mailed.rowCount).toBe(1)
  const { rows } = await pool.query(
    'select reason, event_no, explained, open_price_after::float8 as price from position_adjustments where position_id = $1',
    [id],
  )
  expect(rows).toEqual([{ reason: 'struck', event_no: 5, explained: REASON, price: 100 }])
  expect(await runOperator(testApp, 'audit')).toMatch(new RegExp(`position_struck .*${id} by operator`))

  const before = await readTables(testApp)
  expect(await strike(id, 'Another', 'reason.')).toBe('Is struck already.\n')
  expect(await readTables(testApp)).toEqual(before)
})

test('an active position that is struck is listed as struck and closed at any hour, holds its ticker until then, and counts nowhere before or after', async () => {
  const trader = await makeTrader(testApp)
  const follower = await makeTrader(testApp)
  await subscribe(testApp, follower, trader)
  for (const symbol of ['ACTA', 'ACTB', 'ACTC']) {
    clock.advance(60_000)
    await open(testApp, quotes, trader, symbol, 100)
  }
  const feed = await openFeed(testApp, follower)
  await feed.next()
  expect(await listOf(follower)).toHaveLength(3)
  for (const symbol of ['ACTA', 'ACTB']) {
    expect(await strike(await idOf(trader, symbol), REASON)).toBe('Struck.\n')
    expect(await nextSignal(feed)).toMatchObject({
      type: 'adjusted',
      position: { stock: symbol, active: true, ...STRUCK },
    })
  }
  expect(await profileOf(trader)).toMatchObject({ openPositions: 1 })
  expect(await recountStatistics(db)).toBe(0)
  for (const who of [trader, follower]) {
    const [free, b, a] = (await listOf(who)) as object[]
    expect([b, a]).toMatchObject([
      { stock: 'ACTB', active: true, openPrice: 100, ...STRUCK },
      { stock: 'ACTA', ...STRUCK },
    ])
    expect(free).not.toHaveProperty('struck')
  }
  const mailed = await listNewestOpen(db, [trader.userId], 20)
  expect(mailed).toMatchObject([{ symbol: 'ACTC', total: 1 }])
  expect(await open(testApp, quotes, trader, 'ACTA', 100)).toMatchObject({ status: 409 })

  clock.set(NEXT_DAY)
  const closed = await close(testApp, quotes, trader, 'ACTA', 130)
  expect(closed).toMatchObject({ status: 200, body: { position: { percentageGain: 30, ...STRUCK } } })
  expect(await nextSignal(feed)).toMatchObject({ type: 'closed', position: { stock: 'ACTA', ...STRUCK } })
  const late = await closeOnSunday(trader, 'ACTB', 120)
  expect(late).toMatchObject({ status: 200, body: { position: { settled: false, ...STRUCK } } })
  expect(await countsOf(trader)).toEqual({ ...NOTHING, open: 1 })
  const key = { traderId: trader.userId, id: await idOf(trader, 'ACTB') }
  const first = { price: '90.000000', at: MONDAY, by: 'trade' as const }
  clock.set(new Date(MONDAY.getTime() + 60_000))
  expect(await settle(db, key, first, clock.now())).toBe(true)
  expect(await countsOf(trader)).toEqual({ ...NOTHING, open: 1 })
  expect(await recountStatistics(db)).toBe(0)
  feed.close()
})

test('an unsettled close that is struck gets its price and counts nowhere', async () => {
  const trader = await makeTrader(testApp)
  await open(testApp, quotes, trader, 'WAIT', 100)
  expect((await closeOnSunday(trader, 'WAIT', 110)).status).toBe(200)
  expect(await countsOf(trader)).toEqual({ ...NOTHING, closed: 1, unsettled: 1 })
  const id = await idOf(trader, 'WAIT')
  expect(await strike(id, REASON)).toBe('Struck.\n')
  expect(await countsOf(trader)).toEqual(NOTHING)
  expect(await recountStatistics(db)).toBe(0)
  const first = { price: '90.000000', at: MONDAY, by: 'trade' as const }
  clock.set(new Date(MONDAY.getTime() + 60_000))
  expect(await settle(db, { traderId: trader.userId, id }, first, clock.now())).toBe(true)
  expect(await countsOf(trader)).toEqual(NOTHING)
  expect(await recountStatistics(db)).toBe(0)
  expect((await profileOf(trader)).latestPositions).toMatchObject([{ percentageGain: -10, ...STRUCK }])
})

test('a split and a corrected price change a struck position, and nothing that is counted', async () => {
  const trader = await makeTrader(testApp)
  await trade(trader, 'TWOF', 150, 0)
  await trade(trader, 'KEEP', 110, 1)
  const id = await idOf(trader, 'TWOF')
  await strike(id, REASON)
  const counted = await countsOf(trader)
  const split = { symbol: 'TWOF', ratio: '2:1', day: '2026-03-05' }
  expect(await adjustForSplit(db, split, clock.now())).toBe(1)
  const corrected = await runOperator(testApp, 'positions:adjust', 'price', id, 'close', '100', REASON)
  expect(corrected).toBe('Adjusted.\n')
  expect(await countsOf(trader)).toEqual(counted)
  expect(await recountStatistics(db)).toBe(0)
  const { latestPositions } = await profileOf(trader)
  expect(latestPositions).toMatchObject([{ symbol: 'KEEP' }, { percentageGain: 100, ...STRUCK }])
})

test('a strike that cannot be meant is refused with the reason and changes nothing', async () => {
  const trader = await makeTrader(testApp)
  await open(testApp, quotes, trader, 'WHYS', 100)
  const id = await idOf(trader, 'WHYS')
  const before = await readTables(testApp)
  for (const [words, sentence] of [
    [[], 'That is not the id of a position.'],
    [['one', REASON], 'That is not the id of a position.'],
    [[randomUUID(), REASON], 'There is no such position.'],
    [[id], 'Say why, in at most 500 characters'],
    [[id, 'x'.repeat(501)], 'Say why, in at most 500 characters'],
  ] as const)
    await expect(runOperator(testApp, 'positions:strike', ...words)).rejects.toThrow(sentence)
  expect(await readTables(testApp)).toEqual(before)
})
