import type { Clock } from '../platform/clock.ts'
import { type Log, reasonOf } from '../platform/log.ts'
import { type DueEnding, type DueItem, type DueTable, leaseDue, recordDue } from './due-rows.queries.ts'
import type { Work } from './run-work.ts'

/** A row whose handler failed comes again after its pause, and no later than this. */
const FAULT_PAUSE_MS = 300_000

export type DueWork = Work<DueItem, DueEnding>

/** The handling of rows of a table that are due. */
type DueRows<Key extends string> = {
  table: DueTable<Key>
  /** The most rows that a worker has in hand. */
  atOnce: number
  /** The pause until a row that is still due after its handler comes again. */
  pauseMs: number
  /**
   * Does the work of a row, and writes its next time or none; may be given it twice.
   * @param key by the columns of the table's key
   * @param now of the product's clock
   */
  handle(key: Record<Key, string>, now: Date): Promise<void>
}

/**
 * The work on rows that are due by a time of their own (ADR 0107). A lease changes no time. A row that is still due after its handler, whether
 * that failed or not, comes again after a pause, and so holds up no other row.
 */
export function dueWork<Key extends string>(
  { clock, log }: { clock: Clock; log: Log },
  { atOnce, handle, pauseMs, table }: DueRows<Key>,
): DueWork {
  const columns = Object.keys(table.key)
  const run = async ({ key }: DueItem) => {
    try {
      const named = Object.fromEntries(columns.map((column, nth) => [column, key[nth]]))
      await handle(named as Record<Key, string>, clock.now())
      return pauseMs
    } catch (error) {
      log.error({ work: table.name, reason: reasonOf(error) }, 'work failed')
      return Math.min(pauseMs, FAULT_PAUSE_MS)
    }
  }
  return {
    name: table.name,
    table,
    keyOf: ({ key }) => key,
    channel: 'work',
    isFor: (payload) => payload === table.name,
    atOnce,
    waiting: (at) => `${table.dueAt} <= ${at}`,
    lease: (client, terms, limit) => leaseDue(client, table, terms, limit),
    record: (client, endings, { now, numbers }) =>
      recordDue(client, table, endings, { now, numbers: numbers.all }),
    async handle(items, end) {
      await Promise.all(items.map(async (item) => end(item, { ...item, pauseMs: await run(item) })))
    },
  }
}
