/** An operator sets one price of one position right: a price on the record is one at which anybody could have traded (decision G-47). */
import { percentageGain } from '@tradepost/contract/gain'
import Big from 'big.js'
import { audit } from '../auth/audit.ts'
import type { SecretKey } from '../auth/secret-key.ts'
import { publishEvent, withPublishing } from '../events/publish-event.ts'
import { checkReason } from '../platform/check-reason.ts'
import type { Queryable } from '../platform/database.ts'
import { readPrice } from './adjust-positions.ts'
import { type PositionKey, updatePrices } from './adjustments.queries.ts'
import { type CorrectedEnd, findTraderOf, insertCorrection, lockPrices } from './correct-price.queries.ts'
import { correctGain } from './stats.queries.ts'

type Deps = { db: Queryable; secret: SecretKey }
type Correction = { end: CorrectedEnd; price: string; reason: string }

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * Sets the opening or the closing price of a position; its gain and the trader's statistics follow, except for the gain of an unsettled
 * close, which is in none. Followers are mailed the price of before, that of now and the reason.
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
  const { end } = given
  if (!ID.test(given.id)) throw new Error('That is not the id of a position.')
  if (end !== 'open' && end !== 'close') throw new Error('Say `open` or `close` behind the position.')
  const correction = { end, price: readPrice(given.price), reason: checkReason(given.reason) } as const
  const traderId = await findTraderOf(deps.db, given.id)
  if (traderId === null) throw new Error('There is no such position.')
  const key = { traderId, id: given.id }
  return withPublishing(deps.db, traderId, (tx) => correct(deps, tx, key, correction, now))
}

async function correct(
  deps: Deps,
  tx: Queryable,
  key: PositionKey,
  { end, price, reason }: Correction,
  now: Date,
): Promise<boolean> {
  const { closePrice, openPrice, percentageGain: gainBefore, unsettled } = await lockPrices(tx, key)
  const before = end === 'open' ? openPrice : closePrice
  if (before === null) throw new Error('That position is not closed.')
  if (new Big(before).eq(price)) return false
  const open = end === 'open' ? price : openPrice
  const close = end === 'close' ? price : closePrice
  const gain = close === null ? null : percentageGain(open, close)
  await updatePrices(tx, key, { openPrice: open, closePrice: close, percentageGain: gain })
  if (gainBefore !== null && gain !== null && !unsettled)
    await correctGain(tx, key.traderId, { before: gainBefore, after: gain })
  const detail = `${key.id} ${end} ${before} to ${price} by operator`
  await audit(deps, tx, { action: 'price_adjusted', userId: key.traderId, detail }, now)
  const published = { traderId: key.traderId, positionId: key.id, kind: 'adjusted', requestId: null } as const
  const eventNo = await publishEvent(tx, published, now)
  const prices = { before, after: price, openPriceBefore: openPrice, openPriceAfter: open }
  await insertCorrection(tx, key, { end, reason, eventNo, ...prices }, now)
  return true
}
