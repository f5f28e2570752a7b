import { sql } from 'kysely'
import { tookTooLong } from '../platform/database/database-errors.ts'
import { type Queryable, withTransaction } from '../platform/database/queryable.ts'
import { listTraderIds } from '../positions/record/stats.queries.ts'
import { planForLists } from './days.queries.ts'

/** Traders of one transaction at most. */
const MOST_TRADERS = 500
/**
 * Limit of a statement. Less than the connection waits for an answer, whatever the role's limit: else the answer would be lost without a
 * reason.
 */
const LIMIT_MS = 3000
/** A page that took longer is followed by one of half as many traders, one that took a part of it by one of twice as many. */
const LONG_MS = 1000
const SHORT_MS = 250

export const BEFORE_ALL = '00000000-0000-0000-0000-000000000000'

/** How many traders the next page has. */
type Pace = { traders: number }

export function startPace(): Pace {
  return { traders: MOST_TRADERS }
}

/**
 * Does something for all traders after one of them, in the order of their ids: a page in a transaction, so that what was done stays
 * done. A page is as large as the machine and its traders allow. One of which a statement was ended is done again as two.
 * @param pace of what is done one after the other: what was found to be too much is not tried again
 * @param work of a transaction; it may be run twice for a page, the first time without effect
 * @throws what `work` throws, also when the statements of one trader alone take too long
 */
export async function inPages(
  db: Queryable,
  { after, pace }: { after: string; pace: Pace },
  work: (tx: Queryable, traderIds: string[]) => Promise<void>,
): Promise<void> {
  let page = await listTraderIds(db, after, pace.traders)
  while (page.length > 0) {
    const began = performance.now()
    const ended = await runPage(db, page, work)
    if (ended === 'too long') {
      pace.traders = Math.ceil(page.length / 2)
      page = page.slice(0, pace.traders)
      continue
    }
    const took = performance.now() - began
    if (took > LONG_MS) pace.traders = Math.ceil(pace.traders / 2)
    else if (took < SHORT_MS) pace.traders = Math.min(MOST_TRADERS, pace.traders * 2)
    page = await listTraderIds(db, page.at(-1) ?? BEFORE_ALL, pace.traders)
  }
}

async function runPage(
  db: Queryable,
  page: string[],
  work: (tx: Queryable, traderIds: string[]) => Promise<void>,
): Promise<'done' | 'too long'> {
  try {
    await withTransaction(db, async (tx) => {
      await sql`set local statement_timeout = ${sql.lit(LIMIT_MS)}`.execute(tx)
      await planForLists(tx)
      await work(tx, page)
    })
    return 'done'
  } catch (error) {
    if (page.length > 1 && tookTooLong(error)) return 'too long'
    throw error
  }
}
