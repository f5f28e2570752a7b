import { type HoldLength, isHoldLength } from '@tradepost/contract/hold-length'
import { keptText } from '@tradepost/contract/kept-text'
import { checkNotes, isTooLowToOpen } from '@tradepost/contract/limits'
import { isMarketOpen } from '@tradepost/contract/market-hours'
import type { OpenPayload, Position } from '@tradepost/contract/positions'
import { checkSymbol, normaliseSymbol } from '@tradepost/contract/symbol'
import { requireUsername } from '../../accounts/require-username.ts'
import { findUser } from '../../auth/users/users.queries.ts'
import { publishEvent, withPublishing } from '../../events/publish-event.ts'
import type { Queryable } from '../../platform/database/queryable.ts'
import { Refusal, refusal } from '../../platform/http/refusal.ts'
import type { Caller } from '../../platform/http/register-endpoints.ts'
import { newId } from '../../platform/ids.ts'
import type { Log } from '../../platform/log.ts'
import type { Settings } from '../../platform/settings.ts'
import {
  askMarketAtUse,
  isStale,
  type MarketAtUse,
  offerNewPrice,
  requireStanding,
} from '../../quotes/prices/market-at-use.ts'
import type { PriceSource } from '../../quotes/prices/price-source.ts'
import { redeemPreview } from '../../quotes/prices/redeem-preview.ts'
import type { Directory, DirectoryNow } from '../../quotes/symbols/directory.ts'
import { insertPosition } from '../record/positions.queries.ts'
import { presentPosition } from '../record/shown-position.ts'
import { countOpened } from '../record/stats.queries.ts'
import { noteTooManyOpenings, requireFewOpenings } from './limit-openings.ts'

export type PositionsDeps = {
  db: Queryable
  pipelined: Queryable
  directory: Directory
  prices: PriceSource
  settings: Settings
  log: Log
}

/** The instant by which a request judges, and its name. */
export type Asked = { now: Date; requestId: string }

type Order = { symbol: string; key: string; openNotes: string; holdLength: HoldLength }

/**
 * Opens a position at the previewed price and announces it (docs/specification.md section 4). A refusal changes nothing: the
 * preview key is as good as before.
 * @throws in this order: `username_required`, `market_closed`, `symbol_required`, `symbol_invalid`, `invalid_length`,
 *   `notes_too_short`, `notes_too_long`, `preview_invalid`, `preview_used`, `preview_expired`,
 *   `price_unavailable`, `price_suspect`, `price_stale`, `price_too_low`, `price_moved`, `position_exists`, `too_many_openings`;
 *   `account_suspended` and `unauthorized` of somebody who is suspended, or closes their account, at this moment
 */
export async function openPosition(
  deps: PositionsDeps,
  caller: Caller,
  payload: OpenPayload,
  { now, requestId }: Asked,
): Promise<Position> {
  const username = await requireUsername(deps.pipelined, caller.userId)
  if (!isMarketOpen(now, deps.settings.marketOverride)) throw refusal('market_closed')
  const directory = await deps.directory.now()
  const order = { ...readOrder(payload, directory), requestId }
  // Before anything is written: a committed opening must be answered.
  const held = { ...order, traderId: caller.userId }
  const market = await askMarketAtUse(deps, held, now)
  const companyName = directory.nameOf(order.symbol, null)
  const position = await offerNewPrice(deps, held, now, () =>
    withPublishing(deps.db, caller.userId, (tx) => write(tx, deps.settings, { ...held, market }, now)),
  ).catch(async (error: unknown) => {
    if (isTooManyOpenings(error)) await noteTooManyOpenings(deps.db, { id: caller.userId, username }, now)
    throw error
  })
  deps.log.info({ requestId, traderId: caller.userId, positionId: position.id }, 'a position was opened')
  const asOpened = { ...position, publicAt: null, struckReason: null, tickerLostOn: null }
  return presentPosition(asOpened, { active: true, username, companyName })
}

function readOrder(payload: OpenPayload, { canonical }: DirectoryNow): Order {
  const symbol = canonical(normaliseSymbol(payload.symbol))
  const refusedSymbol = checkSymbol(symbol)
  if (refusedSymbol) throw refusal(refusedSymbol)
  if (!isHoldLength(payload.positionLength)) throw refusal('invalid_length')
  const refusedNotes = checkNotes(payload.openNotes)
  if (refusedNotes) throw refusal(refusedNotes)
  return {
    symbol,
    key: payload.key,
    openNotes: keptText(payload.openNotes),
    holdLength: payload.positionLength,
  }
}

async function write(
  tx: Queryable,
  settings: Settings,
  order: Order & { traderId: string; market: MarketAtUse; requestId: string },
  now: Date,
) {
  const { traderId, symbol, key, market, openNotes, holdLength, requestId } = order
  const preview = await redeemPreview(tx, { traderId, key, symbol }, now)
  if (market === 'no answer') throw refusal('price_unavailable')
  if (market === 'suspect' || preview.suspect) throw refusal('price_suspect', { symbol })
  const limits = { now, maxAgeSeconds: settings.quoteMaxAgeSeconds }
  if (settings.marketOverride === null && isStale(preview, market, limits)) {
    throw refusal('price_stale', { symbol })
  }
  if (isTooLowToOpen(preview.price)) throw refusal('price_too_low')
  requireStanding('open', preview, market)
  const position = {
    traderId,
    id: newId(),
    symbol,
    holdLength,
    openPrice: preview.price,
    openNotes,
    openedAt: now,
    openPreviewId: preview.id,
  }
  if (!(await insertPosition(tx, position))) throw refusal('position_exists', { symbol })
  if (await countOpened(tx, traderId, now)) await refuseInactive(tx, traderId)
  if (settings.limitsOn) await requireFewOpenings(tx, traderId, now)
  await publishEvent(tx, { traderId, positionId: position.id, kind: 'opened', requestId }, now)
  return position
}

/** Refuses somebody who was suspended, or closed the account, while the market was asked. */
export async function refuseInactive(tx: Queryable, traderId: string): Promise<never> {
  const person = await findUser(tx, traderId)
  throw refusal(person?.suspended_at ? 'account_suspended' : 'unauthorized')
}

function isTooManyOpenings(error: unknown): boolean {
  return error instanceof Refusal && error.code === 'too_many_openings'
}
