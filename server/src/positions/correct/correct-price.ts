/** An operator sets one price of one position right: a price on the record is one at which anybody could have traded (rule G-47). */
import { percentageGain } from '@tradepost/contract/gain'
import Big from 'big.js'
import { audit } from '../../auth/audit/audit.ts'
import type { SecretKey } from '../../auth/keys/secret-key.ts'
import { publishEvent, withPublishing } from '../../events/publish-event.ts'
import { checkReason } from '../../platform/check-reason.ts'
import type { Queryable } from '../../platform/database/queryable.ts'
import { type PositionKey, updatePrices } from '../record/adjustments.queries.ts'
import { correctGain } from '../record/stats.queries.ts'
import { readPrice } from './adjust-positions.ts'
import { type CorrectedEnd, insertCorrection, lockPrices } from './correct-price.queries.ts'
import { requirePosition } from './require-position.ts'

type Deps = { db: Queryable; secret: SecretKey }
/**
 * `retractionId`: of the retraction that it is a part of; its readers are mailed of the whole retraction together (ADR 0078); null for
 * none.
 */
type Correction = { end: CorrectedEnd; price: string; reason: string; retractionId: string | null }

/**
 * Sets the opening or the closing price of a position; its gain and the trader's statistics follow, except for the gain of an unsettled
 * close or a struck position, which is in none. Followers are mailed the price of before, that of now and the reason.
 * @param given.end `open` or `close`
 * @param given.price US dollars, more than zero, as `12.50`
 * @returns false where that is its price already
 * @throws when something of it cannot be meant
 */
export async function correctPrice(
  deps: Deps,
  given: { id: string; end: string; price: string; reason: string },
  now: Date,
): Promise<boolean> {
  const key = await requirePosition(deps.db, given.id)
  const { end } = given
  if (end !== 'open' && end !== 'close') throw new Error('Say `open` or `close` behind the position.')
  const correction = {
    end,
    price: readPrice(given.price),
    reason: checkReason(given.reason),
    retractionId: null,
  } as const
  return withPublishing(deps.db, key.traderId, (tx) => correctEnd(deps, tx, key, correction, now))
}

/**
 * The same of one price, in a transaction of `withPublishing`.
 * @returns false where that is its price already
 * @throws for the close of a position that is not closed
 */
export async function correctEnd(
  deps: Pick<Deps, 'secret'>,
  tx: Queryable,
  key: PositionKey,
  { end, price, reason, retractionId }: Correction,
  now: Date,
): Promise<boolean> {
  const position = await lockPrices(tx, key)
  const { closePrice, openPrice, percentageGain: gainBefore } = position
  const before = end === 'open' ? openPrice : closePrice
  if (before === null) throw new Error('That position is not closed.')
  if (new Big(before).eq(price)) return false
  const open = end === 'open' ? price : openPrice
  const close = end === 'close' ? price : closePrice
  const gain = close === null ? null : percentageGain(open, close)
  await updatePrices(tx, key, { openPrice: open, closePrice: close, percentageGain: gain })
  const isCounted = !position.unsettled && position.struckAt === null
  if (gainBefore !== null && gain !== null && isCounted)
    await correctGain(tx, key.traderId, { before: gainBefore, after: gain })
  const detail = `${key.id} ${end} ${before} to ${price} by operator`
  await audit(deps, tx, { action: 'price_adjusted', userId: key.traderId, detail }, now)
  const published = { traderId: key.traderId, positionId: key.id, kind: 'adjusted', requestId: null } as const
  const eventNo = await publishEvent(tx, published, now)
  const prices = { before, after: price, openPriceBefore: openPrice, openPriceAfter: open }
  await insertCorrection(tx, key, { end, reason, eventNo, retractionId, ...prices }, now)
  return true
}
