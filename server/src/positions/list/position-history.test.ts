import type { HistoryEntry } from '@tradepost/contract/position-history'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { buildTestApp, TEST_NOW } from '../../../test/build-test-app.ts'
import {
  call,
  close,
  makeTrader,
  moveSubscription,
  open,
  subscribe,
  type Trader,
} from '../../../test/factories.ts'
import { startQuoteServer } from '../../../test/prices/quote-server.ts'
import { runOperator } from '../../../test/run-operator.ts'
import { type SignedIn, signIn } from '../../../test/sign-in/sign-in.ts'
import { adjustForSplit, closeDelisted } from '../correct/adjust-positions.ts'
import { settle } from '../publish/settle-closes.ts'

const quotes = await startQuoteServer()
const testApp = await buildTestApp({ quotes, settings: { limitsOn: false } })
afterAll(async () => {
  await testApp.close()
  await quotes.close()
})
beforeEach(() => testApp.clock.set(TEST_NOW))

const { clock, db, pool } = testApp
const OPENED = TEST_NOW.toISOString()
const NEXT_DAY = new Date('2026-03-05T15:00:00.000Z')
const FRIDAYS_LAST = new Date('2026-03-06T20:59:58.000Z')
const SUNDAY = new Date('2026-03-08T22:00:00.000Z')
/** When the trade that settles was found. */
const KNOWN_AT = new Date('2026-03-09T14:31:30.000Z')
/** A command's clock runs on. */
const BY_COMMAND = expect.any(String)
const MONDAY = new Date('2026-03-09T13:31:00.000Z')

async function idOf(trader: Trader): Promise<string> {
  const { rows } = await pool.query('select id from positions where trader_id = $1', [trader.userId])
  return rows[0].id
}

const ask = (who: SignedIn | null, { username }: Trader, id: string) =>
  call(testApp, who, 'GET', `/v1/traders/${username}/positions/${id}/history`)

async function historyOf(trader: Trader): Promise<HistoryEntry[]> {
  const { status, body } = await ask(trader, trader, await idOf(trader))
  expect({ status, ...body }).toMatchObject({ status: 200 })
  return body.history as HistoryEntry[]
}

const correct = async (trader: Trader, end: 'open' | 'close', price: string, reason: string) =>
  expect(
    await runOperator(testApp, 'positions:adjust', 'price', await idOf(trader), end, price, reason),
  ).toBe('Adjusted.\n')

async function closeOnSunday(trader: Trader, symbol: string, price: number) {
  clock.set(SUNDAY)
  quotes.set(symbol, { price, at: FRIDAYS_LAST })
  const preview = await call(testApp, trader, 'POST', '/v1/positions/preview', { symbol })
  const payload = { symbol, key: preview.body.key, closeNotes: 'Out before the week begins.' }
  const { status, body } = await call(testApp, trader, 'POST', '/v1/positions/close', payload)
  expect({ status, ...body }).toMatchObject({ status: 200, position: { settled: false } })
}

test('the history of a position has the prices of their time, whatever was split and set right since', async () => {
  const trader = await makeTrader(testApp)
  await open(testApp, quotes, trader, 'HIST', 200)
  expect(await historyOf(trader)).toEqual([{ kind: 'opened', at: OPENED, price: 200 }])
  clock.set(NEXT_DAY)
  const at = NEXT_DAY.toISOString()
  await adjustForSplit(db, { symbol: 'HIST', ratio: '2:1', day: '2026-03-05' }, NEXT_DAY)
  const split = { kind: 'split', at, newShares: 2, oldShares: 1, priceBefore: 200, price: 100 }
  expect(await historyOf(trader)).toEqual([{ kind: 'opened', at: OPENED, price: 200 }, split])
  clock.set(new Date('2026-03-06T15:00:00.000Z'))
  await close(testApp, quotes, trader, 'HIST', 110)
  clock.set(new Date('2026-03-06T16:00:00.000Z'))
  await correct(trader, 'close', '11', 'Nobody traded at that price.')
  clock.set(new Date('2026-03-06T17:00:00.000Z'))
  await correct(trader, 'open', '10', 'Nor at that one.')
  clock.set(new Date('2026-03-06T18:00:00.000Z'))
  await correct(trader, 'close', '12', 'The first correction was wrong.')
  const corrected = (end: string, priceBefore: number, price: number, reason: string) => ({
    kind: 'corrected',
    at: BY_COMMAND,
    end,
    priceBefore,
    price,
    reason,
  })
  expect(await historyOf(trader)).toEqual([
    { kind: 'opened', at: OPENED, price: 200 },
    split,
    { kind: 'closed', at: '2026-03-06T15:00:00.000Z', by: 'trader', price: 110 },
    corrected('close', 110, 11, 'Nobody traded at that price.'),
    corrected('open', 100, 10, 'Nor at that one.'),
    corrected('close', 11, 12, 'The first correction was wrong.'),
  ])
})

test('an unsettled close shows the last price while that counts, then what settled it, and what was set right before and after', async () => {
  const trader = await makeTrader(testApp)
  await open(testApp, quotes, trader, 'WAIT', 100)
  await closeOnSunday(trader, 'WAIT', 110)
  const closed = {
    kind: 'closed',
    at: SUNDAY.toISOString(),
    by: 'trader',
    settled: false,
    tradedAt: FRIDAYS_LAST.toISOString(),
  }
  const opened = { kind: 'opened', at: OPENED, price: 100 }
  expect(await historyOf(trader)).toEqual([opened, { ...closed, price: 110 }])

  const trade = new Date('2026-03-09T13:30:31.000Z')
  clock.set(MONDAY)
  const key = { traderId: trader.userId, id: await idOf(trader) }
  await settle(db, key, { price: '92', at: trade, by: 'trade' }, KNOWN_AT)
  const settled = { kind: 'settled', at: trade.toISOString(), price: 92, by: 'trade' }
  expect(await historyOf(trader)).toEqual([opened, closed, settled])

  clock.set(new Date('2026-03-09T15:00:00.000Z'))
  await correct(trader, 'close', '95', 'The first trade was at 95.')
  const after = { end: 'close', priceBefore: 92, price: 95, reason: 'The first trade was at 95.' }
  expect(await historyOf(trader)).toEqual([
    opened,
    closed,
    settled,
    { kind: 'corrected', at: BY_COMMAND, ...after },
  ])
})

test('a last price that was set right before the settlement keeps its place, also before a trade that was found late', async () => {
  const trader = await makeTrader(testApp)
  await open(testApp, quotes, trader, 'LATE', 100)
  await closeOnSunday(trader, 'LATE', 110)
  clock.set(MONDAY)
  await correct(trader, 'close', '105', 'The last trade was at 105.')
  const key = { traderId: trader.userId, id: await idOf(trader) }
  const trade = new Date('2026-03-09T13:30:31.000Z')
  await settle(db, key, { price: '92', at: trade, by: 'trade' }, KNOWN_AT)
  expect(await historyOf(trader)).toMatchObject([
    { kind: 'opened' },
    { kind: 'closed', price: 110, settled: false },
    { kind: 'corrected', priceBefore: 110, price: 105 },
    { kind: 'settled', price: 92 },
  ])
})

test('a close and a settlement by the operator are marked so', async () => {
  const [holder, waiting] = [await makeTrader(testApp), await makeTrader(testApp)]
  for (const trader of [holder, waiting]) await open(testApp, quotes, trader, 'GONE', 100)
  await closeOnSunday(waiting, 'GONE', 110)
  await closeDelisted(db, { symbol: 'GONE', price: '12.50' }, MONDAY)
  const at = MONDAY.toISOString()
  expect((await historyOf(holder)).slice(1)).toEqual([{ kind: 'closed', at, by: 'operator', price: 12.5 }])
  expect((await historyOf(waiting)).slice(2)).toEqual([{ kind: 'settled', at, price: 12.5, by: 'operator' }])
})

test('a ticker that was renamed and a position that was struck are in the history', async () => {
  const trader = await makeTrader(testApp)
  await open(testApp, quotes, trader, 'OLDT', 100)
  clock.set(NEXT_DAY)
  await runOperator(testApp, 'symbols:rename', 'OLDT', 'NEWT', '2026-03-05')
  clock.advance(3_600_000)
  await runOperator(testApp, 'positions:strike', await idOf(trader), 'Nobody', 'could', 'trade', 'there.')
  expect((await historyOf(trader)).slice(1)).toEqual([
    { kind: 'renamed', at: BY_COMMAND, symbolBefore: 'OLDT', symbolAfter: 'NEWT' },
    { kind: 'struck', at: BY_COMMAND, reason: 'Nobody could trade there.' },
  ])
})

test('the history of an open position is for its trader and those who follow now, that of a closed one for everybody', async () => {
  const [trader, other] = [await makeTrader(testApp), await makeTrader(testApp)]
  const [follower, former, stranger] = [await signIn(testApp), await signIn(testApp), await signIn(testApp)]
  await subscribe(testApp, follower, trader)
  const ended = await subscribe(testApp, former, trader)
  await open(testApp, quotes, trader, 'SEEN', 100)
  await moveSubscription(testApp, trader, ended, 'canceled')
  const id = await idOf(trader)
  const statuses = async () => {
    const people = [trader, follower, former, stranger, other]
    return (await Promise.all(people.map((who) => ask(who, trader, id)))).map(({ status }) => status)
  }
  expect(await statuses()).toEqual([200, 200, 404, 404, 404])
  expect((await ask(stranger, trader, id)).body).toMatchObject({ code: 'not_found', message: 'Not found.' })
  expect(await ask(null, trader, id), 'a visitor').toMatchObject({ status: 401 })
  expect(await ask(trader, other, id), 'of another trader').toMatchObject({ status: 404 })
  expect(await ask(trader, trader, '019aa1c2-1f0a-7d52-b6c1-0e7f3a9b4c21')).toMatchObject({ status: 404 })
  expect(await ask(trader, trader, 'none')).toMatchObject({ status: 400, body: { code: 'bad_request' } })
  expect(await ask(trader, { ...trader, username: 'nobody-here' }, id)).toMatchObject({
    status: 404,
    body: { code: 'user_not_found' },
  })
  clock.set(NEXT_DAY)
  await close(testApp, quotes, trader, 'SEEN', 110)
  expect(await statuses()).toEqual([200, 200, 200, 200, 200])
})
