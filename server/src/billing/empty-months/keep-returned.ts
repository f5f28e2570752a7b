import type { Queryable } from '../../platform/database/queryable.ts'
import { countReturned } from './paid-invoices.queries.ts'

/**
 * How many empty months went back in the calendar month before this one (UTC), over all traders (rule G-127). A process keeps the count until the
 * next month begins; one that fails is not kept.
 */
export function keepReturned(db: Queryable): (now: Date) => Promise<number> {
  let kept: { before: number; months: number } | null = null
  return async (now) => {
    const before = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth()))
    if (kept?.before === before.getTime()) return kept.months
    const since = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1))
    const months = await countReturned(db, since, before)
    kept = { before: before.getTime(), months }
    return months
  }
}
