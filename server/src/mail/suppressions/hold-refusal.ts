import { type Queryable, withTransaction } from '../../platform/database/queryable.ts'
import { isBelieved } from './lasting.ts'
import {
  countRefusals,
  insertRefusal,
  type RefusedRecipient,
  suppressAddress,
} from './suppressions.queries.ts'

/**
 * Counts a refusal of a person, and suppresses them when refusals last: by the subject of the last one. A mail that is taken begins
 * the count again.
 * @returns whether they are suppressed
 */
export function holdRefusalAgainst(
  db: Queryable,
  refused: RefusedRecipient & { traderId: string; eventNo: number },
  about: 'address' | 'recipient',
  now: Date,
): Promise<boolean> {
  return withTransaction(db, async (tx) => {
    await insertRefusal(tx, refused, now)
    const lasts = isBelieved(about, await countRefusals(tx, refused.userId), now)
    if (lasts) await suppressAddress(tx, refused, now)
    return lasts
  })
}
