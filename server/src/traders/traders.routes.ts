import { endpoints } from '@tradepost/contract/endpoints'
import type { ApiDoor } from '../platform/http/api-door.ts'
import { searchTrader } from './search-trader.ts'
import { type TradersDeps, traderProfile } from './trader-profile.ts'

export function tradersRoutes(door: ApiDoor, deps: TradersDeps): void {
  door.serve(endpoints.search, ({ caller, query }) => searchTrader(deps, caller, query.username))
  door.serve(endpoints.profile, ({ caller, query }) => traderProfile(deps, caller, query.username))
}
