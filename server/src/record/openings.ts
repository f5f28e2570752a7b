import { toBase64 } from '@tradepost/record/bytes'
import type { Queryable } from '../platform/database/queryable.ts'
import { publicAtOf } from '../positions/record/public-at.ts'
import { findOpening, findSealing } from './openings.queries.ts'
import { NO_SALT, saltOf } from './salts.ts'

/** Opens an entry: with it everybody can read what was committed to. */
export type Opening = { salt: string; text: string }

/**
 * The text of an entry, where everybody may read it: of the log itself, and of positions that are closed or past their plan (rule G-16).
 * @returns `sealed` while only followers may read it; `erased` once its person is gone; null where there is no such entry
 */
export async function readOpening(
  db: Queryable,
  index: number,
  now: Date,
): Promise<Opening | 'sealed' | 'erased' | null> {
  const found = await findOpening(db, index)
  if (!found) return null
  const { positionId, record, saltKey, seq, text, traderId } = found
  if (text === null) return 'erased'
  if (record === null) return { salt: toBase64(NO_SALT), text }
  if (saltKey === null || seq === null || traderId === null || positionId === null) return 'erased'
  const position = await findSealing(db, { traderId, id: positionId })
  const isPublic = position !== null && (position.closedAt !== null || publicAtOf(position) <= now)
  return isPublic ? { salt: toBase64(saltOf(saltKey, seq)), text } : 'sealed'
}
