/**
 * A made-up year of traders, of whom is known what their record cannot show: whether they have skill, and how they cheat. It makes
 * positions and prices; the product counts them (ADR 0053). A draw depends on nothing but its seed.
 */
import type { HoldLength } from '@tradepost/contract/hold-length'

/** The year's sessions are 1 to 252; 0 is the one before, whose close the first one is counted from. */
export const SESSIONS = 252
const TRADERS = 500
const LONGEST = 90
const HOLDS: readonly { sessions: number; length: HoldLength }[] = [
  { sessions: 4, length: 'less_than_one_week' },
  { sessions: 10, length: 'one_to_three_weeks' },
  { sessions: 40, length: 'one_to_three_months' },
  { sessions: LONGEST, length: 'three_to_six_months' },
]

/** The kinds of traders, by share. All but the honest are cheaters: without skill, each with a way to look good. */
const KINDS = [
  { kind: 'honest', share: 0.68 },
  { kind: 'stops', share: 0.06 },
  { kind: 'hider', share: 0.06 },
  { kind: 'tiny winner', share: 0.05 },
  { kind: 'lottery', share: 0.05 },
  { kind: 'many accounts', share: 0.07 },
  { kind: 'leveraged', share: 0.03 },
] as const
type Kind = (typeof KINDS)[number]['kind']

/** `end`: none while it is open at the end of the year. */
export type MadeUpPosition = {
  symbol: string
  holdLength: HoldLength
  /** A number of a session. */
  openedOn: number
  openPrice: number
  end?: { on: number; price: number; how: End }
}
/** At noon, just before the bell, or after it at a price that is that of the first trade of the session after. */
export type End = 'noon' | 'bell' | 'settled'

export type MadeUpTrader = {
  kind: string
  /** Percent of excess a position held as long as declared: true in this year, and in the next one. */
  skill: number
  nextSkill: number
  positions: MadeUpPosition[]
}

/** A share that one position is in, or two of people who differ in nothing but what they make of it. */
export type Path = { symbol: string; from: number; closes: number[] }

/** One market: the index's returns by session, as a share, and the shares in it. */
export type Market = { returns: number[]; paths: Path[] }

export type Draw = { uniform(): number; normal(mean: number, deviation: number): number }

/** Numbers of a seed (mulberry32), and normal ones by Box and Muller. */
export function makeDraw(seed: number): Draw {
  let state = seed >>> 0
  const uniform = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const normal = (mean: number, deviation: number) =>
    mean + deviation * Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform())
  return { uniform, normal }
}

export function drawMarket(draw: Draw): Market {
  const drift = draw.normal(0.02, 0.04)
  const returns = Array.from({ length: SESSIONS + 1 }, () => (draw.normal(0.03, 1) + drift) / 100)
  return { returns, paths: [] }
}

/** The year's five hundred. */
export function drawPopulation(draw: Draw, market: Market): MadeUpTrader[] {
  return KINDS.flatMap(({ kind, share }) =>
    Array.from({ length: Math.round(TRADERS * share) }, () => drawTrader(draw, market, kind)),
  )
}

function drawTrader(draw: Draw, market: Market, kind: Kind): MadeUpTrader {
  const skilled = kind === 'honest' || kind === 'stops'
  const skill = skilled ? draw.normal(0, 1) : 0
  const nextSkill = skilled ? 0.8 * skill + draw.normal(0, 0.6) : 0
  const patient = kind === 'hider' || kind === 'tiny winner'
  const drawn = HOLDS[patient ? HOLDS.length - 1 : Math.floor(draw.uniform() * HOLDS.length)]
  const hold = drawn ?? { sessions: LONGEST, length: 'three_to_six_months' }
  const count = kind === 'many accounts' ? 5 : countPositions(draw, patient)
  const begins = Math.floor(draw.uniform() * 120)
  const positions = Array.from({ length: count }, () => {
    const openedOn = begins + Math.floor(draw.uniform() * (SESSIONS - begins))
    return holdPosition(draw, market, { kind, hold, openedOn, drift: skill / hold.sessions / 100 })
  })
  return { kind, skill, nextSkill, positions }
}

function countPositions(draw: Draw, patient: boolean): number {
  const drawn = Math.exp(patient ? draw.normal(3, 1) : draw.normal(2.2, 1.1))
  return Math.min(200, Math.max(1, Math.round(drawn)))
}

const OPENED_AT = 100

type Plan = {
  kind: Kind
  hold: { sessions: number; length: HoldLength }
  openedOn: number
  drift: number
}

function holdPosition(draw: Draw, market: Market, { drift, hold, kind, openedOn }: Plan): MadeUpPosition {
  const share = drawShare(draw, market, openedOn, {
    beta: kind === 'leveraged' ? 2 : draw.normal(1, 0.25),
    volatility: kind === 'lottery' ? 0.055 : drawVolatility(draw),
  })
  const { closes, symbol } = share.path
  const position = { symbol, holdLength: hold.length, openedOn, openPrice: OPENED_AT }
  for (let day = openedOn + 1; day <= SESSIONS; day += 1) {
    const price = share.move(day, drift + jump(draw, kind))
    closes.push(price)
    if (closesAt(kind, price / OPENED_AT - 1, day - openedOn, hold.sessions))
      return { ...position, end: { on: day, price, how: 'bell' } }
  }
  return position
}

export function drawVolatility(draw: Draw): number {
  return Math.exp(draw.normal(Math.log(0.02), 0.35))
}

/** A share that costs 100 at noon of a session, and its close of that session; `move` draws the next one, over a drift of that day. */
export function drawShare(
  draw: Draw,
  market: Market,
  from: number,
  { beta, volatility }: { beta: number; volatility: number },
): { path: Path; half(before: number, day: number): number; move(day: number, drift: number): number } {
  const returnOf = (day: number) => beta * (market.returns[day] ?? 0)
  const half = (before: number, day: number) =>
    before * (1 + Math.max(-0.95, returnOf(day) / 2 + draw.normal(0, volatility * Math.SQRT1_2)))
  const path = { symbol: `S${market.paths.length}`, from, closes: [half(OPENED_AT, from)] }
  market.paths.push(path)
  const move = (day: number, drift: number) =>
    (path.closes.at(-1) ?? OPENED_AT) *
    (1 + Math.max(-0.95, returnOf(day) + drift + draw.normal(0, volatility)))
  return { path, half, move }
}

function jump(draw: Draw, kind: Kind): number {
  if (kind === 'lottery') {
    if (draw.uniform() >= 0.01) return 0
    return draw.uniform() < 0.25 ? 0.5 : -0.1667
  }
  return draw.uniform() < 0.002 ? draw.normal(0, 0.1) : 0
}

/** @param gain as a share of the stake */
function closesAt(kind: Kind, gain: number, held: number, hold: number): boolean {
  if (kind === 'hider') return gain >= 0.03
  if (kind === 'tiny winner') return gain >= 0.005
  return held >= hold || (kind === 'stops' && gain <= -0.08)
}
