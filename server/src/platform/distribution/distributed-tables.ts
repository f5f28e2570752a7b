/**
 * Which tables live where on Citus, which is PostgreSQL whose large tables are distributed over several servers (ADR 0069). On one
 * PostgreSQL all of them are in one place, and nothing of this file has an effect.
 */
import { sql } from 'kysely'
import type pg from 'pg'
import { DatabaseClient } from '../database/database-client.ts'
import type { Queryable } from '../database/queryable.ts'

/**
 * Tables of publishing, distributed by trader: all rows of one trader are on one node. These grow with every position and every day.
 * Rows elsewhere that are written in a transaction with them are committed after them: a crash between the two is mended by
 * `mendPublishing`.
 */
export const SHARDED = [
  'positions',
  'position_events',
  'position_adjustments',
  'trader_days',
  'following_prices',
] as const

/** Facts about stocks, with which positions are joined: whole on every node, written by few jobs. */
export const REFERENCE = [
  'former_symbols',
  'price_retractions',
  'symbol_days',
  'symbol_splits',
  'symbols',
] as const

/**
 * Everything else: people, money, what is counted of each trader, who is to be notified of what, and price checks, which are gone after
 * a day. On the coordinator.
 */
export const LOCAL = [
  'account_codes',
  'accounts',
  'activity_reads',
  'audit_log',
  'auth_codes',
  'backups',
  'checkout_sessions',
  'closings',
  'consents',
  'customers',
  'day_runs',
  'day_steps',
  'debts',
  'discount_codes',
  'delivery_exceptions',
  'delivery_ranges',
  'email_changes',
  'email_undos',
  'empty_month_returns',
  'event_backfills',
  'event_readers',
  'event_work',
  'exports',
  'factor_undos',
  'feedback',
  'former_customers',
  'former_usernames',
  'identities',
  'invoices',
  'late_prices',
  'leave_requests',
  'mail_plans',
  'mail_refusals',
  'mail_reports',
  'mailgun_signatures',
  'mark_pace',
  'mfa_challenges',
  'mfa_factors',
  'migrations',
  'operator_notices',
  'otp_challenges',
  'outbox',
  'own_prices',
  'payout_accounts',
  'price_previews',
  'provider_calls',
  'push_deliveries',
  'push_devices',
  'push_keys',
  'rate_limits',
  'read_versions',
  'record_checkpoints',
  'record_entries',
  'record_gaps',
  'record_head',
  'record_keys',
  'record_plan',
  'record_texts',
  'record_tiles',
  'records',
  'recovery_codes',
  'renewal_mails',
  'report_mailbox',
  'score_runs',
  'sessions',
  'sign_in_addresses',
  'signing_keys',
  'stripe_events',
  'stripe_platform',
  'subscriptions',
  'suppressions',
  'suspect_prices',
  'suspensions',
  'symbol_directory',
  'symbol_marks',
  'trader_follower_months',
  'trader_income_months',
  'trader_prices',
  'trader_scores',
  'trader_sparklines',
  'trader_stats',
  'traders',
  'trials',
  'unread_reports',
  'unsubscribe_tokens',
  'users',
  'work',
] as const

/** Of tables that are on several nodes, and of those that are not. */
const CROSSING_KEYS = `
  select conrelid::regclass::text as table, quote_ident(conname) as name from pg_constraint
  where contype = 'f' and connamespace = 'public'::regnamespace
    and (conrelid::regclass::text = any($1)) <> (confrelid::regclass::text = any($1))
  order by 1, 2`

const distributed = new WeakMap<Queryable, Promise<boolean>>()

/**
 * Whether what traders publish is on other nodes than the rest. Asked once a database: processes are started after the layout is
 * applied. Where it is not, a statement that reads both is one and not two.
 */
export function isDistributed(db: Queryable): Promise<boolean> {
  const known = distributed.get(db)
  if (known) return known
  const asked = askWhetherDistributed(db)
  distributed.set(db, asked)
  asked.catch(() => distributed.delete(db))
  return asked
}

async function askWhetherDistributed(db: Queryable): Promise<boolean> {
  const { rows } = await sql<{
    citus: string | null
  }>`select to_regclass('pg_dist_partition')::text as citus`.execute(db)
  if (rows[0]?.citus == null) return false
  const moved =
    await sql`select from pg_dist_partition where logicalrelid = ${SHARDED[0]}::text::regclass`.execute(db)
  return moved.rows.length > 0
}

/**
 * Has the commit of a transaction in which a trader publishes not wait for the coordinator's disk. The node has committed its part to its own
 * disk by then, and what a crash of the coordinator takes from the other part is mended from that (`positions/publish/mend-publishing.ts`), as it is after a crash between
 * the two commits. So an opening waits for one disk after the other no more. Without effect as soon as the coordinator holds positions
 * itself, since there is one commit then: a table may be moved to it at any time, so this is looked up in each transaction.
 */
export async function skipCoordinatorFlush(tx: Queryable): Promise<void> {
  await sql`
    select set_config('synchronous_commit', 'off', true) where not exists (
      select from pg_dist_placement placement join pg_dist_shard shard using (shardid)
      where placement.groupid = 0 and shard.logicalrelid = any(${SHARDED}::regclass[]))`.execute(tx)
}

/** One after the other: a process that starts meanwhile waits for as long as a table is moved. */
const MOVE = {
  sharded: `select create_distributed_table($1::text::regclass, 'trader_id', colocate_with => $2)`,
  reference: 'select create_reference_table($1::text::regclass)',
}

/** `no extension`: one PostgreSQL, where every table is already where it belongs. */
export type Layout = 'no extension' | { moved: string[]; keysDropped: string[] }

/**
 * Puts every table where this file assigns it, also one that another version has put elsewhere; what is there already stays. Rows move with
 * their table. Foreign keys that would lead from one node to another are dropped, since Citus has none: the code deletes nobody, so that
 * nothing relied on them.
 * @param databaseUrl of the coordinator itself
 * @throws when a table is in no list or no node may hold rows; nothing has changed then
 */
export async function applyLayout(databaseUrl: string): Promise<Layout> {
  const client = new DatabaseClient({ connectionString: databaseUrl })
  await client.connect()
  try {
    if ((await valuesOf(client, "select extname from pg_extension where extname = 'citus'")).length === 0)
      return 'no extension'
    await requireKnownTables(client)
    await requireNodes(client)
    await client.query('begin')
    const keysDropped = await dropCrossingKeys(client)
    const moved = [...(await moveTables(client)), ...(await bringBack(client))]
    await client.query('commit')
    // The rows that a table held before it was moved stay where they were, unseen, until this empties it: also those of an earlier run that ended here.
    for (const table of [...SHARDED, ...REFERENCE])
      await client.query('select truncate_local_data_after_distributing_table($1::text::regclass)', [table])
    return { moved, keysDropped }
  } finally {
    await client.end()
  }
}

async function requireKnownTables(client: pg.Client): Promise<void> {
  const known: ReadonlySet<string> = new Set([...SHARDED, ...REFERENCE, ...LOCAL])
  const tables = await valuesOf(
    client,
    "select tablename from pg_tables where schemaname = 'public' order by 1",
  )
  const unknown = tables.filter((table) => !known.has(table))
  if (unknown.length > 0)
    throw new Error(
      `These tables are in no list of server/src/platform/distribution/distributed-tables.ts: ${unknown.join(', ')}.`,
    )
}

async function requireNodes(client: pg.Client): Promise<void> {
  const nodes = await valuesOf(
    client,
    'select nodename from pg_dist_node where isactive and shouldhaveshards',
  )
  if (nodes.length === 0)
    throw new Error('No node of the cluster may hold rows. Add one with citus_add_node first.')
}

async function dropCrossingKeys(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ table: string; name: string }>(CROSSING_KEYS, [
    [...SHARDED, ...REFERENCE],
  ])
  for (const { name, table } of rows) await client.query(`alter table ${table} drop constraint ${name}`)
  return rows.map(({ name }) => name)
}

async function moveTables(client: pg.Client): Promise<string[]> {
  const there = await valuesOf(client, 'select logicalrelid::text from pg_dist_partition')
  const missing = (tables: readonly string[]) => tables.filter((table) => !there.includes(table))
  const [first] = SHARDED
  const moved: string[] = []
  for (const table of missing(SHARDED)) {
    await client.query(MOVE.sharded, [table, table === first ? 'none' : first])
    moved.push(table)
  }
  for (const table of missing(REFERENCE)) {
    await client.query(MOVE.reference, [table])
    moved.push(table)
  }
  return moved
}

/** Tables that the layout of an earlier version distributed, and that are now on the coordinator. */
async function bringBack(client: pg.Client): Promise<string[]> {
  const tables = await valuesOf(
    client,
    "select logicalrelid::text from pg_dist_partition where partmethod = 'h' and logicalrelid::text = any($1)",
    [LOCAL],
  )
  for (const table of tables) await client.query('select undistribute_table($1::text::regclass)', [table])
  return tables
}

/** @returns the first column of what a statement finds */
async function valuesOf(client: pg.Client, statement: string, values: unknown[] = []): Promise<string[]> {
  const { rows } = await client.query<string[]>({ text: statement, rowMode: 'array', values })
  return rows.map(([value = '']) => value)
}
