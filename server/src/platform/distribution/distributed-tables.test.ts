import { afterAll, expect, test } from 'vitest'
import { openTestDatabase } from '../../../test/database/database.ts'
import { applyLayout, LOCAL, REFERENCE, SHARDED } from './distributed-tables.ts'

const database = await openTestDatabase()
afterAll(() => database[Symbol.asyncDispose]())

async function column(statement: string, ...values: unknown[]): Promise<string[]> {
  const { rows } = await database.pool.query<string[]>({ text: statement, rowMode: 'array', values })
  return rows.map(([value = '']) => value)
}

test('every table of the schema is in exactly one list', async () => {
  const tables = await column("select tablename from pg_tables where schemaname = 'public' order by 1")
  expect([...SHARDED, ...REFERENCE, ...LOCAL].sort()).toEqual(tables)
})

test('a unique key of a distributed table is unique within one trader, which one node can check', async () => {
  const others = await column(
    `select indexrelid::regclass::text from pg_index
      join pg_attribute first on first.attrelid = indrelid and first.attnum = indkey[0]
    where indrelid::regclass::text = any($1) and indisunique and first.attname <> 'trader_id'`,
    SHARDED,
  )
  expect(others).toEqual([])
})

test('no trigger stands on a table that is on several nodes', async () => {
  const triggers = await column(
    'select tgname from pg_trigger where not tgisinternal and tgrelid::regclass::text = any($1)',
    [...SHARDED, ...REFERENCE],
  )
  expect(triggers).toEqual([])
})

test('no foreign key has come since that leads from one node to another: a cluster would refuse its migration', async () => {
  const keys = await column(
    `select conname from pg_constraint
    where contype = 'f' and (conrelid::regclass::text = any($1)) <> (confrelid::regclass::text = any($1)) order by 1`,
    [...SHARDED, ...REFERENCE],
  )
  expect(keys).toEqual([
    'delivery_exceptions_trader_id_event_no_fkey',
    'delivery_ranges_trader_id_event_no_fkey',
    'mail_plans_trader_id_event_no_fkey',
    'positions_trader',
    'push_deliveries_trader_id_event_no_fkey',
    'trader_days_trader',
  ])
})

test('one PostgreSQL without the extension is left as it is', async () => {
  expect(await applyLayout(database.url)).toBe('no extension')
})
