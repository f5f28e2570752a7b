import { endpoints } from '@tradepost/contract/endpoints'
import { formatGain } from '@tradepost/contract/gain'
import { LEADERBOARD_MAX_COUNT, LEADERBOARD_MIN_CLOSED_COUNT } from '@tradepost/contract/limits'
import type { Queryable } from '../platform/database.ts'
import type { EndpointRegistry } from '../platform/http/register-endpoints.ts'
import { listRanked } from './leaderboard.queries.ts'

export function leaderboardRoutes(api: EndpointRegistry, deps: { db: Queryable }): void {
  api.serve(endpoints.leaderboard, async () => {
    const ranked = await listRanked(deps.db, {
      minClosed: LEADERBOARD_MIN_CLOSED_COUNT,
      limit: LEADERBOARD_MAX_COUNT,
    })
    return {
      leaderboard: ranked.map(({ username, averageGain }) => ({
        username,
        averageGain: formatGain(averageGain),
      })),
    }
  })
}
