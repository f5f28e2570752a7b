/**
 * People without skill who exploit prices and closes, each beside a twin in the same shares who does not: the difference between the
 * two is the gain of the exploit.
 */
import {
  type Draw,
  drawShare,
  drawVolatility,
  type MadeUpPosition,
  type MadeUpTrader,
  type Market,
  SESSIONS,
} from './trader-population.ts'

export const CHEATS = ['keys', 'results', 'hiders'] as const
export type Cheat = (typeof CHEATS)[number]
type Twins = { cheat: MadeUpTrader; twin: MadeUpTrader }
type Pair = { cheat: MadeUpPosition; twin: MadeUpPosition }

/** Of many live price keys the best, at both ends of a position (as a share of the price), where nothing is published. */
const KEYS_AT_OPENING = 0.003
const KEYS_AT_CLOSE = 0.0027
/** A position is opened, or closed, at the news of a minute ago, at the price of before. */
const NEWS_SHARE = 0.3
const NEWS_DEVIATION = 0.05
/** Sessions; in one night of them the results move the share, up or down. */
const RESULTS_HOLD = 10
const RESULTS_DEVIATION = 0.06

const DRAWN: Readonly<Record<Cheat, { count: number; draw(draw: Draw, market: Market): Pair }>> = {
  keys: { count: 200, draw: drawKeys },
  results: { count: 60, draw: drawResults },
  hiders: { count: 40, draw: drawHiders },
}

export function drawTwins(draw: Draw, market: Market, kind: Cheat): Twins {
  const { count, draw: drawPair } = DRAWN[kind]
  const pairs = Array.from({ length: count }, () => drawPair(draw, market))
  const trader = (positions: MadeUpPosition[]) => ({ kind, skill: 0, nextSkill: 0, positions })
  return { cheat: trader(pairs.map(({ cheat }) => cheat)), twin: trader(pairs.map(({ twin }) => twin)) }
}

function newsOf(draw: Draw): number {
  return draw.uniform() < NEWS_SHARE ? Math.abs(draw.normal(0, NEWS_DEVIATION)) : 0
}

/** From noon to noon of the next session. The twin pays and gets what the share costs. */
function drawKeys(draw: Draw, market: Market): Pair {
  const openedOn = 1 + Math.floor(draw.uniform() * (SESSIONS - 2))
  const { half, path } = drawShare(draw, market, openedOn, shareOf(draw))
  const rise = newsOf(draw)
  const fall = Math.min(0.9, newsOf(draw))
  const before = half(path.closes[0] ?? 0, openedOn + 1)
  const after = before * (1 - fall)
  path.closes.push(half(after, openedOn + 1))
  const position = { symbol: path.symbol, holdLength: 'less_than_one_week' as const, openedOn }
  const end = { on: openedOn + 1, how: 'noon' as const }
  return {
    cheat: {
      ...position,
      openPrice: 100 / (1 + Math.max(rise, KEYS_AT_OPENING)),
      end: { ...end, price: Math.max(before, after * (1 + KEYS_AT_CLOSE)) },
    },
    twin: { ...position, openPrice: 100, end: { ...end, price: after } },
  }
}

/** Opened before a company's results; the cheat closes in the evening of bad ones. The price is that of the next morning's first trade. */
function drawResults(draw: Draw, market: Market): Pair {
  const openedOn = Math.floor(draw.uniform() * (SESSIONS - RESULTS_HOLD))
  const resultsAfter = openedOn + 1 + Math.floor(draw.uniform() * (RESULTS_HOLD - 1))
  const { move, path } = drawShare(draw, market, openedOn, shareOf(draw))
  const overnight = draw.normal(0, RESULTS_DEVIATION)
  for (let day = openedOn + 1; day <= openedOn + RESULTS_HOLD; day += 1)
    path.closes.push(move(day, day === resultsAfter + 1 ? overnight : 0))
  const priceOn = (day: number) => path.closes[day - openedOn] ?? 0
  const position = {
    symbol: path.symbol,
    holdLength: 'one_to_three_weeks' as const,
    openedOn,
    openPrice: 100,
  }
  const end = openedOn + RESULTS_HOLD
  const twin: MadeUpPosition = { ...position, end: { on: end, price: priceOn(end), how: 'bell' } }
  if (overnight >= 0) return { cheat: twin, twin }
  const nextMorning = priceOn(resultsAfter) * (1 + overnight)
  return {
    cheat: { ...position, end: { on: resultsAfter, price: nextMorning, how: 'settled' } },
    twin,
  }
}

/** Declared without an end; the cheat closes what has won 3 % and keeps the rest, the twin keeps all. */
function drawHiders(draw: Draw, market: Market): Pair {
  const openedOn = Math.floor(draw.uniform() * (SESSIONS - 1))
  const { move, path } = drawShare(draw, market, openedOn, shareOf(draw))
  const position = {
    symbol: path.symbol,
    holdLength: 'more_than_six_months' as const,
    openedOn,
    openPrice: 100,
  }
  for (let day = openedOn + 1; day <= SESSIONS; day += 1) path.closes.push(move(day, 0))
  const won = path.closes.findIndex((price, nth) => nth > 0 && price >= 103)
  if (won < 0) return { cheat: position, twin: position }
  const end = { on: openedOn + won, price: path.closes[won] ?? 0, how: 'bell' as const }
  return { cheat: { ...position, end }, twin: position }
}

function shareOf(draw: Draw): { beta: number; volatility: number } {
  return { beta: draw.normal(1, 0.25), volatility: drawVolatility(draw) }
}
