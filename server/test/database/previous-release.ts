import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type pg from 'pg'

const MIGRATIONS = join(import.meta.dirname, '../../migrations')
const RECORD = join(import.meta.dirname, 'previous-statements.json')

/** The statements of the previous release and its schema, as `node scripts/record-statements.ts` has recorded them. */
export type Release = {
  /** The last of its migrations. */
  migration: string
  /** By file below server/src. */
  statements: Record<string, string[]>
}

export function readPreviousRelease(): Release {
  return JSON.parse(readFileSync(RECORD, 'utf8')) as Release
}

export function migrationsSince({ migration }: Release): { name: string; sql: string }[] {
  const names = readdirSync(MIGRATIONS).filter((name) => name.endsWith('.sql') && name > migration)
  return names.sort().map((name) => ({ name, sql: readFileSync(join(MIGRATIONS, name), 'utf8') }))
}

/**
 * Statements of a release that a schema takes no longer: it does not know what they name, or they insert rows without a value that
 * every row needs.
 * @returns a sentence each, with the file that sends the statement
 */
export async function refusedStatements(client: pg.ClientBase, { statements }: Release): Promise<string[]> {
  const sent = Object.entries(statements).flatMap(([file, texts]) => texts.map((text) => ({ file, text })))
  const needed = await neededColumns(client)
  await client.query(COMPILE)
  const { rows } = await client.query<{ plan: [{ Plan: Plan }] | null; fault: string | null }>(
    'select plan, fault from pg_temp.compile($1)',
    [sent.map(({ text }) => text)],
  )
  return sent.flatMap(({ file, text }, nth) => {
    const { plan = null, fault = 'not compiled' } = rows[nth] ?? {}
    const missing = plan ? insertsOf(plan[0].Plan).flatMap((insert) => left(insert, needed)) : []
    const wrong = missing.length > 0 ? `no value for ${missing.join(', ')}` : fault
    return wrong === null ? [] : [`${file}: ${wrong}, of: ${text.replaceAll(/\s+/g, ' ').trim()}`]
  })
}

/**
 * Prepares texts, with parameters of the types that it finds, and plans each for any values of them; here, since each by itself is a way
 * there and back.
 */
const COMPILE = `
  create or replace function pg_temp.compile(texts text[]) returns table (plan json, fault text) language plpgsql as $$
  declare
    text text;
    nulls text;
  begin
    set local plan_cache_mode = force_generic_plan;
    set local lc_messages = 'C';
    foreach text in array texts loop
      plan := null; fault := null;
      begin
        execute 'prepare said as ' || text;
        select '(' || nullif(array_to_string(array_fill('null'::text, array[cardinality(parameter_types)]), ', '), '') || ')'
          into nulls from pg_prepared_statements where name = 'said';
        execute 'explain (verbose, format json) execute said' || coalesce(nulls, '') into plan;
      exception when others then fault := sqlerrm;
      end;
      if exists (select from pg_prepared_statements where name = 'said') then deallocate said; end if;
      return next;
    end loop;
  end $$`

/** @returns the number and name of each column that every row needs, by table */
async function neededColumns(
  client: pg.ClientBase,
): Promise<Map<string, { number: number; name: string }[]>> {
  const { rows } = await client.query<{ table: string; name: string; number: number }>(
    `select relnamespace::regnamespace || '.' || relname as table, attname as name, attnum as number
     from pg_attribute join pg_class on pg_class.oid = attrelid
     where relkind in ('r', 'p') and attnum > 0 and attnotnull and not attisdropped and attgenerated = ''`,
  )
  return Map.groupBy(rows, ({ table }) => table)
}

type Plan = {
  'Node Type': string
  Operation?: string
  Schema?: string
  'Relation Name'?: string
  Output?: string[]
  Plans?: Plan[]
}

/** Each insert of a plan: its table, and what it puts into each of the table's columns, in their order. */
function insertsOf(plan: Plan): { table: string; values: string[] }[] {
  const below = plan.Plans ?? []
  const found = below.flatMap(insertsOf)
  if (plan['Node Type'] !== 'ModifyTable' || plan.Operation !== 'Insert') return found
  // `Outer` is the part that the rows come from; other parts of the statement are beside it.
  const rows = below.find(
    (part) => (part as { 'Parent Relationship'?: string })['Parent Relationship'] === 'Outer',
  )
  return [...found, { table: `${plan.Schema}.${plan['Relation Name']}`, values: rows?.Output ?? [] }]
}

/** @returns the columns that every row needs, and an insert gives no value */
function left(
  { table, values }: { table: string; values: string[] },
  needed: Map<string, { number: number; name: string }[]>,
): string[] {
  const columns = needed.get(table) ?? []
  return columns
    .filter(({ number }) => values[number - 1]?.startsWith('NULL::'))
    .map(({ name }) => `${table}.${name}`)
}

/** The values that a schema allows and forbids: lines, each with its subject (a column or a type; a table). */
export type Terms = { allowed: Map<string, string>; forbidden: Map<string, string> }

const OURS = `relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`
const COLUMNS = `(select relname || '.' || attname as about, format_type(atttypid, atttypmod)
    || coalesce(' in ' || nullif(nullif(attcollation, 0)::regcollation::text, '"default"'), '') as type, attnotnull
  from pg_attribute join pg_class on pg_class.oid = attrelid
  where ${OURS} and attnum > 0 and not attisdropped) as columns`

export async function termsOf(client: pg.ClientBase): Promise<Terms> {
  const ask = async (sql: string) => {
    const { rows } = await client.query<{ about: string; line: string }>(sql)
    return new Map(rows.map(({ about, line }) => [line, about]))
  }
  return {
    allowed: await ask(`
      select about, 'column ' || about || ' is ' || type as line from ${COLUMNS}
      union all
      select about, 'column ' || about || ' may be null' from ${COLUMNS} where not attnotnull
      union all
      select typname, 'type ' || typname || ' has the value ' || enumlabel
      from pg_enum join pg_type on pg_type.oid = enumtypid where typnamespace = 'public'::regnamespace`),
    forbidden: await ask(`
      select relname as about, 'constraint ' || conname || ' of ' || relname || ': ' || pg_get_constraintdef(pg_constraint.oid) as line
      from pg_constraint join pg_class on pg_class.oid = conrelid where ${OURS} and contype <> 'n'
      union all
      select relname, pg_get_indexdef(indexrelid)
      from pg_index join pg_class on pg_class.oid = indrelid where ${OURS} and indisunique`),
  }
}

/**
 * Lists what the columns and tables of both schemas no longer allow, or forbid now, so that a value which the previous release writes
 * may be refused. Whether it can do without what is gone, `refusedStatements` checks.
 * @returns a line each
 */
export function tightened(before: Terms, after: Terms): string[] {
  const [stays, wasThere] = [new Set(after.allowed.values()), new Set(before.forbidden.values())]
  const lost = [...before.allowed].filter(([line, about]) => stays.has(about) && !after.allowed.has(line))
  const gained = [...after.forbidden].filter(
    ([line, about]) => wasThere.has(about) && !before.forbidden.has(line),
  )
  return [...lost.map(([line]) => `no longer: ${line}`), ...gained.map(([line]) => `new: ${line}`)]
}
