import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { openEarlierDatabase, openTestDatabase, silentLog } from '../../test/database.ts'
import { generateSchema } from '../dev/generate-schema.ts'
import { isMigrated, migrate } from './migrate.ts'

test('migrations run by several processes at once, and again, change nothing', async () => {
  await using database = await openTestDatabase()
  await Promise.all([1, 2, 3].map(() => migrate(database.url, silentLog)))
  expect(await isMigrated(database.pool)).toBe(true)
})

test('a process waits for another one that migrates, however long, and says so meanwhile', async () => {
  await using database = await openTestDatabase()
  const other = await database.pool.connect()
  await other.query('begin')
  await other.query('select pg_advisory_xact_lock(7238461)')
  const heard = Promise.withResolvers<string>()
  const log = pino({}, { write: (line: string) => heard.resolve(JSON.parse(line).msg) })
  const waiting = migrate(database.url, log)
  expect(await heard.promise).toBe('still waiting for another process that migrates the database')
  await other.query('commit')
  other.release()
  await waiting
})

test('a connection that the database ends while it is migrated fails the migration, and nothing else', async () => {
  await using database = await openTestDatabase()
  const other = await database.pool.connect()
  await other.query('begin')
  await other.query('select pg_advisory_xact_lock(7238461)')
  const migrating = expect(migrate(database.url, silentLog)).rejects.toThrow(/connection/)
  // Not in the transaction of the other one, which sees all its time who was connected at its first look.
  const end = () =>
    database.pool.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and state like 'idle%' and query = 'rollback'`)
  await expect.poll(async () => (await end()).rowCount).toBe(1)
  await migrating
  await other.query('rollback')
  other.release()
})

test('a start leaves no lock behind in the connections of a pooler', async () => {
  await using database = await openTestDatabase()
  await migrate(database.url, silentLog)
  const { rows } = await database.pool.query(
    "select 1 from pg_locks join pg_database on oid = database and datname = current_database() where locktype = 'advisory' and objid = 7238461",
  )
  expect(rows).toEqual([])
})

test('a migration that fails leaves nothing of itself, and can be tried again', async () => {
  await using database = await openTestDatabase()
  await database.pool.query("delete from migrations where name like '0001%'")
  await expect(migrate(database.url, silentLog)).rejects.toThrow(
    /^0001_auth\.sql failed: error 42P07: .*users/,
  )
  const { rows } = await database.pool.query("select 1 from migrations where name like '0001%'")
  expect(rows).toEqual([])
})

test('a limit that the role has for statements ends no migration', async () => {
  await using database = await openEarlierDatabase('0049')
  const name = new URL(database.url).pathname.slice(1)
  await database.pool.query(`
    create table noted (statement_timeout text);
    create function note() returns event_trigger language plpgsql as $$
      begin insert into noted values (current_setting('statement_timeout')); end $$;
    create event trigger note on ddl_command_end when tag in ('CREATE INDEX') execute function note();
    alter database ${name} set statement_timeout = '3500ms'`)
  await migrate(database.url, silentLog)
  const { rows } = await database.pool.query('select distinct statement_timeout from noted')
  expect(rows).toEqual([{ statement_timeout: '0' }])
})

test('a process is migrated where newer ones have been applied, and not where one of its own has not', async () => {
  await using database = await openTestDatabase()
  await database.pool.query(
    "insert into migrations (name, sha256) values ('9999_of_a_newer_version.sql', 'x')",
  )
  expect(await isMigrated(database.pool)).toBe(true)
  await database.pool.query("delete from migrations where name like '0004%'")
  expect(await isMigrated(database.pool)).toBe(false)
})

test('what an operator closed before the schema could say so is the operator’s after the upgrade', async () => {
  await using database = await openTestDatabase()
  await database.pool.query(`
    delete from migrations where name like '0022%';
    alter table positions drop constraint positions_closed_whole, drop constraint positions_closed_by_one,
      drop column closed_by_operator, add constraint positions_check check (
        num_nonnulls(close_price, close_notes, closed_at, close_preview_id, percentage_gain) in (0, 5)
      );
    insert into users (id, email, created_at, updated_at) values
      ('00000000-0000-4000-8000-000000000001', 'maria@people.example', now(), now());
    insert into positions select '00000000-0000-4000-8000-000000000001', id::uuid, symbol, 'less_than_one_week', 10,
      'Notes.', '2026-03-04 15:00Z', gen_random_uuid(), 12, 'Closed.', '2026-03-05 15:00Z', gen_random_uuid(), 20
      from (values ('00000000-0000-4000-8000-00000000000a', 'GONE'), ('00000000-0000-4000-8000-00000000000b', 'ORCL'))
        as given (id, symbol);
    insert into position_adjustments select trader_id, id, 'delisting', '2026-03-05', 10, 10, closed_at
      from positions where symbol = 'GONE'`)
  await migrate(database.url, silentLog)
  const { rows } = await database.pool.query(
    'select symbol, closed_by_operator, close_preview_id is null as without from positions order by symbol',
  )
  expect(rows).toEqual([
    { symbol: 'GONE', closed_by_operator: true, without: true },
    { symbol: 'ORCL', closed_by_operator: false, without: false },
  ])
})

test('an applied migration that was edited is refused', async () => {
  await using database = await openTestDatabase()
  await database.pool.query("update migrations set sha256 = 'another' where name like '0001%'")
  await expect(migrate(database.url, silentLog)).rejects.toThrow('was edited after it had been applied')
})

test('the types of the tables are those of the migrations', async () => {
  await using database = await openTestDatabase()
  expect(generateSchema(database.url)).toBe(readFileSync(join(import.meta.dirname, 'schema.ts'), 'utf8'))
})
