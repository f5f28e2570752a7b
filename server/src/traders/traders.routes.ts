import { endpoints } from '@tradepost/contract/endpoints'
import type { EndpointRegistry } from '../platform/http/register-endpoints.ts'
import { searchTrader } from './search-trader.ts'
import { type TradersDeps, traderProfile } from './trader-profile.ts'

export function tradersRoutes(api: EndpointRegistry, deps: TradersDeps): void {
  api.serve(endpoints.search, ({ caller, query }) => searchTrader(deps, caller, query.username))
  api.serve(endpoints.profile, ({ caller, query }) => traderProfile(deps, caller, query.username))
}
