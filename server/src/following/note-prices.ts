import { readWindows, type Span } from '../billing/entitlements/entitled-events.ts'
import type { Queryable } from '../platform/database/queryable.ts'
import { firstHeldIn } from './count-results.ts'
import { listFollowed } from './following.queries.ts'
import {
  type HeldPosition,
  insertFollowingPrices,
  listHeldAfter,
  listQuotes,
  type NewFollowingPrice,
} from './following-prices.queries.ts'

/** `at`: when it began; the trader's events after `afterEvent` are received. */
export type Beginning = { traderId: string; subscriberId: string; afterEvent: number; at: Date }

/**
 * Notes what each position that a trader holds cost when somebody began to follow them (rule G-110): the last trade that is known. No
 * provider is asked, since what is held is looked up in rounds (ADR 0087). A position that they have followed before keeps its first price. May
 * run twice.
 */
export async function notePrices(db: Queryable, beginning: Beginning): Promise<void> {
  const windows = await readWindowsOf(db, beginning)
  const isFirst = (position: HeldPosition) =>
    firstHeldIn(position, windows)?.from === beginning.afterEvent + 1
  const held = (await listHeldAfter(db, beginning)).filter(isFirst)
  const quotes = await listQuotes(db, [...new Set(held.map(({ symbol }) => symbol))])
  const prices = held.map((position) => priceOf(position, quotes.get(position.symbol), beginning.at))
  await insertFollowingPrices(db, beginning, prices)
}

/** Of the trader's events those that the follower was told of. */
async function readWindowsOf(db: Queryable, { subscriberId, traderId }: Beginning): Promise<Span[]> {
  const followed = await listFollowed(db, subscriberId)
  return followed
    .filter((one) => one.traderId === traderId)
    .flatMap(({ windows }) => readWindows(windows))
    .toSorted((one, other) => one.from - other.from)
}

/** A quote of before the opening is older than the opening price; one of after the close is no price at which it could be held. */
function priceOf(
  { closedAt, id, lost, openedAt, symbol }: HeldPosition,
  quote: { price: string; at: Date } | undefined,
  at: Date,
): NewFollowingPrice {
  const isOfHolding = quote && !lost && quote.at >= openedAt && (closedAt === null || quote.at <= closedAt)
  return isOfHolding
    ? { positionId: id, symbol, price: quote.price, at: quote.at }
    : { positionId: id, symbol, price: null, at }
}
