/**
 * The operator's commands for a share that is not what it was: the record is about what traders achieved, and a split or the end of a stock
 * is no achievement and no loss of theirs (rule G-47). Every position is changed in a transaction of its own; a run that was cut off is run
 * again.
 */
import { percentageGain } from '@tradepost/contract/gain'
import { checkSymbol, normaliseSymbol, symbolSpellings } from '@tradepost/contract/symbol'
import { isLaterDay } from '@tradepost/contract/trading-day'
import { publishEvent, withPublishing } from '../../events/publish-event.ts'
import { raiseDays } from '../../platform/cache/read-versions.queries.ts'
import { type Queryable, withTransaction } from '../../platform/database/queryable.ts'
import { recordClose } from '../publish/close-position.ts'
import { settle } from '../publish/settle-closes.ts'
import {
  insertAdjustment,
  insertSplit,
  linkSplit,
  listHolders,
  listOpenAt,
  listUnsettledIn,
  lockForSplit,
  type PositionKey,
  updatePrices,
} from '../record/adjustments.queries.ts'
import { lockActivePosition } from '../record/positions.queries.ts'
import { endKeysOf } from '../record/rename-symbol.queries.ts'
import { correctGain } from '../record/stats.queries.ts'

const DAY = /^\d{4}-\d{2}-\d{2}$/
const RATIO = /^([1-9]\d{0,4}):([1-9]\d{0,4})$/
const PRICE = /^\d{1,9}(\.\d{1,6})?$/

/**
 * Counts the opening prices of a split stock in its new shares, and the gains of positions that were closed since. Followers
 * are mailed about each.
 * @param split.ratio new shares for old ones, as `10:1`
 * @param split.day first day (UTC) on which it traded at the new price, as `2026-11-18`
 * @returns how many positions were changed; positions that the same split has changed before are left alone
 * @throws when something of it cannot be meant
 */
export async function adjustForSplit(
  db: Queryable,
  split: { symbol: string; ratio: string; day: string },
  now: Date,
): Promise<number> {
  const symbol = readSymbol(split.symbol)
  const [, newShares, oldShares] = RATIO.exec(split.ratio) ?? fail('That is not a ratio such as 10:1.')
  const instant = new Date(`${split.day}T00:00:00.000Z`)
  if (!DAY.test(split.day) || !(instant <= now)) fail('That is not a day such as 2026-11-18, up to today.')
  const ratio = { newShares: Number(newShares), oldShares: Number(oldShares) }
  let adjusted = 0
  for (const spelling of spellingsOf(symbol)) {
    const keys = await listOpenAt(db, { symbol: spelling, instant })
    if (spelling === symbol || keys.length > 0)
      await noteSplit(db, { symbol: spelling, day: split.day, ...ratio }, now)
    for (const key of keys) {
      const changed = await withPublishing(db, key.traderId, (tx) =>
        splitPosition(tx, key, { ...ratio, day: split.day }, now),
      )
      if (changed) adjusted += 1
    }
  }
  return adjusted
}

/** Kept days of the nights have counted earlier prices in other shares, and keys that were given out are of prices of those. */
function noteSplit(db: Queryable, split: Parameters<typeof insertSplit>[1], now: Date): Promise<void> {
  return withTransaction(db, async (tx) => {
    if (!(await insertSplit(tx, split, now))) return
    await raiseDays(tx)
    await endKeysOf(tx, split.symbol, now)
  })
}

async function splitPosition(
  tx: Queryable,
  key: PositionKey,
  split: { newShares: number; oldShares: number; day: string },
  now: Date,
): Promise<boolean> {
  const {
    adjustedClose,
    adjustedPrice,
    closePrice,
    openPrice,
    percentageGain: before,
    struckAt,
    unsettled,
  } = await lockForSplit(tx, key, split)
  const adjustment = {
    reason: 'split' as const,
    effectiveOn: split.day,
    openPriceBefore: openPrice,
    openPriceAfter: adjustedPrice,
  }
  if (!(await insertAdjustment(tx, key, adjustment, now))) return false
  // An unsettled close stands at a price of before the split, which its settlement will not.
  const shownClose = unsettled ? adjustedClose : closePrice
  const after = shownClose === null ? null : percentageGain(adjustedPrice, shownClose)
  await updatePrices(tx, key, { openPrice: adjustedPrice, closePrice: shownClose, percentageGain: after })
  const isCounted = !unsettled && struckAt === null
  if (before !== null && after !== null && isCounted) await correctGain(tx, key.traderId, { before, after })
  const { traderId } = key
  const eventNo = await publishEvent(
    tx,
    { traderId, positionId: key.id, kind: 'adjusted', requestId: null },
    now,
  )
  await linkSplit(tx, key, { ...split, eventNo })
  return true
}

/**
 * Closes what is active in a stock that is no longer traded, at what holders got for a share, and settles unsettled closes at it; followers
 * are notified as of every close.
 * @param delisting.price US dollars, more than zero, as `12.50`
 * @returns how many positions were closed, how many closes were settled, and how many positions wait for the next day because they were opened today
 * @throws when something of it cannot be meant
 */
export async function closeDelisted(
  db: Queryable,
  delisting: { symbol: string; price: string },
  now: Date,
): Promise<{ closed: number; settled: number; tooNew: number }> {
  const symbol = readSymbol(delisting.symbol)
  const price = readPrice(delisting.price)
  const counts = { closed: 0, settled: 0, tooNew: 0 }
  for (const spelling of spellingsOf(symbol)) {
    for (const traderId of await listHolders(db, spelling)) {
      const outcome = await withPublishing(db, traderId, (tx) =>
        closeAt(tx, { traderId, symbol: spelling }, price, now),
      )
      if (outcome !== 'ended') counts[outcome] += 1
    }
    for (const close of await listUnsettledIn(db, spelling))
      if (await settle(db, close, { price, at: now, by: 'operator' }, now)) counts.settled += 1
  }
  return counts
}

async function closeAt(
  tx: Queryable,
  key: { traderId: string; symbol: string },
  price: string,
  now: Date,
): Promise<'closed' | 'tooNew' | 'ended'> {
  const position = await lockActivePosition(tx, key)
  // Its trader has closed it meanwhile.
  if (!position) return 'ended'
  if (!isLaterDay(now, position.openedAt, null)) return 'tooNew'
  const { openPrice } = position
  const effectiveOn = now.toISOString().slice(0, 10)
  const unchanged = { openPriceBefore: openPrice, openPriceAfter: openPrice }
  await insertAdjustment(tx, position, { reason: 'delisting', effectiveOn, ...unchanged }, now)
  const close = {
    closePrice: price,
    closeNotes: `Closed by Tradepost: ${normaliseSymbol(key.symbol)} is no longer traded.`,
    closedAt: now,
    closedBy: 'operator' as const,
    percentageGain: percentageGain(openPrice, price),
    overrideUsed: false,
    quotedAt: null,
    unsettled: false,
  }
  await recordClose(tx, position, close, { now, requestId: null })
  return 'closed'
}

/** Today's spelling last: positions that the trader closes meanwhile are spelt so from then on. */
function spellingsOf(symbol: string): string[] {
  return symbolSpellings(symbol).toReversed()
}

/** @throws for anything but a price of more than zero, such as 12.50 */
export function readPrice(given: string): string {
  if (!PRICE.test(given) || !/[1-9]/.test(given)) fail('That is not a price such as 12.50.')
  return given
}

/** @throws for anything but a ticker */
export function readSymbol(given: string): string {
  const symbol = normaliseSymbol(given)
  if (checkSymbol(symbol)) fail('That is not a ticker.')
  return symbol
}

function fail(message: string): never {
  throw new Error(message)
}
