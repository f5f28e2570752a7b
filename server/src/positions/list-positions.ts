import { POSITIONS_MAX_COUNT } from '@tradepost/contract/limits'
import type { Queryable } from '../platform/database.ts'
import { ReadyAnswer } from '../platform/http/ready-answer.ts'
import type { Caller } from '../platform/http/register-endpoints.ts'
import { ENTITLED_STATUSES } from '../subscriptions/may-subscribe.ts'
import { listedPositions } from './listed-positions.queries.ts'

/**
 * The caller's active positions and those of the traders they are entitled to (decisions G-14, G-33); their own are
 * never cut, of the others come the newest (decision G-66).
 */
export async function listPositions(deps: { db: Queryable }, caller: Caller): Promise<ReadyAnswer> {
  const listed = await findListed(deps.db, caller.userId)
  return new ReadyAnswer(`{"positions":${listed ?? '[]'}}`)
}

const findListed = listedPositions({ statuses: ENTITLED_STATUSES, othersLimit: POSITIONS_MAX_COUNT })
