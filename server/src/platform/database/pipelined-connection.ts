import type { PostgresPool, PostgresPoolClient } from 'kysely'
import type pg from 'pg'
import { DatabaseClient } from './database-client.ts'

/**
 * One connection that everybody shares, as a pool that the query builder can use: statements are sent one after the
 * other without waiting for answers (pipelining, node-postgres.com/features/pipelining), so that under load many
 * travel together. It opens with the first statement, and again with the first one after it was lost; those that were
 * under way then fail as they do on any lost connection.
 *
 * Everybody waits for the one before, so it is for short reads only. A transaction would take in the statements of
 * others: it is refused.
 * @param config of the connection
 * @param prepare is given each connection before it opens
 */
export function makePipelinedConnection(
  config: pg.ClientConfig,
  prepare: (client: pg.Client) => void,
): PostgresPool {
  let current: { client: pg.Client; opened: Promise<PostgresPoolClient> } | null = null

  function open() {
    const client = new DatabaseClient({ ...config, pipeline: true })
    const forget = () => {
      if (current?.client === client) current = null
    }
    client.on('error', forget).on('end', forget)
    prepare(client)
    const opened = client.connect().then(() => shared(client))
    opened.catch(forget)
    return { client, opened }
  }

  return {
    options: config,
    connect() {
      current ??= open()
      return current.opened
    },
    async end() {
      await current?.client.end()
    },
  }
}

function shared(client: pg.Client): PostgresPoolClient {
  const send = client.query.bind(client) as (text: string, values: unknown[]) => Promise<pg.QueryResult>
  const single = async (text: string, values: unknown[]) => {
    // The commands of a transaction have no parameters.
    if (values.length === 0) throw new Error('a connection that everybody shares takes no transaction')
    return send(text, values)
  }
  return Object.assign(client, { query: single as typeof client.query, release() {} })
}
