import { HOLD_LENGTHS, type HoldLength } from '@tradepost/contract/hold-length'
import { makeRandom, type Random } from './random.ts'
import type { SeedMarket } from './seed-market.ts'

export type WorldSize = { traders: number; subscribers: number; seed: number }

export type SeedPosition = {
  symbol: string
  holdLength: HoldLength
  openedAt: Date
  openNotes: string
  /** US dollars, as the market was. */
  openPrice: number
  close: { at: Date; notes: string; price: number } | null
}

type SeedTrader = { username: string; email: string; positions: SeedPosition[] }
/** `follows` are indexes of traders. */
type SeedSubscriber = { username: string | null; email: string; follows: number[] }
export type World = { traders: SeedTrader[]; subscribers: SeedSubscriber[] }

/** The symbols that the demo world trades; all are known to the sandbox's market. */
export const SYMBOLS = [
  'AAPL',
  'MSFT',
  'NVDA',
  'AMZN',
  'GOOGL',
  'META',
  'TSLA',
  'AMD',
  'NFLX',
  'JPM',
  'V',
  'COST',
  'KO',
  'DIS',
  'NKE',
  'INTC',
  'BA',
  'XOM',
  'PFE',
  'UBER',
]

const FIRST_NAMES = [
  'maria',
  'jonas',
  'amara',
  'kenji',
  'sofia',
  'liam',
  'priya',
  'mateo',
  'ines',
  'oskar',
  'leila',
  'hugo',
  'nadia',
  'tomas',
  'yuki',
  'elena',
  'samir',
  'freya',
  'diego',
  'anya',
]
const STYLES = ['', 'trades', 'value', 'swing', 'macro', 'growth', '_fx', '-alpha', 'desk', 'capital']
const OPEN_REASONS = [
  'Earnings beat with rising margins, and the guidance still looks careful to me.',
  'Broke out of a three-month base on twice the usual volume. Stop just under the base.',
  'Oversold after a downgrade that changes nothing about the next two years.',
  'Insiders bought last week for the first time since 2022. I follow them with a small position.',
  'Sector rotation: money moves out of hardware, and this is where it should arrive first.',
  'The product cycle starts in spring and the street has not put it into its numbers yet.',
  'Cheap against its own ten years by cash flow; the buyback pays me for waiting.',
  'Momentum is back above the 50-day line. Short hold, tight stop.',
]
const CLOSE_REASONS = [
  'Target reached. Taking the profit and waiting for a new base.',
  'The thesis played out faster than planned; the rest is hope.',
  'Closed below my stop. Small loss, no discussion.',
  'Guidance was weaker than I expected, so the reason for this trade is gone.',
  'Volume dries up at the old high. I would rather be early than sorry.',
  'Planned hold is over. On to the next one.',
]

const DAY_MS = 86_400_000
const HISTORY_DAYS = 240
/** Share of positions that a typical trader chooses well: people who lose keep quiet, even in a demo. */
const MEAN_SKILL = 0.25
/** Among so many symbols somebody who chooses well finds the best. */
const CHOICE = 3

/**
 * A demo world: traders with months of plausible positions at the market's prices, and people who follow them. The same size,
 * number, day and market give the same world.
 * @param now positions lie before it, inside market hours
 */
export function makeWorld(size: WorldSize, now: Date, market: SeedMarket): World {
  const random = makeRandom(size.seed)
  const traders = Array.from({ length: size.traders }, (_, index) => makeTrader(random, index, now, market))
  const subscribers = Array.from({ length: size.subscribers }, (_, index) =>
    makeSubscriber(random, index, size.traders),
  )
  // The first follower has a name that the README can give to a newcomer, and has chosen as a newcomer would.
  const fan = { username: 'fan', email: 'fan@people.example', follows: bestTraders(traders) }
  return { traders, subscribers: subscribers.map((one, index) => (index === 0 ? fan : one)) }
}

const FAN_FOLLOWS = 3
/** A mean of fewer closed positions is luck. */
const FEW_CLOSED = 5

/** @returns indexes of the traders with the highest average gain, those with few closed positions last */
function bestTraders(traders: readonly SeedTrader[]): number[] {
  const records = traders.map(({ positions }, index) => {
    const gains = positions.flatMap(({ close, openPrice }) => (close ? [close.price / openPrice - 1] : []))
    const mean = gains.reduce((sum, gain) => sum + gain, 0) / Math.max(gains.length, 1)
    return { index, mean, isKnown: gains.length >= FEW_CLOSED }
  })
  return records
    .toSorted((a, b) => Number(b.isKnown) - Number(a.isKnown) || b.mean - a.mean)
    .slice(0, FAN_FOLLOWS)
    .map(({ index }) => index)
}

function makeTrader(random: Random, index: number, now: Date, market: SeedMarket): SeedTrader {
  const first = FIRST_NAMES[index % FIRST_NAMES.length] ?? 'trader'
  const round = Math.floor(index / FIRST_NAMES.length)
  const style = round === 0 ? '' : (STYLES[round % STYLES.length] ?? '')
  const lap = round < STYLES.length ? '' : String(Math.floor(round / STYLES.length))
  const username = `${first}${style}${lap}`.slice(0, 15)
  // Skill differs from trader to trader, luck from trade to trade.
  const skill = MEAN_SKILL + random.normal() * 0.25
  return {
    username,
    email: `${username}@people.example`,
    positions: makePositions(random, skill, now, market),
  }
}

function makePositions(random: Random, skill: number, now: Date, market: SeedMarket): SeedPosition[] {
  const positions: SeedPosition[] = []
  const openSymbols = new Set<string>()
  let day = HISTORY_DAYS - random.between(0, 90)
  while (day > 1) {
    const holdDays = random.between(2, 45)
    const openedAt = marketInstant(random, now, day)
    const closedAt = marketInstant(random, now, day - holdDays)
    const closes = day - holdDays > 0 && closedAt.getTime() - openedAt.getTime() > DAY_MS
    const gainOf = (symbol: string) => market.priceAt(symbol, closedAt) / market.priceAt(symbol, openedAt)
    const symbol = chooseSymbol(random, skill, gainOf)
    if (!openSymbols.has(symbol) && (closes || openSymbols.size < 4)) {
      if (!closes) openSymbols.add(symbol)
      positions.push({
        symbol,
        holdLength: holdLengthFor(holdDays, closes, random),
        openedAt,
        openNotes: random.pick(OPEN_REASONS),
        openPrice: market.priceAt(symbol, openedAt),
        close: closes
          ? { at: closedAt, notes: random.pick(CLOSE_REASONS), price: market.priceAt(symbol, closedAt) }
          : null,
      })
    }
    day -= random.between(2, 14)
  }
  return positions
}

/** The best of a few, by their later gain, with the probability of the skill; the worst of them where the skill is below zero. */
function chooseSymbol(random: Random, skill: number, gainOf: (symbol: string) => number): string {
  const choice = Array.from({ length: CHOICE }, () => random.pick(SYMBOLS))
  const sorted = choice.toSorted((one, other) => gainOf(one) - gainOf(other))
  const chosen = random.next() < Math.abs(skill) ? sorted.at(skill > 0 ? -1 : 0) : choice[0]
  return chosen ?? random.pick(SYMBOLS)
}

function holdLengthFor(days: number, closes: boolean, random: Random): HoldLength {
  if (!closes) return random.pick(HOLD_LENGTHS)
  if (days < 7) return 'less_than_one_week'
  return days <= 21 ? 'one_to_three_weeks' : 'one_to_three_months'
}

/** An instant in market hours, `daysAgo` days back or on the next weekday before that. */
function marketInstant(random: Random, now: Date, daysAgo: number): Date {
  const at = new Date(Math.floor(now.getTime() / DAY_MS) * DAY_MS - Math.max(daysAgo, 1) * DAY_MS)
  while (at.getUTCDay() === 0 || at.getUTCDay() === 6) at.setTime(at.getTime() - DAY_MS)
  at.setUTCMinutes(14 * 60 + 30 + random.between(0, 389), random.between(0, 59), random.between(0, 999))
  return at
}

function makeSubscriber(random: Random, index: number, traders: number): SeedSubscriber {
  const follows = new Set<number>()
  const wanted = random.between(1, 3)
  while (follows.size < Math.min(wanted, traders)) {
    // A few traders have most of the followers, as everywhere.
    follows.add(Math.floor(traders * random.next() ** 2))
  }
  return { username: null, email: `follower${index}@people.example`, follows: [...follows] }
}
