import type { PositionHistoryAnswer } from '@tradepost/contract/position-history'
import { readPublished } from '../events/read-published.ts'
import type { Queryable } from '../platform/database.ts'
import { refusal } from '../platform/http/refusal.ts'
import type { Caller } from '../platform/http/register-endpoints.ts'
import type { ReadsOfOthers } from '../platform/replica.ts'
import { readHistory } from '../positions/position-history.ts'
import { requireTrader } from './find-trader.ts'

/**
 * What became of a position, for whoever may see it: of an open one its trader and those who follow now, of a closed one everybody
 * (decision G-104).
 * @throws `user_not_found`; `not_found` for a position that the trader does not have, or that the caller may not see
 */
export async function readPositionHistory(
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
