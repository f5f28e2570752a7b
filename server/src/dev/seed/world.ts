import { addMonths, makeFollowings, type SeedFollowing } from './followings.ts'
import { makeNoteDeck } from './notes.ts'
import { makeRandom, type Random } from './random.ts'
import type { SeedMarket } from './seed-market.ts'
import { type Habit, makeTrades, type Trade } from './trades.ts'

export type WorldSize = { traders: number; subscribers: number; seed: number }

export type SeedPosition = Omit<Trade, 'close'> & {
  openNotes: string
  close: (NonNullable<Trade['close']> & { notes: string }) | null
}

/** `joinedAt` is before the first position, or the first following. */
type SeedTrader = {
  username: string
  email: string
  joinedAt: Date
  positions: SeedPosition[]
  terms: SeedTerms | null
}
/**
 * The offer of a trader who has one of their own: `dearer` asks more than those pay who follow already, who may agree, and sells a year too;
 * `trial` gives a week, `code` a discount to whoever types it.
 */
export type SeedTerms = 'dearer' | 'trial' | 'code'
type SeedSubscriber = {
  username: string | null
  email: string
  joinedAt: Date
  follows: SeedFollowing[]
}
export type World = { traders: SeedTrader[]; subscribers: SeedSubscriber[] }

/** In the order of `HABITS`: the first dozen have a character each, whatever the world's number. */
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
/** Four who are good at it, one who is bad at it, two who have just begun, and people in between. */
const HABITS: readonly Habit[] = [
  { edge: 2.9, days: 236 },
  { edge: 2.4, days: 212, halted: true },
  { edge: 3.2, days: 224 },
  { edge: 0.9, days: 190 },
  { edge: -0.5, days: 228 },
  { edge: -4.6, days: 231, overdue: true },
  { edge: 1.2, days: 190 },
  { edge: 1.4, days: 27, patient: true },
  { edge: -1.2, days: 22, patient: true },
  { edge: 0.3, days: 181 },
  { edge: 2.2, days: 217 },
  { edge: -1.1, days: 172 },
]
const STYLES = ['', 'trades', 'value', 'swing', 'macro', 'growth', '_fx', '-alpha', 'desk', 'capital']

const HALTED_NOTES = {
  open: 'The buyout pays 210 dollars in cash and should be through this quarter. Three percent for waiting.',
  close: 'The buyout is through and the stock is halted. Closed; the next trade makes the price.',
}

/**
 * A demo world: traders with months of plausible positions at the market's prices, and people who came to follow them and left again.
 * The same size, number, day and market give the same world.
 * @param now positions lie before it, inside market hours
 */
export function makeWorld(size: WorldSize, now: Date, market: SeedMarket): World {
  const random = makeRandom(size.seed)
  const traders = addNotes(
    Array.from({ length: size.traders }, (_, index) => makeTrader(random, index, now, market)),
  )
  const joined = traders.map(({ joinedAt }) => joinedAt)
  const subscribers = Array.from({ length: size.subscribers }, (_, index) => ({
    username: null,
    email: `follower${index}@people.example`,
    ...withJoining(makeFollowings(random, joined, now)),
  }))
  const best = bestTraders(traders)
  const others = traders.map((_, index) => index).filter((index) => !best.includes(index))
  const terms = new Map<number | undefined, SeedTerms>([
    [best[0], 'dearer'],
    [others[1], 'trial'],
    [others[2], 'code'],
  ])
  const termsOf = (index: number) => terms.get(index) ?? null
  // The first follower has a name that the README can give to a newcomer, and has chosen as a newcomer would.
  const fan = {
    username: 'fan',
    email: 'fan@people.example',
    ...withJoining(followBest(best, joined, now)),
  }
  return {
    traders: traders.map((one, index) => ({ ...one, terms: termsOf(index) })),
    subscribers: subscribers.map((one, index) => (index === 0 ? fan : one)),
  }
}

function withJoining(follows: SeedFollowing[]): Pick<SeedSubscriber, 'joinedAt' | 'follows'> {
  const first = Math.min(...follows.map(({ since }) => since.getTime()))
  return { joinedAt: new Date(first - 600_000), follows }
}

/** A mean of fewer closed positions is luck. */
const FEW_CLOSED = 10
/** How many months ago the first follower came to each of the traders. */
const FAN_CAME_MONTHS = [4, 2, 1]

/** @returns indexes of the traders with the highest average gain, those with few closed positions last */
function bestTraders(traders: readonly Pick<SeedTrader, 'positions'>[]): number[] {
  const records = traders.map(({ positions }, index) => {
    const gains = positions.flatMap(({ close, openPrice }) =>
      close && !close.unsettled ? [close.price / openPrice - 1] : [],
    )
    const mean = gains.reduce((sum, gain) => sum + gain, 0) / Math.max(gains.length, 1)
    return { index, mean, isKnown: gains.length >= FEW_CLOSED }
  })
  return records
    .toSorted((a, b) => Number(b.isKnown) - Number(a.isKnown) || b.mean - a.mean)
    .slice(0, FAN_CAME_MONTHS.length)
    .map(({ index }) => index)
}

function followBest(traders: number[], joined: readonly Date[], now: Date): SeedFollowing[] {
  return traders.map((trader, nth) => {
    const came = addMonths(now, -(FAN_CAME_MONTHS[nth] ?? 0))
    return { trader, since: new Date(Math.max(came.getTime(), joined[trader]?.getTime() ?? 0)), until: null }
  })
}

type Unexplained = Omit<SeedTrader, 'positions' | 'terms'> & { trades: Trade[] }

function makeTrader(random: Random, index: number, now: Date, market: SeedMarket): Unexplained {
  const first = FIRST_NAMES[index % FIRST_NAMES.length] ?? 'trader'
  const round = Math.floor(index / FIRST_NAMES.length)
  const style = round === 0 ? '' : (STYLES[round % STYLES.length] ?? '')
  const lap = round < STYLES.length ? '' : String(Math.floor(round / STYLES.length))
  const username = `${first}${style}${lap}`.slice(0, 15)
  const habit = HABITS[index] ?? { edge: 0.6 + 1.6 * random.normal(), days: random.between(60, 236) }
  const trades = makeTrades(random, habit, now, market)
  const opened = trades.map(({ openedAt }) => openedAt.getTime())
  return {
    username,
    email: `${username}@people.example`,
    joinedAt: new Date(Math.min(...opened, now.getTime()) - random.between(1, 20) * 3_600_000),
    trades,
  }
}

/** In the order of time over all traders, as a reader of their news meets the notes. */
function addNotes(traders: readonly Unexplained[]): Omit<SeedTrader, 'terms'>[] {
  const noteFor = makeNoteDeck()
  const told = traders.flatMap(({ trades }, trader) =>
    trades.flatMap((trade) => [
      { trader, trade, kind: 'open' as const, at: trade.openedAt },
      ...(trade.close ? [{ trader, trade, kind: 'close' as const, at: trade.close.at }] : []),
    ]),
  )
  const notes = new Map<Trade, { open: string; close: string }>()
  for (const { kind, trade, trader } of told.toSorted(
    (one, other) => one.at.getTime() - other.at.getTime(),
  )) {
    const { close, openPrice, symbol } = trade
    const known = notes.get(trade) ?? { open: '', close: '' }
    if (close?.unsettled) known[kind] = HALTED_NOTES[kind]
    else if (kind === 'open') known.open = noteFor(trader, { kind, symbol })
    else known.close = noteFor(trader, { kind, gained: (close?.price ?? 0) > openPrice })
    notes.set(trade, known)
  }
  return traders.map(({ trades, ...trader }) => ({
    ...trader,
    positions: trades.map((trade) => ({
      ...trade,
      openNotes: notes.get(trade)?.open ?? '',
      close: trade.close && { ...trade.close, notes: notes.get(trade)?.close ?? '' },
    })),
  }))
}
