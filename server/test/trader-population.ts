/**
 * A made-up year of traders, of whom is known what their record cannot tell: whether they have skill. What a score makes of
 * them shows what it is worth (decision 0053). A draw depends on nothing but its seed.
 */
import type { DaySums } from '../src/proven/score.ts'

const TRADERS = 500
const SESSIONS = 252
const HOLDS = [4, 10, 40, 90]
const LONGEST = 90

/** Who they are, by share. All but the honest are cheaters: without skill, each with a way to look good. */
const KINDS = [
  { kind: 'honest', share: 0.68 },
  { kind: 'stops', share: 0.06 },
  { kind: 'hider', share: 0.06 },
  { kind: 'tiny winner', share: 0.05 },
  { kind: 'lottery', share: 0.05 },
  { kind: 'many accounts', share: 0.07 },
  { kind: 'leveraged', share: 0.03 },
] as const
export type Kind = (typeof KINDS)[number]['kind']

export type Simulated = {
  kind: Kind
  /** Percent of excess a position held as long as declared: true in this year, and in the next one. */
  skill: number
  nextSkill: number
  /** Of closed positions, in percent. */
  gains: number[]
  sums: DaySums
}

type Draw = { uniform(): number; normal(mean: number, deviation: number): number }

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

/** One year of one market. */
export function drawYear(draw: Draw): Simulated[] {
  const drift = draw.normal(0.02, 0.04)
  const market = Array.from({ length: SESSIONS }, () => (draw.normal(0.03, 1) + drift) / 100)
  return KINDS.flatMap(({ kind, share }, nth) =>
    Array.from({ length: Math.round(TRADERS * share) }, (_, at) =>
      drawTrader(draw, market, kind, `${nth}-${at}`),
    ),
  )
}

function drawTrader(draw: Draw, market: number[], kind: Kind, traderId: string): Simulated {
  const skilled = kind === 'honest' || kind === 'stops'
  const skill = skilled ? draw.normal(0, 1) : 0
  const nextSkill = skilled ? 0.8 * skill + draw.normal(0, 0.6) : 0
  const patient = kind === 'hider' || kind === 'tiny winner'
  const hold = patient ? LONGEST : (HOLDS[Math.floor(draw.uniform() * HOLDS.length)] ?? LONGEST)
  const count = kind === 'many accounts' ? 5 : countPositions(draw, patient)
  const begins = Math.floor(draw.uniform() * 120)
  const days = Array.from({ length: SESSIONS }, () => ({ excess: 0, positions: 0 }))
  const gains: number[] = []
  for (let nth = 0; nth < count; nth += 1) {
    const entry = begins + Math.floor(draw.uniform() * (SESSIONS - begins))
    const gain = holdPosition(draw, market, days, { kind, hold, entry, drift: skill / hold / 100 })
    if (gain !== null) gains.push(gain)
  }
  return { kind, skill, nextSkill, gains, sums: sumDays(traderId, days, market, hold) }
}

function countPositions(draw: Draw, patient: boolean): number {
  const drawn = Math.exp(patient ? draw.normal(3, 1) : draw.normal(2.2, 1.1))
  return Math.min(200, Math.max(1, Math.round(drawn)))
}

type Plan = { kind: Kind; hold: number; entry: number; drift: number }

/** Adds a position's days to those of its trader. @returns its gain in percent, null while it is open at the end of the year */
function holdPosition(
  draw: Draw,
  market: number[],
  days: { excess: number; positions: number }[],
  { kind, hold, entry, drift }: Plan,
): number | null {
  const beta = kind === 'leveraged' ? 2 : draw.normal(1, 0.25)
  const volatility = kind === 'lottery' ? 0.055 : Math.exp(draw.normal(Math.log(0.02), 0.35))
  let price = 1
  let index = 1
  const known: { day: number; excess: number }[] = []
  const count = () => {
    for (const { day, excess } of known) {
      const sums = days[day]
      if (!sums) continue
      sums.excess += excess
      sums.positions += 1
    }
  }
  // Bought at a close: the first day that counts is the next one.
  for (let day = entry + 1; day < market.length; day += 1) {
    const ofMarket = market[day] ?? 0
    const change = beta * ofMarket + drift + draw.normal(0, volatility) + jump(draw, kind)
    const profit = price * Math.max(-0.95, change)
    known.push({ day, excess: 100 * (profit - index * ofMarket) })
    price += profit
    index += index * ofMarket
    if (closes(kind, price - 1, day - entry, hold)) {
      count()
      return 100 * (price - 1)
    }
  }
  // Past its plan: everybody may know of it, though it is open.
  if (market.length - 1 - entry > hold) count()
  return null
}

function jump(draw: Draw, kind: Kind): number {
  if (kind === 'lottery') {
    if (draw.uniform() >= 0.01) return 0
    return draw.uniform() < 0.25 ? 0.5 : -0.1667
  }
  return draw.uniform() < 0.002 ? draw.normal(0, 0.1) : 0
}

/** @param gain as a share of the stake */
function closes(kind: Kind, gain: number, held: number, hold: number): boolean {
  if (kind === 'hider') return gain >= 0.03
  if (kind === 'tiny winner') return gain >= 0.005
  return held >= hold || (kind === 'stops' && gain <= -0.08)
}

function sumDays(
  traderId: string,
  days: readonly { excess: number; positions: number }[],
  market: readonly number[],
  meanHold: number,
): DaySums {
  const sums = {
    traderId,
    days: 0,
    excess: 0,
    excessSquares: 0,
    market: 0,
    marketSquares: 0,
    excessByMarket: 0,
    meanHold,
  }
  for (const [day, { excess: total, positions }] of days.entries()) {
    if (positions === 0) continue
    const excess = total / positions
    const ofMarket = 100 * (market[day] ?? 0)
    sums.days += 1
    sums.excess += excess
    sums.excessSquares += excess * excess
    sums.market += ofMarket
    sums.marketSquares += ofMarket * ofMarket
    sums.excessByMarket += excess * ofMarket
  }
  return sums
}
