import { gainNumber } from '@tradepost/contract/gain'
import { LATEST_POSITIONS_COUNT } from '@tradepost/contract/limits'
import type { TraderProfile } from '@tradepost/contract/traders'
import type { Queryable } from '../platform/database.ts'
import type { Caller } from '../platform/http/register-endpoints.ts'
import type { Settings } from '../platform/settings.ts'
import { readRelationship } from '../subscriptions/may-subscribe.ts'
import { presentRecord, requireTrader } from './find-trader.ts'
import { readTraderRecord } from './trader-record.ts'
import { listLatestClosed } from './traders.queries.ts'

export type TradersDeps = { db: Queryable; settings: Settings }

/**
 * A trader's public record: counts, average and the latest closed positions. The same for everybody but for how the
 * viewer stands to them; no active symbol, no notes (decisions G-16 and G-49).
 * @throws `user_not_found`
 */
export async function readTraderProfile(
  deps: TradersDeps,
  caller: Caller,
  text: string,
  now: Date,
): Promise<TraderProfile> {
  const { db, settings } = deps
  const trader = await requireTrader(db, text.trim())
  const latest = await listLatestClosed(db, trader.traderId, LATEST_POSITIONS_COUNT)
  return {
    ...presentRecord(trader),
    ...(await readRelationship(db, caller.userId, trader.traderId)),
    latestPositions: latest.map((position) => ({
      symbol: position.symbol,
      opened: position.openedAt.toISOString(),
      closed: position.closedAt.toISOString(),
      percentageGain: gainNumber(position.percentageGain),
      ...(position.companyName === null ? {} : { companyName: position.companyName }),
    })),
    record: await readTraderRecord(db, trader.traderId, now),
    // One price of the platform for now (decision G-28).
    priceCents: settings.subscriptionPriceCents,
    currency: settings.subscriptionCurrency,
  }
}
