import { formatGain } from '@tradepost/contract/gain'
import type { Leaderboard, RankedEntry } from '@tradepost/contract/leaderboard'
import {
  LEADERBOARD_MAX_COUNT,
  LEADERBOARD_MIN_CLOSED_COUNT,
  RANKS_MAX_COUNT,
  WINS_MIN_CLOSED_COUNT,
} from '@tradepost/contract/limits'
import type { Queryable } from '../platform/database.ts'
import { findRank, listRanked, type RankedTrader } from './leaderboard.queries.ts'

/** The best hundred by average gain, and the place of who asks where it is beyond them (decision G-34). */
export async function readLeaderboard(db: Queryable, viewerId: string): Promise<Leaderboard> {
  const minClosed = LEADERBOARD_MIN_CLOSED_COUNT
  const listed = await listRanked(db, { minClosed, limit: LEADERBOARD_MAX_COUNT })
  const leaderboard = listed.map((trader) => present(trader, viewerId))
  const isWhole = listed.length < LEADERBOARD_MAX_COUNT
  if (isWhole || leaderboard.some(({ isSelf }) => isSelf)) return { leaderboard }
  const own = await findRank(db, viewerId, { minClosed, limit: RANKS_MAX_COUNT })
  return {
    leaderboard,
    ...(own && { own: { ...present(own, viewerId), rank: own.rank, ranked: own.ranked } }),
  }
}

function present(trader: RankedTrader, viewerId: string): RankedEntry {
  return {
    username: trader.username,
    averageGain: formatGain(trader.averageGain),
    closed: trader.closed,
    wins: trader.closed < WINS_MIN_CLOSED_COUNT ? null : trader.wins,
    ...(trader.sparkline && { sparkline: trader.sparkline }),
    ...(trader.traderId === viewerId && { isSelf: true }),
  }
}
