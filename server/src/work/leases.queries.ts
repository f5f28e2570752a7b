import type pg from 'pg'

/**
 * A table of work: rows that a worker leases, with the columns `lease_owner` and `leased_at`.
 * @property key columns of its key with their types, of which values are lists in this order
 */
export type WorkTable = { name: string; key: Readonly<Record<string, 'uuid' | 'bigint' | 'text'>> }

/** The worker that leases, and the leases that are free: those from before `staleBefore` belong to a worker that hangs. */
export type LeaseTerms = { number: number; now: Date; staleBefore: Date }

type Client = Pick<pg.ClientBase, 'query'>

/** Puts the leases of a process under its new number; not those that another worker has taken over meanwhile. */
export async function adoptLeases(
  client: Client,
  table: WorkTable,
  of: { number: number; before: readonly number[]; keys: readonly unknown[][] },
): Promise<void> {
  await client.query(
    `update ${table.name} leased set lease_owner = $1 ${matching(table)} and leased.lease_owner = any($2::int[])`,
    [of.number, of.before, ...columns(table, of.keys)],
  )
}

/** Shows that this worker is alive, however slow other systems are: its leases do not expire. */
export async function renewLeases(
  client: Client,
  table: WorkTable,
  of: { number: number; now: Date; keys: readonly unknown[][] },
): Promise<void> {
  await client.query({
    name: `renew-${table.name}`,
    text: `update ${table.name} leased set leased_at = $2 ${matching(table)} and leased.lease_owner = $1`,
    values: [of.number, of.now, ...columns(table, of.keys)],
  })
}

/** Gives items back that could not be begun, for any worker to take. */
export async function releaseLeases(
  client: Client,
  table: WorkTable,
  of: { numbers: readonly number[]; keys: readonly unknown[][] },
): Promise<void> {
  await client.query(
    `update ${table.name} leased set lease_owner = null, leased_at = $2 ${matching(table)} and leased.lease_owner = any($1::int[])`,
    [of.numbers, null, ...columns(table, of.keys)],
  )
}

/** In SQL, the rows of keys that are given from the third parameter on, a list for each column. */
function matching({ key }: WorkTable): string {
  const names = Object.keys(key)
  const lists = Object.values(key).map((type, nth) => `$${nth + 3}::${type}[]`)
  const same = names.map((name) => `leased.${name} = held.${name}`)
  return `from unnest(${lists.join(', ')}) as held (${names.join(', ')}) where ${same.join(' and ')}`
}

function columns({ key }: WorkTable, keys: readonly unknown[][]): unknown[][] {
  return Object.keys(key).map((_, nth) => keys.map((values) => values[nth]))
}
