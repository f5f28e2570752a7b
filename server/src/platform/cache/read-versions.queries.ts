import { sql } from 'kysely'
import { batchedLookup, compiledQuery, type Queryable } from '../database/queryable.ts'

/**
 * Each has a version, which rises with every change: the leaderboard, who is suspended, what the night has computed of traders' days with
 * the closes of these days, and the Proven list. Triggers raise it, but for closes.
 */
export type Versioned = 'leaderboard' | 'suspensions' | 'days' | 'proven'

/** Of a name that nothing has raised yet. */
export const NEVER_RAISED = '0'

/**
 * How often it was changed by what has been committed, for all who ask at once; undefined before the first change. The count of one
 * name stands in several rows, so that two who change it do not wait for each other (server/migrations/0007_processes.sql).
 */
export const findVersion = batchedLookup(async (db, names: Versioned[]) => {
  const rows = await selectVersions(db, { names })
  return new Map(rows.map(({ name, version }) => [name, version]))
})

const selectVersions = compiledQuery((db, { names }: { names: Versioned[] }) =>
  db
    .selectFrom('read_versions')
    .select((eb) => [eb.ref('name').$castTo<Versioned>().as('name'), sql<string>`sum(raised)`.as('version')])
    .where('name', '=', sql<string>`any(${names}::text[])`)
    .groupBy('name'),
)

/**
 * Raises the version of days in the transaction that changes closes or splits of days that a night may have computed: on Citus no trigger
 * sees these tables.
 */
export async function raiseDays(tx: Queryable): Promise<void> {
  await sql`select raise_version('days')`.execute(tx)
}
