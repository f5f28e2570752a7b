import { DatabaseClient } from '../../src/platform/database/database-client.ts'
import { applyLayout } from '../../src/platform/distribution/distributed-tables.ts'

/**
 * The server that `TEST_DATABASE_URL` names, for tests that run on another PostgreSQL than the embedded one: the address of a
 * database of a superuser's, beside which the tests make theirs. Null unless given.
 */
export function findOutsideServer(): { url: string; stop(): Promise<void> } | null {
  const url = process.env.TEST_DATABASE_URL
  return url ? { url, stop: async () => undefined } : null
}

/**
 * Makes a migrated database a cluster of one node where its server has Citus to offer; elsewhere it does nothing. Its clones are
 * clusters of one node too, since shards of the only node are tables of the same database.
 * @param databaseUrl nobody may connect to it afterwards: Citus's own process would, and a database with a session cannot be cloned
 */
export async function distributeWhereCitusIs(databaseUrl: string): Promise<void> {
  const { hostname, pathname, port } = new URL(databaseUrl)
  const ask = async (text: string, values: unknown[] = []) => {
    const client = new DatabaseClient({ connectionString: databaseUrl })
    await client.connect()
    return client.query(text, values).finally(() => client.end())
  }
  const { rowCount } = await ask("select from pg_available_extensions where name = 'citus'")
  if (!rowCount) return
  await ask('create extension citus')
  await ask('select citus_set_coordinator_host($1, $2)', [hostname, port])
  await ask("select citus_set_node_property($1, $2, 'shouldhaveshards', true)", [hostname, port])
  await applyLayout(databaseUrl)
  await closeDatabase(databaseUrl, pathname.slice(1))
}

async function closeDatabase(databaseUrl: string, name: string): Promise<void> {
  const client = new DatabaseClient({
    connectionString: Object.assign(new URL(databaseUrl), { pathname: '/postgres' }).href,
  })
  await client.connect()
  try {
    await client.query(`alter database ${name} allow_connections false`)
    const others = 'select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = $1'
    await client.query(others, [name])
  } finally {
    await client.end()
  }
}
