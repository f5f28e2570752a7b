import { withTransaction } from '../platform/database/queryable.ts'
import { newId } from '../platform/ids.ts'
import { findClosingOf, insertClosing, markClosed, markEnded } from './closings.queries.ts'
import { type EraseDeps, erasePerson } from './erase-person.ts'
import { readErasures } from './erasures-file.ts'
import { listUnerased } from './repeat-erasures.queries.ts'

/**
 * Erases everybody again whom a restored backup has brought back, before anything else is done with the database (ADR 0121). The rest of
 * an erasure, at Stripe and in the record, follows as durable work.
 * @returns how many there were
 */
export async function repeatErasures(deps: EraseDeps, now: Date): Promise<number> {
  const erased = readErasures(deps.settings.record.dir)
  const back = erased.length === 0 ? [] : await listUnerased(deps.db, erased)
  for (const userId of back) {
    const id = await withTransaction(deps.db, async (tx) => {
      await markClosed(tx, userId, now)
      const closing = (await findClosingOf(tx, userId)) ?? { id: newId(), endedAt: null, isNew: true }
      if ('isNew' in closing)
        await insertClosing(tx, { id: closing.id, userId, reason: null, eraseAt: now }, now)
      if (closing.endedAt === null) await markEnded(tx, closing.id, now)
      return closing.id
    })
    await erasePerson(deps, id, now)
  }
  return back.length
}
