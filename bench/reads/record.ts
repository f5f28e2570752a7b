import { Kysely, PostgresDialect } from 'kysely'
import type pg from 'pg'
import type { Queryable } from '../../server/src/platform/database/queryable.ts'
import type { DB } from '../../server/src/platform/database/schema.ts'

/** The statements of one read, in their order. */
export type Conversation = { text: string; values: unknown[] }[]

/**
 * The statements that a piece of the product sends to the database the second time: by then it has what it keeps.
 * @param make is given what records, and answers the piece
 */
export async function record(
  pool: pg.Pool,
  make: (db: Queryable) => () => Promise<unknown>,
): Promise<Conversation> {
  const sent: Conversation = []
  const db = new Kysely<DB>({
    dialect: new PostgresDialect({ pool }),
    log: ({ query }) => void sent.push({ text: query.sql, values: [...query.parameters] }),
  })
  const work = make(db)
  await work()
  sent.splice(0)
  await work()
  return sent
}
