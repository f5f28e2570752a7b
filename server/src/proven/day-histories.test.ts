import { expect, test } from 'vitest'
import { buildTestApp, type TestApp } from '../../test/build-test-app.ts'
import {
  closeActive,
  type GivenClose,
  insertCloses,
  insertPositions,
  insertTraders,
  letNightsRun,
  scoreAt,
  settleClosesOf,
  stopNightsAfter,
} from '../../test/prices/proven-scenario.ts'
import { makeDraw } from '../../test/prices/trader-population.ts'
import { adjustForSplit, closeDelisted } from '../positions/correct/adjust-positions.ts'

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
type Split = { symbol: string; day: string; shares: number; sentAfter: number }
type Market = {
  prices: Map<string, number>
  /** Closes that the provider did not answer in time, and when it does. */
  late: { answeredOn: number; filled: boolean; close: readonly [string, string, number] }[]
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
      sentAfter: nth + Math.floor(draw.uniform() * 4),
    })
  }
}

/** The provider's later answer about a day: the price of then, or, filled from its past, in the shares of today. */
function answerLate({ splits }: Market, late: Market['late'][number], today: string): GivenClose {
  const [symbol, day, price] = late.close
  if (!late.filled) return late.close
  const since = splits.filter((split) => split.symbol === symbol && split.day > day && split.day <= today)
  return [symbol, day, since.reduce((left, { shares }) => left / shares, price), today]
}

async function answerCloses(testApp: TestApp, market: Market, draw: Draw, nth: number): Promise<void> {
  const due = market.late
    .filter(({ answeredOn }) => answeredOn === nth)
    .map((late) => answerLate(market, late, DAYS[nth] ?? ''))
  for (const symbol of isWeekday(nth) ? ['SPY', ...SYMBOLS] : []) {
    if (symbol === 'GONE' && nth >= GONE_FROM) continue
    const close = [symbol, DAYS[nth] ?? '', round(market.prices.get(symbol) ?? 0)] as const
    const luck = draw.uniform()
    if (luck > (symbol === 'SPY' ? 0.1 : 0.2)) due.push(close)
    // Half of the missing closes are never answered.
    else if (luck > (symbol === 'SPY' ? 0.05 : 0.1))
      market.late.push({
        answeredOn: nth + 1 + Math.floor(draw.uniform() * 6),
        filled: draw.uniform() < 0.5,
        close,
      })
  }
  await insertCloses(testApp, due)
}

type Held = Map<string, { traderId: string; symbol: string; day: number }>
type Waiting = { traderId: string; symbol: string; tradedOn: number; answeredOn: number }[]

/** Unsettled closes get the price of a weekday's first trade, which becomes known then, of a Friday's sometimes a day later. */
async function settleDue(testApp: TestApp, market: Market, waiting: Waiting, nth: number): Promise<void> {
  for (const { symbol, answeredOn, tradedOn, traderId } of waiting) {
    if (answeredOn !== nth || (symbol === 'GONE' && nth >= GONE_FROM)) continue
    const tradedAt = `${DAYS[tradedOn]}T14:31:00Z`
    const price = round(market.prices.get(symbol) ?? 0)
    await settleClosesOf(testApp, { traderId, symbol, tradedAt, price })
  }
}

/** The first trade comes on the next days; a position that is closed last has none. */
function waitFrom(draw: Draw, nth: number): { tradedOn: number; answeredOn: number } {
  let tradedOn = nth + 1 + Math.floor(draw.uniform() * 3)
  while (!isWeekday(tradedOn)) tradedOn += 1
  return { tradedOn, answeredOn: isWeekday(tradedOn + 1) || draw.uniform() < 0.5 ? tradedOn : tradedOn + 1 }
}

/** People close on any day but that of the opening, after the bell half of them unsettled. */
async function close(
  testApp: TestApp,
  market: Market,
  draw: Draw,
  nth: number,
  held: Held,
  waiting: Waiting,
) {
  const day = DAYS[nth] ?? ''
  for (const [key, { traderId, symbol, day: opened }] of held) {
    if (opened === nth || draw.uniform() > 0.12) continue
    const time = draw.uniform() < 0.5 ? '15:00' : '21:30'
    const unsettled = time === '21:30' && draw.uniform() < 0.5
    const price = round(market.prices.get(symbol) ?? 0)
    await closeActive(testApp, { traderId, symbol, at: `${day}T${time}:00Z`, price, unsettled })
    if (unsettled) waiting.push({ traderId, symbol, ...waitFrom(draw, nth) })
    held.delete(key)
  }
}

/** On weekdays people open. */
async function open(testApp: TestApp, market: Market, draw: Draw, nth: number, ids: string[], held: Held) {
  if (!isWeekday(nth)) return
  const openedAt = `${DAYS[nth]}T15:00:00Z`
  const opened = ids.flatMap((traderId) => {
    const symbol = SYMBOLS[Math.floor(draw.uniform() * SYMBOLS.length)] ?? ''
    const key = `${traderId} ${symbol}`
    if (draw.uniform() > 0.3 || held.has(key) || (symbol === 'GONE' && nth >= GONE_FROM)) return []
    held.set(key, { traderId, symbol, day: nth })
    return [{ traderId, symbol, openedAt, openPrice: round(market.prices.get(symbol) ?? 0) }]
  })
  await insertPositions(testApp, opened)
}

async function operate(testApp: TestApp, market: Market, nth: number, held: Held): Promise<void> {
  const now = testApp.clock.now()
  for (const { sentAfter, symbol, shares, day } of market.splits)
    if (sentAfter === nth) await adjustForSplit(testApp.db, { symbol, ratio: `${shares}:1`, day }, now)
  if (nth !== GONE_FROM + 3) return
  await closeDelisted(testApp.db, { symbol: 'GONE', price: '3.50' }, now)
  for (const key of held.keys()) if (key.endsWith(' GONE')) held.delete(key)
}

/** Half of the nights that are not run to their end do not begin; others are stopped between two pages. @returns how many were */
async function stopANight(testApp: TestApp, draw: Draw, instant: Date): Promise<number> {
  if (draw.uniform() < 0.5) return 0
  await stopNightsAfter(testApp, Math.floor(draw.uniform() * 3))
  const night = await scoreAt(testApp, instant.toISOString()).catch((error: Error) => error.message)
  await letNightsRun(testApp)
  return night === 'killed' ? 1 : 0
}

type Row = {
  trader_id: string
  day: string
  positions: number
  day_return: string | null
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
  /** When it ended: closed, and settled. */
  closed: string | null
  /** The hour of it, UTC. */
  hour: number | null
  byOperator: boolean
  /** Ended, or open for longer than its plan of three weeks by a day. */
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

/** The last day up to another on which a close of the position is known since its opening. */
function lastKnownDay({ closeOf }: Known, { opened, symbol }: Position, day: string): string | undefined {
  return DAYS.findLast((one) => one >= opened && one <= day && closeOf.has(`${symbol} ${one}`))
}

/** The price of a share at the end of a day, in the shares in which its opening price is counted. */
function worth(known: Known, position: Position, day: string): number {
  const { closeOf, sharesOf, splits } = known
  const { symbol, closed, open_price } = position
  const last = lastKnownDay(known, position, day)
  if (last === undefined) return open_price
  const answeredOn = closeOf.get(`${symbol} ${last}`) ?? 0
  // First in the oldest shares, then in those of the position's end.
  const until = (end: string) => splits.filter((split) => split.symbol === symbol && split.day <= end)
  const oldest = until(sharesOf.get(`${symbol} ${last}`) ?? '').reduce(
    (price, { shares }) => price * shares,
    answeredOn,
  )
  return until(closed ?? '9').reduce((price, { shares }) => price / shares, oldest)
}

/** A position that ended after the bell, in winter at 21:00 UTC, belongs to the next day. */
function lastSessionOf({ closed, hour }: Position): string | null {
  if (closed === null || hour === null || hour < 21) return closed
  return new Date(Date.parse(closed) + DAY_MS).toISOString().slice(0, 10)
}

/** Of a session, in percent, between closes; null where the position does not count in it. */
function excessOf(known: Known, position: Position, before: string, session: string): number | null {
  const { closeOf, sessions } = known
  const last = lastSessionOf(position)
  const first = sessions.find((day) => day >= position.opened && closeOf.has(`${position.symbol} ${day}`))
  if (first === undefined || before < first || (last !== null && last <= before)) return null
  const isEnd = position.byOperator && last !== null && last <= session
  const index = (day: string) => closeOf.get(`SPY ${sessions.findLast((one) => one <= day)}`) ?? 0
  const indexOn = (day: string) => index(lastKnownDay(known, position, day) ?? '')
  const profit =
    (isEnd ? (position.close_price ?? 0) : worth(known, position, session)) - worth(known, position, before)
  const ofIndex = (isEnd ? index(session) : indexOn(session)) - indexOn(before)
  return 100 * (profit / worth(known, position, first) - ofIndex / index(first))
}

type Sums = { count: number; returns: number[]; shown: number[]; excesses: number[]; shownExcesses: number[] }
type Walked = Map<string, Sums>

const NOTHING: Sums = { count: 0, returns: [], shown: [], excesses: [], shownExcesses: [] }

/** A position's days once more, one after the other, in floats. */
function walkPosition(known: Known, position: Position, walked: Walked): void {
  const { opened, closed, open_price: stake, close_price } = position
  for (const [nth, session] of known.sessions.entries()) {
    const before = known.sessions[nth - 1]
    if (before === undefined || session < opened) continue
    const excess = excessOf(known, position, before, session)
    const isOver = closed !== null && closed <= before
    if (isOver && excess === null) continue
    const key = `${position.trader_id} ${session}`
    const sums = walked.get(key) ?? structuredClone(NOTHING)
    walked.set(key, sums)
    sums.count += 1
    if (excess !== null) sums.excesses.push(excess)
    if (excess !== null && position.shown) sums.shownExcesses.push(excess)
    if (isOver) continue
    const start = opened > before ? stake : worth(known, position, before)
    const end = closed !== null && closed <= session ? (close_price ?? 0) : worth(known, position, session)
    sums.returns.push(100 * (end / start - 1))
    if (position.shown) sums.shown.push(100 * (end / start - 1))
  }
}

async function walk(testApp: TestApp, splits: readonly Split[], end: string): Promise<Walked> {
  const { rows } = await testApp.pool.query<Position>(
    `select trader_id, symbol, to_char(opened_at at time zone 'UTC', 'YYYY-MM-DD') as opened,
       to_char(ended at time zone 'UTC', 'YYYY-MM-DD') as closed, extract(hour from ended at time zone 'UTC')::int as hour,
       closed_by_operator or coalesce(settled_by = 'operator', false) as "byOperator",
       open_price::float8, close_price::float8,
       ended is not null or opened_at <= $1::timestamptz - interval '22 days' as shown
     from positions, lateral (select case when not unsettled then coalesce(settled_at, closed_at) end as ended) position`,
    [end],
  )
  const known = await readKnown(testApp, splits)
  const walked: Walked = new Map()
  for (const position of rows) walkPosition(known, position, walked)
  return walked
}

test('after random histories with splits, a delisting, unsettled closes, late and missing closes, missed nights and nights that were stopped, the days are those that are computed at once', async () => {
  await using testApp = await buildTestApp({ now: new Date(FIRST) })
  const draw = makeDraw(SEED)
  const market: Market = { prices: new Map(), late: [], splits: [] }
  const ids = await insertTraders(testApp, HISTORIES)
  const held: Held = new Map()
  const waiting: Waiting = []
  let stopped = 0
  for (const [nth, day] of DAYS.entries()) {
    testApp.clock.set(new Date(`${day}T22:00:00Z`))
    if (isWeekday(nth)) movePrices(market, draw, nth)
    await settleDue(testApp, market, waiting, nth)
    await close(testApp, market, draw, nth, held, waiting)
    await open(testApp, market, draw, nth, ids, held)
    await answerCloses(testApp, market, draw, nth)
    await operate(testApp, market, nth, held)
    if (draw.uniform() < 0.8)
      await scoreAt(testApp, new Date(Date.parse(day) + DAY_MS + 4 * 3_600_000).toISOString())
    else stopped += await stopANight(testApp, draw, new Date(Date.parse(day) + DAY_MS + 4 * 3_600_000))
  }
  const end = new Date(FIRST + 7 * WEEKS * DAY_MS + 8 * 3_600_000).toISOString()
  await scoreAt(testApp, end)
  expect(stopped).toBeGreaterThan(2)
  const incremental = await readDays(testApp)
  await testApp.pool.query('truncate trader_days, trader_scores, score_runs, day_runs, day_steps')
  await scoreAt(testApp, end)
  expect(incremental).toEqual(await readDays(testApp))

  // Splits that the operator enters after the end have not happened yet.
  const entered = market.splits.filter(({ sentAfter }) => sentAfter < DAYS.length)
  const walked = await walk(testApp, entered, end)
  expect(entered.length).toBeGreaterThan(0)
  expect(incremental.length).toBe(walked.size)
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  for (const row of incremental) {
    const { count, returns, shown, excesses, shownExcesses } =
      walked.get(`${row.trader_id} ${row.day}`) ?? NOTHING
    expect(row.positions).toBe(count)
    if (returns.length === 0) expect(row.day_return).toBeNull()
    else expect(Number(row.day_return)).toBeCloseTo(mean(returns), 3)
    if (shown.length === 0) expect(row.shown_return).toBeNull()
    else expect(Number(row.shown_return)).toBeCloseTo(mean(shown), 3)
    if (shownExcesses.length === 0) expect(row.shown_excess).toBeNull()
    else expect(Number(row.shown_excess)).toBeCloseTo(mean(shownExcesses), 3)
    if (excesses.length === 0) expect(row.excess).toBeNull()
    else expect(Number(row.excess)).toBeCloseTo(mean(excesses), 3)
  }
})
