import { sql } from 'kysely'
import { compiledQuery } from './compiled-query.ts'
import { lookUpTogether } from './look-up-together.ts'

/** Each has a version, which triggers raise with every change: the leaderboard, and who is suspended. */
export type Versioned = 'leaderboard' | 'suspensions'

/**
 * How often it was changed by what has been committed, for all who ask at once. The count of one name stands in several rows,
 * so that two who change it do not wait for each other (migration 0038).
 */
export const findVersion = lookUpTogether(async (db, names: Versioned[]) => {
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
