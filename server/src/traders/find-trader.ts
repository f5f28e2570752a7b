import { gainNumber } from '@tradepost/contract/gain'
import { readUsername } from '@tradepost/contract/typed-name'
import { isUsername } from '@tradepost/contract/username'
import {
  type Relationship,
  relationshipOf,
  type SellingSettings,
} from '../billing/entitlements/may-subscribe.ts'
import type { Queryable } from '../platform/database/queryable.ts'
import { refusal } from '../platform/http/refusal.ts'
import type { Caller } from '../platform/http/register-endpoints.ts'
import { findTrader, type TraderRow } from './traders.queries.ts'

/** A caller, as far as how they stand to a trader goes. */
export type Viewer = Pick<Caller, 'userId'>

/** Somebody who is not signed in: the id of no person, so that the same statement answers. */
export const VISITOR: Viewer = { userId: '00000000-0000-0000-0000-000000000000' }

/**
 * A trader, also one who is suspended, and how the caller stands to them.
 * @param typed a username as a person typed it @throws `user_not_found`, for a text that cannot be a username too
 */
export async function requireTrader(
  { db, settings }: { db: Queryable; settings: SellingSettings },
  caller: Viewer,
  typed: string,
): Promise<TraderRow & { relationship: Relationship; suspended: boolean }> {
  const username = readUsername(typed)
  const found = isUsername(username) ? await findTrader(db, caller.userId, username) : null
  if (!found) throw refusal('user_not_found')
  const { trader, facts } = found
  const relationship = relationshipOf(settings, trader.traderId === caller.userId, facts)
  return { ...trader, relationship, suspended: facts.suspended }
}

/** Since when a trader has published: the day of the first position that counts, and nothing else of it (rule G-16). */
export function presentSince({ firstOpenedAt }: TraderRow): string | null {
  return firstOpenedAt === null ? null : firstOpenedAt.toISOString().slice(0, 10)
}

/** The figures that search and profile share. */
export function presentFigures(trader: TraderRow) {
  return {
    username: trader.username,
    openPositions: trader.openCount,
    closedPositions: trader.closedCount,
    averageProfit: trader.averageGain === null ? null : gainNumber(trader.averageGain),
  }
}
