import { sql } from 'kysely'
import pg from 'pg'
import type { Database } from '../database/database.ts'
import { isDatabaseAway } from '../database/database-errors.ts'
import { type Queryable, withTransaction } from '../database/queryable.ts'

/** SQLSTATEs of a statement that somebody prepared on another connection of the server, or of the same name on this one. */
const NOT_KEPT = ['26000', '42P05']
const PROTOCOL_VIOLATION = '08P01'

const FORGETS =
  'DATABASE_URL leads to a pooler that keeps no prepared statements. PgBouncer does from version 1.21 on, with max_prepared_statements above 0; or set pool_mode = session there.'
const TAKES_NO_LIMITS =
  'DATABASE_URL leads to a pooler that refuses our limits for statements. Name the database itself in DATABASE_DIRECT_URL beside it, and give its role the limits (docs/operations.md).'

/**
 * Tries at a start what every request needs of the database: a statement that was prepared once and is run over several of its
 * connections, as a pooler of transactions lends them.
 * @throws with what is wrong and what to do about it
 */
export async function requireUsableDatabase({
  db,
  pipelined,
}: Pick<Database, 'db' | 'pipelined'>): Promise<void> {
  try {
    await ask(pipelined)
    if (await isAnsweredBeside(db, pipelined)) return
    // A pooler with a single connection has it wait for the transaction. Somebody else prepares the same statement on that one then.
    await ask(db)
  } catch (error) {
    const sentence = sentenceFor(error)
    throw sentence === null ? error : new Error(sentence, { cause: error })
  }
}

const ask = (way: Queryable) => sql`select ${1}::int as one`.execute(way)

/** Asks during a transaction, which takes the server's connection that was just used: the pooler has to lend another one. */
function isAnsweredBeside(db: Queryable, pipelined: Queryable): Promise<boolean> {
  return withTransaction(db, async (tx) => {
    await sql`select 1`.execute(tx)
    try {
      await ask(pipelined)
      return true
    } catch (error) {
      if (isDatabaseAway(error)) return false
      throw error
    }
  })
}

function sentenceFor(error: unknown): string | null {
  if (!(error instanceof pg.DatabaseError)) return null
  if (NOT_KEPT.includes(error.code ?? '')) return FORGETS
  const isAboutStart = error.code === PROTOCOL_VIOLATION && error.message.includes('startup parameter')
  return isAboutStart ? TAKES_NO_LIMITS : null
}
