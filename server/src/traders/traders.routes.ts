import { endpoints } from '@tradepost/contract/endpoints'
import type { EndpointRegistry } from '../platform/http/register-endpoints.ts'
import { makeClosedList } from './list-closed-positions.ts'
import { readPositionHistory } from './read-position-history.ts'
import { makeTrackRecord } from './read-track-record.ts'
import { searchTrader } from './search-trader.ts'
import { suggestTraders } from './suggest-traders.ts'
import { makeTraderProfile, type ProfileDeps } from './trader-profile.ts'

export function tradersRoutes(api: EndpointRegistry, deps: ProfileDeps): void {
  const readTraderProfile = makeTraderProfile(deps)
  const listClosedPositions = makeClosedList(deps)
  const readTrackRecord = makeTrackRecord(deps)
  api.serve(endpoints.search, ({ caller, query }) => searchTrader(deps, caller, query.username))
  api.serve(endpoints.suggestions, ({ caller, query, now }) =>
    suggestTraders(deps, caller, query.username, now),
  )
  api.serve(endpoints.profile, ({ caller, query, now }) => readTraderProfile(caller, query.username, now))
  api.serve(endpoints.closedPositions, ({ caller, params, query }) =>
    listClosedPositions(caller, params.username, query),
  )
  api.serve(endpoints.positionHistory, ({ caller, params }) => readPositionHistory(deps, caller, params))
  api.serve(endpoints.trackRecord, ({ caller, params, query, now }) =>
    readTrackRecord(caller, params.username, { range: query.range ?? '1y', now }),
  )
}
