import { sql } from 'kysely'
import { type Queryable, withTransaction } from '../../platform/database/queryable.ts'
import type { Pair } from '../../stripe/subscriptions.ts'

/** Longer than all calls to Stripe that one piece of work makes; a dead process loses the lock with its connection. */
const LONGEST_WORK_MS = 60_000

/**
 * Runs `work` as the only one that deals with `subject` (a pair, a person's payouts), in one transaction that may wait
 * for Stripe. Everything read from Stripe inside is therefore newer than whatever was written before, so absolute state can
 * be written without comparing times of events, which are in seconds only. For jobs: a request must not hold a connection
 * while Stripe thinks.
 * @param subject such as `pair:<trader>:<subscriber>` or `payouts:<user>`
 */
export function withProviderLock<T>(
  db: Queryable,
  subject: string,
  work: (tx: Queryable) => Promise<T>,
): Promise<T> {
  return withTransaction(db, async (tx) => {
    await allowLongWork(tx)
    await sql`select pg_advisory_xact_lock(hashtextextended(${subject}, 0))`.execute(tx)
    return work(tx)
  })
}

/** The same, unless somebody else deals with `subject`. @returns null then */
export function withProviderLockIfFree<T>(
  db: Queryable,
  subject: string,
  work: (tx: Queryable) => Promise<T>,
): Promise<T | null> {
  return withTransaction(db, async (tx) => {
    const { rows } = await sql<{ free: boolean }>`
      select pg_try_advisory_xact_lock(hashtextextended(${subject}, 0)) as free`.execute(tx)
    if (!rows[0]?.free) return null
    await allowLongWork(tx)
    return work(tx)
  })
}

async function allowLongWork(tx: Queryable): Promise<void> {
  await sql`select set_config('idle_in_transaction_session_timeout', ${String(LONGEST_WORK_MS)}, true)`.execute(
    tx,
  )
}

/** The subject of the lock under which a pair is dealt with. */
export function pairLock({ subscriberId, traderId }: Pair): string {
  return `pair:${traderId}:${subscriberId}`
}
