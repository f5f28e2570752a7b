/**
 * An operator takes back all that was recorded of a glitch (rule G-47 and ADR 0078). Every position is set right in a transaction of its
 * own; a run that was cut off is run again.
 */
import { symbolSpellings } from '@tradepost/contract/symbol'
import type { SecretKey } from '../../auth/keys/secret-key.ts'
import { withPublishing } from '../../events/publish-event.ts'
import { raiseDays } from '../../platform/cache/read-versions.queries.ts'
import { checkReason } from '../../platform/check-reason.ts'
import { notifyOfMarks } from '../../platform/database/notify.ts'
import { type Queryable, withTransaction } from '../../platform/database/queryable.ts'
import { newId } from '../../platform/ids.ts'
import { isSuspect } from '../../quotes/prices/suspect-price.ts'
import { askTwice, type PriceProvider } from '../../quotes/provider/provider.ts'
import type { PositionKey } from '../record/adjustments.queries.ts'
import { readSymbol } from './adjust-positions.ts'
import { correctEnd } from './correct-price.ts'
import {
  findCloseAfter,
  findRetraction,
  forgetWithin,
  insertRetraction,
  isSplitSince,
  listWithin,
  lockEndsWithin,
  type Retraction,
  type Span,
} from './retract-prices.queries.ts'

type Deps = { db: Queryable; secret: SecretKey; provider: Pick<PriceProvider, 'quote'> }

/** `id`: of the retraction. The counts are those of one run: a second one finds nothing. */
export type Retracted = { id: string; prices: number; positions: number; traders: number }

const DAY_MS = 86_400_000
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?Z$/
const PAGE = 500
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000'

/**
 * Sets every price right that was recorded of a symbol within a span of time, at the first one that is known after it, and drops what else
 * the span left. Followers are mailed by `mailRetraction`, once the last position is right, and not of each event.
 * @param given.from instant in UTC, as `2026-11-18T14:02:00Z`; `given.to` is at most a day later, and over
 * @throws when something of it cannot be meant or no price is known yet, with a sentence; nothing has changed then
 */
export async function retractPrices(
  deps: Deps,
  given: { symbol: string; from: string; to: string; reason: string },
  now: Date,
): Promise<Retracted> {
  const span = readSpan(given, now)
  const reason = checkReason(given.reason)
  if (await isSplitSince(deps.db, span))
    fail(
      `${span.symbol} was split since, so that prices of now are in other shares. Set each right: \`positions:adjust price\`.`,
    )
  const retraction = await beginRetraction(deps, span, reason, now)
  const counts = { id: retraction.id, prices: 0, positions: 0, traders: 0 }
  let lastTrader = BEFORE_ALL
  for await (const key of listAllWithin(deps.db, span)) {
    const prices = await takeBack(deps, key, retraction, now)
    if (prices === 0) continue
    counts.prices += prices
    counts.positions += 1
    if (key.traderId !== lastTrader) counts.traders += 1
    lastTrader = key.traderId
  }
  return counts
}

/** One trader's positions after the other's. */
async function* listAllWithin(db: Queryable, span: Span): AsyncGenerator<PositionKey> {
  let after: PositionKey | undefined = { traderId: BEFORE_ALL, id: BEFORE_ALL }
  while (after) {
    const page: PositionKey[] = await listWithin(db, span, { after, limit: PAGE })
    yield* page
    after = page.at(-1)
  }
}

function readSpan({ symbol, ...given }: { symbol: string; from: string; to: string }, now: Date): Span {
  const span = { symbol: readSymbol(symbol), from: readInstant(given.from), to: readInstant(given.to) }
  const lasts = span.to.getTime() - span.from.getTime()
  if (lasts < 0) fail('The second instant is before the first one.')
  if (span.to > now) fail('The second instant is not over yet.')
  if (lasts > DAY_MS) fail('That is longer than a day. Say it in parts.')
  return span
}

function readInstant(given: string): Date {
  const instant = new Date(given)
  // A day that no month has is read as one of the next.
  if (
    !INSTANT.test(given) ||
    !(instant.getTime() > 0) ||
    !instant.toISOString().startsWith(given.slice(0, 10))
  )
    fail('That is not an instant such as 2026-11-18T14:02:00Z.')
  return instant
}

/** A retraction that a run before has begun keeps its price and its reason. */
async function beginRetraction(deps: Deps, span: Span, reason: string, now: Date): Promise<Retraction> {
  const known = await findRetraction(deps.db, span)
  const price = known?.price ?? (await findReplacement(deps, span))
  const retraction = await withTransaction(deps.db, async (tx) => {
    await insertRetraction(tx, { ...span, id: newId(), price, reason }, now)
    if (await forgetWithin(tx, span, now)) await raiseDays(tx)
    return findRetraction(tx, span)
  })
  if (!retraction) throw new Error('a retraction that was stored is gone')
  for (const spelling of symbolSpellings(span.symbol)) await notifyOfMarks(deps.db, spelling)
  return retraction
}

/**
 * The first price that is known after the span: the close of the first session that became known since, or the provider's price of now. The
 * last known price is not used, since it may be of the glitch.
 * @returns decimal text
 */
async function findReplacement({ db, provider }: Deps, span: Span): Promise<string> {
  const close = await findCloseAfter(db, span)
  if (close !== null) return close
  const quote = await askTwice((signal) => provider.quote(span.symbol, signal)).catch(() => null)
  const isKnown =
    quote !== null && quote !== 'unknown symbol' && quote.at > span.to && !isSuspect(quote, null)
  return isKnown
    ? quote.price
    : fail(`No price of after that is known. Run it again once ${span.symbol} has traded.`)
}

/** @returns how many prices of a position were set right; prices that its trader has changed meanwhile are looked at again */
function takeBack(deps: Deps, key: PositionKey, retraction: Retraction, now: Date): Promise<number> {
  const { id: retractionId, price, reason } = retraction
  return withPublishing(deps.db, key.traderId, async (tx) => {
    const within = await lockEndsWithin(tx, key, retraction)
    let prices = 0
    for (const end of ['open', 'close'] as const) {
      if (within[end] && (await correctEnd(deps, tx, key, { end, price, reason, retractionId }, now)))
        prices += 1
    }
    return prices
  })
}

/** @param mailed how many people are mailed who were not before. @returns a sentence with the counts of a run */
export function notifyRetracted({ positions, prices, traders }: Retracted, mailed: number): string {
  if (prices === 0 && mailed === 0) return 'No price of a position was left to take back, and nobody to mail.'
  const [ofPrices, ofPositions] = [counted(prices, 'price'), counted(positions, 'position')]
  return `Took back ${ofPrices} of ${ofPositions} of ${counted(traders, 'trader')}; mailed: ${counted(mailed, 'person', 'people')}.`
}

function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}

function fail(message: string): never {
  throw new Error(message)
}
