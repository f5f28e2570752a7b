import type { Queryable } from '../platform/database/queryable.ts'
import { findUnsettled } from './backups.queries.ts'

/**
 * Keeps a process from a database that was restored and is not settled: it would send mails again, and take events of Stripe for
 * its own that belong to no row (ADR 0067).
 * @throws then, naming what to do
 */
export async function requireSettled(db: Queryable): Promise<void> {
  const moment = await findUnsettled(db)
  if (moment)
    throw new Error(
      `This database was restored to ${moment.toISOString()}. Before anything starts: npm run operator -- backup:settle`,
    )
}
