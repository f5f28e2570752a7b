import type { Queryable } from '../../platform/database/queryable.ts'
import type { PositionKey } from '../record/adjustments.queries.ts'
import { findTraderOf } from './correct-price.queries.ts'

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The position that an operator names. @param id as typed @throws when that is no id, or no position has it */
export async function requirePosition(db: Queryable, id: string): Promise<PositionKey> {
  if (!ID.test(id)) throw new Error('That is not the id of a position.')
  const traderId = await findTraderOf(db, id)
  if (traderId === null) throw new Error('There is no such position.')
  return { traderId, id }
}
