import type { Transaction } from 'kysely'
import { sql } from 'kysely'
import { coalesce } from '../cache/coalesce.ts'
import { type Queryable, withTransaction } from '../database/queryable.ts'
import type { DB } from '../database/schema.ts'

/**
 * For transactions that all lock the same row or notify: held until the disk has each of them, such a lock lets one of them pass
 * for each wait (PostgreSQL, `synchronous_commit`; commits that notify wait for one another as well). So they commit without that wait,
 * and share the next one with those that end meanwhile. Others see the writes of such a transaction a moment before they are safe
 * from a crash of the database.
 */
export type SharedFlush = {
  /** Runs `work` in one transaction, as `withTransaction`, and resolves when the disk has it. */
  run<T>(work: (tx: Transaction<DB>) => Promise<T>): Promise<T>
  /** Resolves when the disk has all that was committed before: for a statement that commits without that wait itself. */
  flush(): Promise<void>
}

export function makeSharedFlush(db: Queryable): SharedFlush {
  const flush = coalesce(() => flushWal(db))
  return {
    flush,
    async run(work) {
      const result = await withTransaction(db, async (tx) => {
        await sql`set local synchronous_commit = off`.execute(tx)
        return work(tx)
      })
      await flush()
      return result
    },
  }
}

/** Commits what everybody has written before: a record of nothing, since a transaction that writes none does not wait for the disk. */
async function flushWal(db: Queryable): Promise<void> {
  await sql`select pg_logical_emit_message(true, 'flush', '')`.execute(db)
}
