import type { Queryable } from '../../platform/database/queryable.ts'
import { publicAtOf } from './public-at.ts'
import { listOpenPlans } from './public-times.queries.ts'

/**
 * When the positions of each of these traders become public that have not ended, without struck ones: instants in ms since 1970, in order.
 * Traders without such positions are absent.
 */
export async function listPublicTimes(
  db: Queryable,
  traderIds: string[],
): Promise<ReadonlyMap<string, readonly number[]>> {
  const plans = Map.groupBy(await listOpenPlans(db, traderIds), ({ traderId }) => traderId)
  const timesOf = (ofTrader: readonly Parameters<typeof publicAtOf>[0][]) =>
    ofTrader.map((plan) => publicAtOf(plan).getTime()).sort((one, other) => one - other)
  return new Map([...plans].map(([traderId, ofTrader]) => [traderId, timesOf(ofTrader)]))
}

/** How many have become public. @param times in order */
export function countPublic(times: readonly number[], now: Date): number {
  const next = times.findIndex((time) => time > now.getTime())
  return next < 0 ? times.length : next
}
