import { gainNumber } from '@tradepost/contract/gain'
import { isUsername } from '@tradepost/contract/username'
import type { Queryable } from '../platform/database.ts'
import { refusal } from '../platform/http/refusal.ts'
import { findTrader, type TraderRow } from './traders.queries.ts'

/** @param username trimmed @throws `user_not_found`, for what cannot be a username too */
export async function requireTrader(db: Queryable, username: string): Promise<TraderRow> {
  const trader = isUsername(username) ? await findTrader(db, username) : null
  if (!trader) throw refusal('user_not_found')
  return trader
}

/** The figures that search and profile share. */
export function presentRecord(trader: TraderRow) {
  return {
    username: trader.username,
    openPositions: trader.openCount,
    closedPositions: trader.closedCount,
    averageProfit: trader.averageGain === null ? null : gainNumber(trader.averageGain),
  }
}
