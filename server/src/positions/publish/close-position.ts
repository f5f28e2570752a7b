import { percentageGain } from '@tradepost/contract/gain'
import { isPastPlan } from '@tradepost/contract/kept-plan'
import { keptText } from '@tradepost/contract/kept-text'
import { checkNotes } from '@tradepost/contract/limits'
import type { ClosedPosition, ClosePayload } from '@tradepost/contract/positions'
import { seenText } from '@tradepost/contract/seen-text'
import { checkSymbol, normaliseSymbol } from '@tradepost/contract/symbol'
import { DAY_MS, isLaterDay } from '@tradepost/contract/trading-day'
import { findUsername } from '../../accounts/accounts.queries.ts'
import { publishEvent, withPublishing } from '../../events/publish-event.ts'
import { raiseDays } from '../../platform/cache/read-versions.queries.ts'
import type { Queryable } from '../../platform/database/queryable.ts'
import { refusal } from '../../platform/http/refusal.ts'
import type { Caller } from '../../platform/http/register-endpoints.ts'
import {
  askMarketAtUse,
  isStale,
  type MarketAtUse,
  offerNewPrice,
  requireStanding,
} from '../../quotes/prices/market-at-use.ts'
import { redeemPreview } from '../../quotes/prices/redeem-preview.ts'
import {
  type Close,
  type HeldPosition,
  lockActivePosition,
  updateClosed,
} from '../record/positions.queries.ts'
import { copyCloses, copySplits } from '../record/rename-symbol.queries.ts'
import { presentClosed } from '../record/shown-position.ts'
import { countClosed, countUnsettled } from '../record/stats.queries.ts'
import { type Asked, type PositionsDeps, refuseInactive } from './open-position.ts'

/**
 * Closes the caller's active position in a symbol at the previewed price and announces it; at any hour, on a later UTC
 * day than it was opened (docs/specification.md section 4, rules G-11 and G-19). At a price whose last trade is old, or where
 * the market does not answer or answers what looks wrong, the close is unsettled (ADR 0076). A refusal changes nothing. A position
 * that is stored in another spelling of its ticker has that of now from its close on (rule G-44).
 * @throws in this order: `symbol_required`, `symbol_invalid`, `position_not_found`, `same_day`, `notes_too_short`,
 *   `notes_too_long`, `preview_invalid`, `preview_used`, `preview_expired`, `price_moved`; `account_suspended` and `unauthorized` as
 *   `openPosition`
 */
export async function closePosition(
  deps: PositionsDeps,
  caller: Caller,
  payload: ClosePayload,
  asked: Asked,
): Promise<ClosedPosition> {
  const directory = await deps.directory.now()
  const symbol = directory.canonical(normaliseSymbol(payload.symbol))
  const refused = checkSymbol(symbol)
  if (refused) throw refusal(refused)
  // Before anything is written: a committed close must be answered. Without a name there is no position either.
  const held = { traderId: caller.userId, symbol, key: payload.key }
  const [username, market] = await Promise.all([
    findUsername(deps.pipelined, caller.userId),
    askMarketAtUse(deps, held, asked.now),
  ])
  // Of two positions in two spellings, the one in the spelling of the request.
  const seen = seenText(payload.symbol).toUpperCase()
  const spelling = normaliseSymbol(seen) === symbol ? seen : symbol
  const { position, close } = await offerNewPrice(deps, held, asked.now, () =>
    withPublishing(deps.db, caller.userId, async (tx) => {
      const position = await lockActivePosition(tx, { traderId: caller.userId, symbol: spelling })
      if (!position) throw refusal('position_not_found', { symbol })
      return { position, close: await write(tx, deps, position, { ...payload, symbol, market }, asked) }
    }),
  )
  const { requestId } = asked
  const companyName = directory.nameOf(symbol, position.tickerLostOn)
  deps.log.info({ requestId, traderId: caller.userId, positionId: position.id }, 'a position was closed')
  const { closedAt: at, closeNotes: notes, closePrice: price, percentageGain: gain, unsettled } = close
  return presentClosed(
    { ...position, symbol },
    { price, at, notes, gain, unsettled },
    { username: username ?? '', companyName },
  )
}

async function write(
  tx: Queryable,
  deps: PositionsDeps,
  position: HeldPosition,
  payload: ClosePayload & { market: MarketAtUse },
  { now, requestId }: Asked,
): Promise<Close> {
  const { traderId, openedAt } = position
  if (!isLaterDay(now, openedAt, deps.settings.marketOverride)) throw refusal('same_day')
  const refused = checkNotes(payload.closeNotes)
  if (refused) throw refusal(refused)
  const { key, symbol } = payload
  const preview = await redeemPreview(tx, { traderId, key, symbol }, now)
  const limits = { now, maxAgeSeconds: deps.settings.quoteMaxAgeSeconds }
  const isOld = deps.settings.marketOverride === null && isStale(preview, payload.market, limits)
  const isUnknown = preview.suspect || payload.market === 'no answer' || payload.market === 'suspect'
  const unsettled = isOld || isUnknown
  if (!unsettled) requireStanding('close', preview, payload.market)
  const close: Close = {
    closePrice: preview.price,
    closeNotes: keptText(payload.closeNotes),
    closedAt: now,
    closedBy: { previewId: preview.id },
    percentageGain: percentageGain(position.openPrice, preview.price),
    overrideUsed: !isLaterDay(now, openedAt, null),
    quotedAt: preview.quotedAt,
    unsettled,
  }
  if (await recordClose(tx, position, close, { now, requestId })) await refuseInactive(tx, traderId)
  return close
}

/**
 * Every write of a close, in its transaction: the position, the trader's statistics unless it is struck, and the event for followers.
 * @param asked.requestId null for an operator's
 * @returns whether the trader is suspended, or their account closed; of a struck position false
 */
export async function recordClose(
  tx: Queryable,
  position: Pick<HeldPosition, 'traderId' | 'id' | 'symbol' | 'openedAt' | 'holdLength' | 'struckReason'>,
  close: Close,
  { now, requestId }: { now: Date; requestId: string | null },
): Promise<boolean> {
  const { traderId, id } = position
  const symbol = normaliseSymbol(position.symbol)
  if (symbol !== position.symbol) await passOn(tx, position, { symbol, now })
  await updateClosed(tx, { ...position, symbol }, close)
  let isInactive = false
  if (position.struckReason === null) {
    const closed = { gain: close.percentageGain, kept: !isPastPlan(position, close.closedAt) }
    isInactive = await (close.unsettled ? countUnsettled(tx, traderId) : countClosed(tx, traderId, closed))
  }
  await publishEvent(tx, { traderId, positionId: id, kind: 'closed', requestId }, now)
  return isInactive
}

/**
 * Copies closes and splits of the share from the spelling that the position had: today's spelling may lack them, since others may not have
 * held it.
 */
async function passOn(
  tx: Queryable,
  position: Pick<HeldPosition, 'symbol' | 'openedAt'>,
  { now, symbol }: { symbol: string; now: Date },
): Promise<void> {
  const dayOf = (instant: Date) => instant.toISOString().slice(0, 10)
  const openedOn = dayOf(position.openedAt)
  const tomorrow = dayOf(new Date(now.getTime() + DAY_MS))
  const spellings = { from: position.symbol, to: symbol, day: tomorrow }
  const copied = [await copyCloses(tx, spellings, openedOn), await copySplits(tx, spellings, openedOn)]
  if (copied.includes(true)) await raiseDays(tx)
}
