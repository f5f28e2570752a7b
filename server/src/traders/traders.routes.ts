import { endpoints } from '@tradepost/contract/endpoints'
import type { PositionHistoryAnswer } from '@tradepost/contract/position-history'
import { readPublished } from '../events/read-published.ts'
import type { Queryable } from '../platform/database/queryable.ts'
import type { ReadsOfOthers } from '../platform/distribution/replica.ts'
import { refusal } from '../platform/http/refusal.ts'
import type { Caller, EndpointRegistry } from '../platform/http/register-endpoints.ts'
import type { Settings } from '../platform/settings.ts'
import { readHistory } from '../positions/list/position-history.ts'
import { receiptsOf } from '../record/receipts.ts'
import { requireTrader } from './find-trader.ts'
import { makeClosedList } from './list-closed-positions.ts'
import type { ReadTrackRecord } from './record/read-track-record.ts'
import { searchTrader } from './search-trader.ts'
import { suggestTraders } from './suggest-traders.ts'
import { type FindFigures, makeTraderProfile, type ProfileDeps } from './trader-profile.ts'

type Deps = ProfileDeps & {
  settings: Pick<Settings, 'record'>
  findFigures: FindFigures
  readTrackRecord: ReadTrackRecord
}

export function tradersRoutes(api: EndpointRegistry, deps: Deps): void {
  const { readTrackRecord } = deps
  const readTraderProfile = makeTraderProfile(deps, deps.findFigures)
  const listClosedPositions = makeClosedList(deps)
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
 * (rule G-104), with the receipts of its events (G-116).
 * @throws `user_not_found`; `not_found` for a position that the trader does not have, or that the caller may not see
 */
async function readPositionHistory(
  deps: {
    db: Queryable
    others: ReadsOfOthers
    settings: Pick<Settings, 'record' | 'stripe' | 'taxLiable' | 'terms'>
  },
  caller: Caller,
  { id, username }: { id: string; username: string },
): Promise<PositionHistoryAnswer> {
  const { relationship, traderId } = await requireTrader(deps, caller, username)
  const found = await readPublished(deps, traderId, (from) => readHistory(from, { traderId, id }))
  const { isSelf, isSubscribed } = relationship
  if (!found || (found.active && !isSelf && !isSubscribed)) throw refusal('not_found')
  return {
    history: found.history,
    receipts: await receiptsOf(deps.db, { traderId, id }, deps.settings.record),
  }
}
