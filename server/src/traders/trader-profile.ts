import type { TraderProfile } from '@tradepost/contract/traders'
import { readPublished } from '../events/read-published.ts'
import type { Queryable } from '../platform/database.ts'
import type { Caller } from '../platform/http/register-endpoints.ts'
import type { ReadsOfOthers } from '../platform/replica.ts'
import type { Settings } from '../platform/settings.ts'
import { presentFigures, requireTrader } from './find-trader.ts'
import { readTraderRecord } from './trader-record.ts'

export type TradersDeps = { db: Queryable; others: ReadsOfOthers; settings: Settings }

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
  const trader = await requireTrader(db, caller, text.trim())
  const { record, latest } = await readPublished(deps, trader.traderId, (from) =>
    readTraderRecord(from, trader.traderId, now),
  )
  return {
    ...presentFigures(trader),
    ...trader.relationship,
    latestPositions: latest,
    record,
    // One price of the platform for now (decision G-28).
    priceCents: settings.subscriptionPriceCents,
    currency: settings.subscriptionCurrency,
  }
}
