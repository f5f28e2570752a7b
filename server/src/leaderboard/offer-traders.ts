import type { OfferedTraders } from '@tradepost/contract/leaderboard'
import { LEADERBOARD_MIN_CLOSED_COUNT } from '@tradepost/contract/limits'
import { relationshipOf } from '../billing/entitlements/may-subscribe.ts'
import type { Queryable } from '../platform/database/queryable.ts'
import { listPaid, listRanked } from './leaderboard.queries.ts'
import { presentRanked } from './read-leaderboard.ts'

const OFFERED_COUNT = 3
/** So many of the best are looked at for some who can be followed. */
const LOOKED_AT_COUNT = 8

/** The best of the leaderboard whom a viewer may subscribe to, for somebody who follows nobody (rule G-113). */
export async function offerTraders(db: Queryable, viewerId: string): Promise<OfferedTraders> {
  // The viewer may be one of the best.
  const limit = LOOKED_AT_COUNT + 1
  const best = await listRanked(db, { minClosed: LEADERBOARD_MIN_CLOSED_COUNT, limit })
  const others = best.filter(({ traderId }) => traderId !== viewerId).slice(0, LOOKED_AT_COUNT)
  const paid = await listPaid(
    db,
    viewerId,
    others.map(({ traderId }) => traderId),
  )
  const open = paid.filter(({ liveStatus, ...payouts }) => {
    // The ranking leaves out who is suspended.
    return relationshipOf(false, { payouts, suspended: false, liveStatus }).canSubscribe
  })
  const offered = others.filter(({ traderId }) => open.some((one) => one.traderId === traderId))
  return { traders: offered.slice(0, OFFERED_COUNT).map((trader) => presentRanked(trader, null)) }
}
