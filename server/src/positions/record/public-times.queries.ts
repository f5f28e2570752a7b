import type { HoldLength } from '@tradepost/contract/hold-length'
import { sql } from 'kysely'
import { compiledQuery, type Queryable } from '../../platform/database/queryable.ts'

export type OpenPlan = { traderId: string; openedAt: Date; holdLength: HoldLength; publicAt: Date | null }

/** Of the positions of these traders that have not ended, without struck ones. */
export function listOpenPlans(db: Queryable, traderIds: string[]): Promise<OpenPlan[]> {
  return selectOpenPlans(db, { traderIds })
}

const selectOpenPlans = compiledQuery(
  (_db, { traderIds }: { traderIds: string[] }) => sql<OpenPlan>`
    select trader_id as "traderId", opened_at as "openedAt", hold_length as "holdLength", public_at as "publicAt" from positions
    where trader_id = any(${traderIds}::uuid[]) and (closed_at is null or unsettled) and struck_at is null`,
)
