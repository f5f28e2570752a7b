import { POSITIONS_MAX_COUNT } from '@tradepost/contract/limits'
import type { Position } from '@tradepost/contract/positions'
import type { Queryable } from '../platform/database.ts'
import type { Caller } from '../platform/http/register-endpoints.ts'
import { ENTITLED_STATUSES } from '../subscriptions/may-subscribe.ts'
import { listTradersFollowed } from '../subscriptions/subscriptions.queries.ts'
import { listActivePositions } from './positions.queries.ts'
import { presentPosition } from './present-position.ts'

/**
 * The caller's active positions and those of the traders they are entitled to (decisions G-14, G-33); their own are
 * never cut, of the others come the newest (decision G-66).
 */
export async function listPositions(deps: { db: Queryable }, caller: Caller): Promise<Position[]> {
  const others = await listTradersFollowed(deps.db, caller.userId, ENTITLED_STATUSES)
  const positions = await listActivePositions(deps.db, {
    own: caller.userId,
    others,
    othersLimit: POSITIONS_MAX_COUNT,
  })
  return positions.map((position) => presentPosition(position, true))
}
