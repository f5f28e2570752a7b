import { isPastPlan } from '@tradepost/contract/kept-plan'
import { lockTraderSequence } from '../../events/trader-sequence.ts'
import { type Queryable, withTransaction } from '../../platform/database/queryable.ts'
import { listClosedSpans, listTraderIds, lockStatistics, recount } from './stats.queries.ts'

const PAGE = 1000
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000'

/**
 * Computes every trader's statistics again from the positions, each under the trader's lock, so that it may run while
 * people trade. @returns how many were wrong: 0 unless something is broken
 */
export async function recountStatistics(db: Queryable): Promise<number> {
  let wrong = 0
  let page = await listTraderIds(db, BEFORE_ALL, PAGE)
  while (page.length > 0) {
    for (const traderId of page) {
      const corrected = await withTransaction(db, async (tx) => {
        // In the order in which an opening locks.
        await lockStatistics(tx, traderId)
        await lockTraderSequence(tx, traderId)
        return recountTrader(tx, traderId)
      })
      if (corrected) wrong += 1
    }
    page = await listTraderIds(db, page.at(-1) ?? BEFORE_ALL, PAGE)
  }
  return wrong
}

/** @param tx holds the lock of the trader's sequence. @returns whether what stood there was wrong */
export async function recountTrader(tx: Queryable, traderId: string): Promise<boolean> {
  const spans = await listClosedSpans(tx, traderId)
  return recount(tx, traderId, spans.filter((span) => !isPastPlan(span, span.closedAt)).length)
}
