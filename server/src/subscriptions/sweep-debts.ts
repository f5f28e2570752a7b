import { type Queryable, withTransaction } from '../platform/database.ts'
import { listDuePairs } from './debts.queries.ts'
import { enqueueDebts } from './subscriptions.jobs.ts'

/** Pairs that one sweep takes on; the next one comes soon. */
const BATCH = 200

/** Has debts settled whose time has come. A job that is lost is missed at the next sweep. */
export function sweepDebts(db: Queryable, now: Date): Promise<void> {
  return withTransaction(db, async (tx) => {
    for (const pair of await listDuePairs(tx, now, BATCH)) await enqueueDebts(tx, pair)
  })
}
