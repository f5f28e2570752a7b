import { percentageGain } from '@tradepost/contract/gain'
import { normaliseSymbol } from '@tradepost/contract/symbol'
import { isLaterDay } from '@tradepost/contract/trading-day'
import { withPublishing } from '../events/publish-event.ts'
import type { Queryable } from '../platform/database/queryable.ts'
import { type Log, reasonOf } from '../platform/log.ts'
import type { Settings } from '../platform/settings.ts'
import { recordClose } from '../positions/publish/close-position.ts'
import { askTrade } from '../positions/publish/settle-closes.ts'
import { lockActivePosition } from '../positions/record/positions.queries.ts'
import { isOlder } from '../quotes/prices/issue-key.ts'
import { findLastPrice } from '../quotes/prices/suspect-prices.queries.ts'
import type { PriceProvider } from '../quotes/provider/provider.ts'
import type { Calls } from '../quotes/provider/take-call.ts'
import { isClosedNow, listOpenOf } from './open-positions.queries.ts'

export type ClosePositionsDeps = {
  db: Queryable
  calls: Pick<Calls, 'take'>
  log: Log
  provider: PriceProvider
  settings: Settings
}

/** Of the close that nobody wrote a note for. It names nobody, since it stays. */
const NOTE = 'Closed by Tradepost: the trader has closed the account.'

/**
 * Closes what somebody who leaves holds open, by the rules of every close (rules G-11 and G-19): on a later UTC day than it was opened, and
 * unsettled where there is no price of now (ADR 0076). A position that fails keeps none of the others.
 * @returns `done`; `tomorrow` when some were opened today; `failed` when another try is needed
 */
export async function closePositions(
  deps: ClosePositionsDeps,
  traderId: string,
  now: Date,
): Promise<'done' | 'tomorrow' | 'failed'> {
  let outcome: 'done' | 'tomorrow' | 'failed' = 'done'
  for (const { symbol, openedAt } of await listOpenOf(deps.db, traderId)) {
    if (!isLaterDay(now, openedAt, null)) {
      if (outcome === 'done') outcome = 'tomorrow'
      continue
    }
    try {
      await closeOne(deps, { traderId, symbol, openedAt }, now)
    } catch (error) {
      deps.log.warn(
        { traderId, reason: reasonOf(error) },
        'a position of a closed account could not be closed',
      )
      outcome = 'failed'
    }
  }
  return outcome
}

async function closeOne(
  deps: ClosePositionsDeps,
  key: { traderId: string; symbol: string; openedAt: Date },
  now: Date,
): Promise<void> {
  const { db, settings } = deps
  // The transaction waits for no provider.
  const quote = await askTrade(deps, normaliseSymbol(key.symbol), now)
  const last = quote ?? (await findLastPrice(db, key, now))
  const { marketOverride, quoteMaxAgeSeconds } = settings
  const isOld = quote !== null && marketOverride === null && isOlder(quote.at, quoteMaxAgeSeconds, now)
  await withPublishing(db, key.traderId, async (tx) => {
    // Given back while the market was asked; from here on that waits.
    if (!(await isClosedNow(tx, key.traderId))) return
    const position = await lockActivePosition(tx, key)
    // Closed meanwhile, and perhaps opened again.
    if (position?.openedAt.getTime() !== key.openedAt.getTime()) return
    const price = last?.price ?? position.openPrice
    const close = {
      closePrice: price,
      closeNotes: NOTE,
      closedAt: now,
      closedBy: 'operator' as const,
      percentageGain: percentageGain(position.openPrice, price),
      overrideUsed: false,
      quotedAt: last?.at ?? null,
      unsettled: quote === null || isOld || position.tickerLostOn !== null,
    }
    await recordClose(tx, position, close, { now, requestId: null })
  })
}
