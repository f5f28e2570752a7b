import { endpoints } from '@tradepost/contract/endpoints'
import type { SellingSettings } from '../billing/entitlements/may-subscribe.ts'
import type { PriceSettings } from '../billing/prices/prices-of.ts'
import type { Queryable } from '../platform/database/queryable.ts'
import type { EndpointRegistry } from '../platform/http/register-endpoints.ts'
import { offerTraders } from './offer-traders.ts'
import { makeLeaderboard } from './read-leaderboard.ts'

export function leaderboardRoutes(
  api: EndpointRegistry,
  deps: { db: Queryable; pipelined: Queryable; settings: PriceSettings & SellingSettings },
): void {
  const readLeaderboard = makeLeaderboard(deps)
  api.serve(endpoints.leaderboard, ({ caller }) => readLeaderboard(caller.userId))
  api.serve(endpoints.offered, ({ caller }) => offerTraders(deps, caller.userId))
}
