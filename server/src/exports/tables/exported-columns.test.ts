import { expect, test } from 'vitest'
import { openTestDatabase } from '../../../test/database/database.ts'
import { IMPERSONAL_TABLES, PERSONAL_COLUMNS } from '../../../test/people/exported-columns.ts'
import { exportTables } from './all-tables.ts'

/** A table with one of these has rows of a person. */
const SAYS_WHOSE = /^(user|trader|subscriber|person|reader|session|factor|record)_id$|^email$/

async function readSchema(): Promise<Map<string, string[]>> {
  await using database = await openTestDatabase()
  const { rows } = await database.pool.query<{ table: string; columns: string[] }>(
    `select tables.table_name as table, array_agg(columns.column_name::text order by columns.ordinal_position) as columns
     from information_schema.tables tables join information_schema.columns columns using (table_schema, table_name)
     where tables.table_schema = 'public' and tables.table_type = 'BASE TABLE' group by 1 order by 1`,
  )
  return new Map(rows.map(({ columns, table }) => [table, columns]))
}

const schema = await readSchema()

test('every column that says something of a person is in their file, or has its reason', () => {
  const listed = Object.entries(PERSONAL_COLUMNS).map(([table, columns]) => [
    table,
    Object.keys(columns).toSorted(),
  ])
  const there = [...schema].filter(([table]) => !(table in IMPERSONAL_TABLES))
  expect(listed).toEqual(there.map(([table, columns]) => [table, columns.toSorted()]))
})

test('a table that says whose its rows are is not called impersonal, and each that is called so exists', () => {
  for (const [table, reason] of Object.entries(IMPERSONAL_TABLES)) {
    expect(schema.get(table), table).toBeDefined()
    expect(
      schema.get(table)?.filter((column) => SAYS_WHOSE.test(column)),
      `${table}: ${reason}`,
    ).toEqual([])
  }
})

test('what is said to be in the file is in it', () => {
  const said = new Set(
    Object.values(PERSONAL_COLUMNS).flatMap((columns) =>
      Object.values(columns).flatMap((place) => /^exported as (.*)$/.exec(place)?.[1] ?? []),
    ),
  )
  const written = exportTables.flatMap(({ columns, name }) =>
    Object.keys(columns).map((column) => `${name}.${column}`),
  )
  expect([...said].filter((place) => !written.includes(place))).toEqual([])
})
