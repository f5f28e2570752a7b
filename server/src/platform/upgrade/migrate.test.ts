import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type pg from 'pg'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { openEarlierDatabase, openTestDatabase, silentLog } from '../../../test/database/database.ts'
import { generateSchema } from '../../dev/generate-schema.ts'
import { isMigrated, migrate } from './migrate.ts'

test('migrations run by several processes at once, and again, change nothing', async () => {
  await using database = await openTestDatabase()
  await Promise.all([1, 2, 3].map(() => migrate(database.url, silentLog)))
  expect(await isMigrated(database.pool)).toBe(true)
})

test('a process waits for another one that migrates, however long, and logs it meanwhile', async () => {
  await using database = await openTestDatabase()
  const other = await database.pool.connect()
  await other.query('begin')
  await other.query('select pg_advisory_xact_lock(7238461)')
  const logged = Promise.withResolvers<string>()
  const log = pino({}, { write: (line: string) => logged.resolve(JSON.parse(line).msg) })
  const waiting = migrate(database.url, log)
  expect(await logged.promise).toBe('still waiting for another process that migrates the database')
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
    /^0001_people\.sql failed: error 42P07: .*users/,
  )
  const { rows } = await database.pool.query("select 1 from migrations where name like '0001%'")
  expect(rows).toEqual([])
})

test('a limit that the role has for statements ends no migration', async () => {
  await using database = await openEarlierDatabase('0001')
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

/** Makes a database look as unreleased versions left it: without the names of now, at one of their steps, and with some of what they had. */
async function leaveAsUnreleased({ pool }: { pool: pg.Pool }, last: string) {
  await pool.query(`
    delete from migrations;
    insert into migrations (name, sha256) values ('0001_auth.sql', 'x'), ('${last}', 'y');
    insert into users (id, email, created_at, updated_at) values (gen_random_uuid(), 'maria@people.example', now(), now());
    create table money_mails (id uuid primary key);
    create function note_outbox_mail() returns trigger language plpgsql as $$ begin return null; end $$;
    create trigger note_in_money_mails after insert on outbox for each row execute function note_outbox_mail();
    alter table outbox drop constraint outbox_ended_as_check;
    insert into outbox (id, kind, lane, facts, created_at, due_at, expires_at, ended_at, ended_as)
      values (gen_random_uuid(), 'operator_notice', 'other', '{}', now(), now(), now(), now(), 'left');
    alter table outbox add constraint outbox_ended_as_check check (ended_as in ('sent', 'unneeded', 'left'));
    alter table position_events add column planned_at timestamptz, add column work_written boolean not null default false;
    create index position_events_without_work on position_events (created_at) where not work_written;
    create index trader_stats_rank on trader_stats (gain_avg desc)`)
}

test('a database that took every step before 1.0.0 goes on with what it has, and loses what no code knows any more', async () => {
  await using current = await openTestDatabase()
  const schema = generateSchema(current.url)
  await using database = await openEarlierDatabase('0009')
  await leaveAsUnreleased(database, '0076_payments_work.sql')
  expect(await isMigrated(database.pool)).toBe(false)
  await Promise.all([1, 2].map(() => migrate(database.url, silentLog)))
  expect(await isMigrated(database.pool)).toBe(true)
  expect(generateSchema(database.url)).toBe(schema)
  const { rows } = await database.pool.query(
    `select email, ended_as, to_regclass('trader_stats_rank') as left from users, outbox`,
  )
  expect(rows).toEqual([{ email: 'maria@people.example', ended_as: 'unneeded', left: null }])
})

test('a database that stopped at an earlier step is refused, with what to do, and stays as it is', async () => {
  await using database = await openEarlierDatabase('0009')
  await leaveAsUnreleased(database, '0049_names_by_bytes.sql')
  const schema = generateSchema(database.url)
  await expect(migrate(database.url, silentLog)).rejects.toThrow(
    'The database stopped at 0049_names_by_bytes.sql, before 1.0.0: start it once with the last version that has server/migrations/0076_payments_work.sql, then with this one.',
  )
  expect(generateSchema(database.url)).toBe(schema)
  const { rows } = await database.pool.query('select name from migrations order by name')
  expect(rows).toEqual([{ name: '0001_auth.sql' }, { name: '0049_names_by_bytes.sql' }])
})

test('an applied migration that was edited is refused', async () => {
  await using database = await openTestDatabase()
  await database.pool.query("update migrations set sha256 = 'another' where name like '0001%'")
  await expect(migrate(database.url, silentLog)).rejects.toThrow('was edited after it had been applied')
})

test('the types of the tables are those of the migrations', async () => {
  await using database = await openTestDatabase()
  expect(generateSchema(database.url)).toBe(
    readFileSync(join(import.meta.dirname, '../database/schema.ts'), 'utf8'),
  )
})
