/**
 * Loaded into every Node process of a test run by `record-statements.ts`: notes which statements the server's own code sends, as lines of
 * JSON in the folder that STATEMENTS_FOLDER names. Statements of tests are not the product's, and tests call the product through its
 * functions: the stack at a statement's start decides whose it is.
 */
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { whoseStatement } from '../server/test/database/whose-statement.ts'

type Query = (this: unknown, ...args: unknown[]) => unknown

/** Statements that `prepare` takes; the rest is about sessions and transactions, and names no table. */
const CAN_BE_PREPARED = /^\s*(?:select|insert|update|delete|with|merge)\b/i
/** A table that tests of work make for themselves. */
const TESTS_OWN = /\bchores\b/

const folder = process.env.STATEMENTS_FOLDER
const noted = new Set<string>()

function note(query: unknown): void {
  const text = typeof query === 'string' ? query : (query as { text?: unknown } | null)?.text
  if (typeof text !== 'string' || noted.has(text) || !CAN_BE_PREPARED.test(text)) return
  if (TESTS_OWN.test(text)) return
  const file = whoseStatement()
  if (file === null) return
  noted.add(text)
  if (folder) appendFileSync(join(folder, `${process.pid}.jsonl`), `${JSON.stringify({ file, text })}\n`)
}

/** A pool's own `query` sends it later, when the stack no longer contains the caller. */
for (const { prototype } of [pg.Client, pg.Pool] as { prototype: { query: unknown } }[]) {
  const query = prototype.query as Query
  prototype.query = function (this: unknown, ...args: unknown[]) {
    note(args[0])
    return query.apply(this, args)
  }
}
