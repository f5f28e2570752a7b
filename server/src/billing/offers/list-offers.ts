import type { Queryable } from '../../platform/database/queryable.ts'
import { relationshipOf, type SellingSettings } from '../entitlements/may-subscribe.ts'
import { type PriceSettings, presentPrices } from '../prices/prices-of.ts'
import { listPaid } from './offers.queries.ts'

/**
 * The prices of those among some traders whom a viewer may subscribe to (rules G-27 and G-28).
 * @param traderIds without anybody who is suspended
 * @returns by trader, in the fields of answers
 */
export async function listOffers(
  { db, settings }: { db: Queryable; settings: PriceSettings & SellingSettings },
  viewerId: string,
  traderIds: readonly string[],
): Promise<Map<string, ReturnType<typeof presentPrices>>> {
  const paid = await listPaid(db, viewerId, traderIds)
  const open = paid.filter(({ liveStatus, traderId, ...payouts }) => {
    const isSelf = traderId === viewerId
    return relationshipOf(settings, isSelf, { payouts, suspended: false, liveStatus }).canSubscribe
  })
  return new Map(open.map(({ namedPrices, traderId }) => [traderId, presentPrices(namedPrices, settings)]))
}
