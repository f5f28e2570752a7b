import { expect, test } from 'vitest'
import { buildTestApp, type TestApp } from '../../test/build-test-app.ts'
import {
  closeActive,
  type GivenClose,
  insertCloses,
  insertPositions,
  insertTraders,
  scoreAt,
} from '../../test/proven-scenario.ts'
import { makeDraw } from '../../test/trader-population.ts'
import { adjustForSplit, closeDelisted } from '../positions/adjust-positions.ts'

/** Of so many traders, all in one market; a thousand at full size. */
const HISTORIES = Number(process.env.DAY_HISTORIES ?? 120)
const SEED = Number(process.env.DAY_HISTORIES_SEED ?? 11)
const SYMBOLS = ['AAPL', 'KO', 'MSFT', 'NVDA', 'GONE']
const DAY_MS = 86_400_000
const FIRST = Date.parse('2026-01-05')
const WEEKS = 5
/** From Monday to Sunday, as `2026-01-05`. */
const DAYS = Array.from({ length: 7 * WEEKS }, (_, nth) =>
  new Date(FIRST + nth * DAY_MS).toISOString().slice(0, 10),
)
/** The provider gives the share up: no closes from then on. */
const GONE_FROM = 14

type Draw = ReturnType<typeof makeDraw>
type Split = { symbol: string; day: string; shares: number; saidAfter: number }
type Market = {
  prices: Map<string, number>
  /** Closes that the provider did not tell in time, and when it does. */
  late: { told: number; filled: boolean; close: readonly [string, string, number] }[]
  splits: Split[]
}

const round = (price: number) => Number(price.toFixed(2))
const isWeekday = (nth: number) => nth % 7 < 5

function movePrices(market: Market, draw: Draw, nth: number): void {
  for (const symbol of ['SPY', ...SYMBOLS]) {
    const before = market.prices.get(symbol) ?? 100
    market.prices.set(symbol, Math.max(5, before * (1 + draw.normal(0, 0.02))))
    const splits = (symbol === 'AAPL' && nth === 9) || draw.uniform() < 0.02
    if (symbol === 'SPY' || !splits) continue
    market.prices.set(symbol, before / 2)
    market.splits.push({
      symbol,
      day: DAYS[nth] ?? '',
      shares: 2,
      saidAfter: nth + Math.floor(draw.uniform() * 4),
    })
  }
}

/** What the provider says later of a day: the price of then, or, filled from its past, in the shares of today. */
function tellLate({ splits }: Market, late: Market['late'][number], today: string): GivenClose {
  const [symbol, day, price] = late.close
  if (!late.filled) return late.close
  const since = splits.filter((split) => split.symbol === symbol && split.day > day && split.day <= today)
  return [symbol, day, since.reduce((left, { shares }) => left / shares, price), today]
}

async function tellCloses(testApp: TestApp, market: Market, draw: Draw, nth: number): Promise<void> {
  const due = market.late
    .filter(({ told }) => told === nth)
    .map((late) => tellLate(market, late, DAYS[nth] ?? ''))
  for (const symbol of isWeekday(nth) ? ['SPY', ...SYMBOLS] : []) {
    if (symbol === 'GONE' && nth >= GONE_FROM) continue
    const close = [symbol, DAYS[nth] ?? '', round(market.prices.get(symbol) ?? 0)] as const
    const luck = draw.uniform()
    if (luck > (symbol === 'SPY' ? 0.1 : 0.2)) due.push(close)
    // Half of what is missing is never told.
    else if (luck > (symbol === 'SPY' ? 0.05 : 0.1))
      market.late.push({
        told: nth + 1 + Math.floor(draw.uniform() * 6),
        filled: draw.uniform() < 0.5,
        close,
      })
  }
  await insertCloses(testApp, due)
}

type Held = Map<string, { traderId: string; symbol: string; day: number }>

/** On weekdays people open; they close on any day but that of the opening. */
async function trade(testApp: TestApp, market: Market, draw: Draw, nth: number, ids: string[], held: Held) {
  const day = DAYS[nth] ?? ''
  for (const [key, { traderId, symbol, day: opened }] of held) {
    if (opened === nth || draw.uniform() > 0.12) continue
    const time = draw.uniform() < 0.5 ? '15:00' : '23:30'
    await closeActive(testApp, {
      traderId,
      symbol,
      at: `${day}T${time}:00Z`,
      price: round(market.prices.get(symbol) ?? 0),
    })
    held.delete(key)
  }
  if (!isWeekday(nth)) return
  const opened = ids.flatMap((traderId) => {
    const symbol = SYMBOLS[Math.floor(draw.uniform() * SYMBOLS.length)] ?? ''
    const key = `${traderId} ${symbol}`
    if (draw.uniform() > 0.3 || held.has(key) || (symbol === 'GONE' && nth >= GONE_FROM)) return []
    held.set(key, { traderId, symbol, day: nth })
    return [
      { traderId, symbol, openedAt: `${day}T15:00:00Z`, openPrice: round(market.prices.get(symbol) ?? 0) },
    ]
  })
  await insertPositions(testApp, opened)
}

async function operate(testApp: TestApp, market: Market, nth: number, held: Held): Promise<void> {
  const now = testApp.clock.now()
  for (const { saidAfter, symbol, shares, day } of market.splits)
    if (saidAfter === nth) await adjustForSplit(testApp.db, { symbol, ratio: `${shares}:1`, day }, now)
  if (nth !== GONE_FROM + 3) return
  await closeDelisted(testApp.db, { symbol: 'GONE', price: '3.50' }, now)
  for (const key of held.keys()) if (key.endsWith(' GONE')) held.delete(key)
}

type Row = {
  trader_id: string
  day: string
  positions: number
  day_return: string
  shown_return: string | null
  excess: string | null
  shown_excess: string | null
}

async function readDays(testApp: TestApp): Promise<Row[]> {
  const { rows } = await testApp.pool.query<Row>(
    'select trader_id, day::text, positions, day_return, shown_return, excess, shown_excess from trader_days order by trader_id, day',
  )
  return rows
}

type Position = {
  trader_id: string
  symbol: string
  opened: string
  closed: string | null
  /** Closed, or open for longer than its plan of three weeks by a day. */
  shown: boolean
  open_price: number
  close_price: number | null
}
type Known = {
  closeOf: Map<string, number>
  sharesOf: Map<string, string>
  sessions: string[]
  splits: readonly Split[]
}

async function readKnown(testApp: TestApp, splits: readonly Split[]): Promise<Known> {
  const { rows } = await testApp.pool.query<{
    symbol: string
    day: string
    close: string
    shares_of: string
  }>('select symbol, day::text, close, coalesce(shares_of, day)::text as shares_of from symbol_days')
  const closeOf = new Map(rows.map(({ symbol, day, close }) => [`${symbol} ${day}`, Number(close)]))
  const sharesOf = new Map(rows.map(({ symbol, day, shares_of }) => [`${symbol} ${day}`, shares_of]))
  return { closeOf, sharesOf, sessions: DAYS.filter((day) => closeOf.has(`SPY ${day}`)), splits }
}

/** What a share cost at the end of a day, in the shares in which its opening price is counted. */
function worth({ closeOf, sharesOf, splits }: Known, position: Position, day: string): number {
  const { symbol, opened, closed, open_price } = position
  const last = DAYS.findLast((one) => one >= opened && one <= day && closeOf.has(`${symbol} ${one}`))
  if (last === undefined) return open_price
  const told = closeOf.get(`${symbol} ${last}`) ?? 0
  // First in the oldest shares, then in those of the position's end.
  const until = (end: string) => splits.filter((split) => split.symbol === symbol && split.day <= end)
  const oldest = until(sharesOf.get(`${symbol} ${last}`) ?? '').reduce(
    (price, { shares }) => price * shares,
    told,
  )
  return until(closed ?? '9').reduce((price, { shares }) => price / shares, oldest)
}

type Walked = Map<string, { returns: number[]; shown: number[]; excesses: number[]; shownExcesses: number[] }>

const NOTHING = { returns: [], shown: [], excesses: [], shownExcesses: [] }

/** A position's days once more, one after the other, in floats. */
function walkPosition(known: Known, position: Position, walked: Walked): void {
  const { closeOf, sessions } = known
  const { opened, closed, open_price: stake, close_price } = position
  const stakeDay = sessions.findLast((day) => day <= opened)
  for (const [nth, session] of sessions.entries()) {
    const before = sessions[nth - 1]
    if (before === undefined || session < opened || (closed !== null && closed <= before)) continue
    const start = opened > before ? stake : worth(known, position, before)
    const end = closed !== null && closed <= session ? (close_price ?? 0) : worth(known, position, session)
    const key = `${position.trader_id} ${session}`
    const sums = walked.get(key) ?? { returns: [], shown: [], excesses: [], shownExcesses: [] }
    walked.set(key, sums)
    sums.returns.push(100 * (end / start - 1))
    if (position.shown) sums.shown.push(100 * (end / start - 1))
    // Opened before the first session: there is no index to be beside.
    if (stakeDay === undefined) continue
    const index = (day: string) => closeOf.get(`SPY ${day}`) ?? 0
    const ofIndex = opened > before ? 0 : (index(session) - index(before)) / index(stakeDay)
    const excess = 100 * ((end - start) / stake - ofIndex)
    sums.excesses.push(excess)
    if (position.shown) sums.shownExcesses.push(excess)
  }
}

async function walk(testApp: TestApp, splits: readonly Split[], end: string): Promise<Walked> {
  const { rows } = await testApp.pool.query<Position>(
    `select trader_id, symbol, to_char(opened_at at time zone 'UTC', 'YYYY-MM-DD') as opened,
       to_char(closed_at at time zone 'UTC', 'YYYY-MM-DD') as closed, open_price::float8, close_price::float8,
       closed_at is not null or opened_at <= $1::timestamptz - interval '22 days' as shown from positions`,
    [end],
  )
  const known = await readKnown(testApp, splits)
  const walked: Walked = new Map()
  for (const position of rows) walkPosition(known, position, walked)
  return walked
}

test('after random histories with splits, a delisting, late and missing closes and missed nights, the days are those that are computed at once', async () => {
  await using testApp = await buildTestApp({ now: new Date(FIRST) })
  const draw = makeDraw(SEED)
  const market: Market = { prices: new Map(), late: [], splits: [] }
  const ids = await insertTraders(testApp, HISTORIES)
  const held: Held = new Map()
  for (const [nth, day] of DAYS.entries()) {
    testApp.clock.set(new Date(`${day}T22:00:00Z`))
    if (isWeekday(nth)) movePrices(market, draw, nth)
    await trade(testApp, market, draw, nth, ids, held)
    await tellCloses(testApp, market, draw, nth)
    await operate(testApp, market, nth, held)
    if (draw.uniform() < 0.8)
      await scoreAt(testApp, new Date(Date.parse(day) + DAY_MS + 4 * 3_600_000).toISOString())
  }
  const end = new Date(FIRST + 7 * WEEKS * DAY_MS + 8 * 3_600_000).toISOString()
  await scoreAt(testApp, end)
  const incremental = await readDays(testApp)
  await testApp.pool.query('truncate trader_days, trader_scores, score_runs, day_runs')
  await scoreAt(testApp, end)
  expect(incremental).toEqual(await readDays(testApp))

  // What the operator says after the end has not happened yet.
  const said = market.splits.filter(({ saidAfter }) => saidAfter < DAYS.length)
  const walked = await walk(testApp, said, end)
  expect(said.length).toBeGreaterThan(0)
  expect(incremental.length).toBe(walked.size)
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  for (const row of incremental) {
    const { returns, shown, excesses, shownExcesses } = walked.get(`${row.trader_id} ${row.day}`) ?? NOTHING
    expect(row.positions).toBe(returns.length)
    expect(Number(row.day_return)).toBeCloseTo(mean(returns), 3)
    if (shown.length === 0) expect(row.shown_return).toBeNull()
    else expect(Number(row.shown_return)).toBeCloseTo(mean(shown), 3)
    if (shownExcesses.length === 0) expect(row.shown_excess).toBeNull()
    else expect(Number(row.shown_excess)).toBeCloseTo(mean(shownExcesses), 3)
    if (excesses.length === 0) expect(row.excess).toBeNull()
    else expect(Number(row.excess)).toBeCloseTo(mean(excesses), 3)
  }
})
