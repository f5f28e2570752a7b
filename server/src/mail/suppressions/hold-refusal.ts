import { type Queryable, withTransaction } from '../../platform/database.ts'
import {
  countRefusals,
  insertRefusal,
  type RefusedRecipient,
  suppressAddress,
} from './suppressions.queries.ts'

const HOUR_MS = 3_600_000
/** From so many events on, and so long after the first refusal, one is believed (decisions 3.5, Delivery; decision 0089). */
const LASTING = {
  address: { events: 1, spanMs: 24 * HOUR_MS },
  recipient: { events: 3, spanMs: 72 * HOUR_MS },
}

/**
 * Counts a refusal of a person, and suppresses them when refusals last: by what the last one speaks of. A mail that is taken begins
 * the count anew.
 * @returns whether they are suppressed
 */
export function holdRefusalAgainst(
  db: Queryable,
  refused: RefusedRecipient & { traderId: string; eventNo: number },
  about: 'address' | 'recipient',
  now: Date,
): Promise<boolean> {
  const enough = LASTING[about]
  return withTransaction(db, async (tx) => {
    await insertRefusal(tx, refused, now)
    const { events, first } = await countRefusals(tx, refused.userId)
    const lasting = first !== null && now.getTime() - first.getTime() >= enough.spanMs
    const isBelieved = events >= enough.events && lasting
    if (isBelieved) await suppressAddress(tx, refused, now)
    return isBelieved
  })
}
