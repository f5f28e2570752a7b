import { endpoints } from '@tradepost/contract/endpoints'
import type { Queryable } from '../platform/database.ts'
import type { EndpointRegistry } from '../platform/http/register-endpoints.ts'
import { readLeaderboard } from './read-leaderboard.ts'

export function leaderboardRoutes(api: EndpointRegistry, deps: { db: Queryable }): void {
  api.serve(endpoints.leaderboard, ({ caller }) => readLeaderboard(deps.db, caller.userId))
}
