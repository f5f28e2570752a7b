import { endpoints } from '@tradepost/contract/endpoints'
import type { PositionHistoryAnswer } from '@tradepost/contract/position-history'
import { readPublished } from '../events/read-published.ts'
import type { Queryable } from '../platform/database/queryable.ts'
import type { ReadsOfOthers } from '../platform/distribution/replica.ts'
import { refusal } from '../platform/http/refusal.ts'
import type { Caller, EndpointRegistry } from '../platform/http/register-endpoints.ts'
import { readHistory } from '../positions/list/position-history.ts'
import { requireTrader } from './find-trader.ts'
import { makeClosedList } from './list-closed-positions.ts'
import { makeTrackRecord } from './record/read-track-record.ts'
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

/**
 * The history of a position, for callers who may see it: of an open one its trader and those who follow now, of a closed one everybody
 * (rule G-104).
 * @throws `user_not_found`; `not_found` for a position that the trader does not have, or that the caller may not see
 */
async function readPositionHistory(
  deps: { db: Queryable; others: ReadsOfOthers },
  caller: Caller,
  { id, username }: { id: string; username: string },
): Promise<PositionHistoryAnswer> {
  const { relationship, traderId } = await requireTrader(deps.db, caller, username)
  const found = await readPublished(deps, traderId, (from) => readHistory(from, { traderId, id }))
  const { isSelf, isSubscribed } = relationship
  if (!found || (found.active && !isSelf && !isSubscribed)) throw refusal('not_found')
  return { history: found.history }
}
