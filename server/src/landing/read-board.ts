import type { LandingBoard } from '@tradepost/contract/landing-board'
import {
  BOARD_MIN_RANKED_COUNT,
  BOARD_TRADERS_COUNT,
  LEADERBOARD_MIN_CLOSED_COUNT,
  WINS_MIN_CLOSED_COUNT,
} from '@tradepost/contract/limits'
import { listPublicPages } from '../accounts/accounts.queries.ts'
import type { Delivery } from '../activity/read-delivery.ts'
import { countRanked, listRanked } from '../leaderboard/leaderboard.queries.ts'
import type { Queryable } from '../platform/database/queryable.ts'

/**
 * The facts of the landing page's board: the best of the leaderboard, named where their public page is on (rule G-108).
 * @param delivery how mails went until now
 * @returns null where too few are ranked
 */
export async function readBoard(db: Queryable, delivery: Promise<Delivery>): Promise<LandingBoard | null> {
  const minClosed = LEADERBOARD_MIN_CLOSED_COUNT
  const [best, { ranked, closed }, { week }] = await Promise.all([
    listRanked(db, { minClosed, limit: BOARD_TRADERS_COUNT }),
    countRanked(db, minClosed),
    delivery,
  ])
  if (best.length < BOARD_MIN_RANKED_COUNT) return null
  const named = await listPublicPages(
    db,
    best.map(({ traderId }) => traderId),
  )
  const traders = best.map(({ traderId, username, averageGain, closed, wins, sparkline }) => ({
    username: named.includes(traderId) ? username : null,
    averageGain,
    closed,
    wins: closed < WINS_MIN_CLOSED_COUNT ? null : wins,
    sparkline,
  }))
  return { traders, closed, ranked, halfSeconds: week.half }
}
