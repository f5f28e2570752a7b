/**
 * Checks every statement that the product sends in a test against the rules of a database that is distributed over nodes (ADR 0069),
 * without such a database: a statement on a distributed table names a trader and no other table that is not distributed by trader. A
 * statement that breaks a rule fails the test that sends it. Exceptions are listed here with their reasons.
 */
import pg from 'pg'
import { LOCAL, SHARDED } from '../../src/platform/distribution/distributed-tables.ts'
import { whoseStatement } from './whose-statement.ts'

/** By words that the statement alone has. */
type Exceptions = readonly (readonly [words: string, reason: string])[]

const OTHER_FORM = 'used where all tables are on one node; `isDistributed` chooses another form'
const OF_ONE = 'its other tables are asked for one row or one person, which Citus sends to the node'

/** Statements that name both: distributed tables and others. */
const TOGETHER: Exceptions = [
  ['with heard as materialized', OTHER_FORM],
  ['counted.unread', OTHER_FORM],
  ['select distinct trader_id, event_no from mails', 'of all traders, every five minutes a process'],
  ['event.kind, event.created_at as at, position.symbol, account.username', OF_ONE],
  ['with follower as materialized', OF_ONE],
  ['as is_mailed from position_events', OF_ONE],
  ['"account"."username" as "trader", "position"."symbol"', OF_ONE],
  ['insert into trader_stats', OF_ONE],
  ['from position_events opened', OF_ONE],
  ['insert into trader_sparklines', 'a job’s, of a hundred traders'],
  ['with meant as', 'an operator’s, after a restore'],
  ['"work"."last_fault" as "fault"', 'an operator’s'],
  ['delete from event_backfills', 'once for each trader, when a reader is new'],
  ['insert into symbol_marks', 'a job’s, once a session'],
]

/** Statements that ask every node. */
const SCANS: Exceptions = [
  ['asked (trader_id)', OTHER_FORM],
  ['span (trader_id, first, beyond)', OTHER_FORM],
  ['max("event_no") as "eventNo"', 'of the last minutes, by an index, every twenty seconds a worker'],
  ['from positions group by symbol', 'a job’s, of all symbols that somebody holds'],
  ['from "positions" where "symbol" =', 'an operator’s'],
  ['select "trader_id" from "positions" where "id" =', 'an operator’s'],
  [
    'from positions position where position.symbol =',
    'an operator’s, and a sweep’s of tickers that have no price or are not listed any more',
  ],
  ['from position_adjustments where retraction_id =', 'an operator’s, by an index'],
  [
    'update positions position set ticker_lost_on',
    'a sweep’s, on a day on which a ticker is another company’s',
  ],
  [
    'from positions where unsettled',
    'a sweep’s, by an index of unsettled closes, every twenty seconds a worker',
  ],
  [
    'where public_mail_due <=',
    'a sweep’s, by indexes of when they are due and of those of an upgrade, every twenty seconds a worker',
  ],
]

const nameOf = (tables: readonly string[]) =>
  new RegExp(
    `(?:\\b(?:from|join|into|update|using|only|table)|\\bfrom "\\w+",)\\s+"?(?:${tables.join('|')})"?(?![\\w".])`,
    'i',
  )
const isSharded = nameOf(SHARDED)
const isLocal = nameOf(LOCAL)
const WRITES_ROWS = new RegExp(`^\\s*insert\\s+into\\s+"?(?:${SHARDED.join('|')})"?\\s*\\(`, 'i')
const NAMES_TRADERS = /"?trader_id"?\s*(?:=\s*(?:any\s*\()?\s*\$\d|in\s*\(\s*\$\d)/i
const IS_STATEMENT = /^\s*(?:select|insert|update|delete|with|merge)\b/i

const seen = new Set<string>()

/** @throws when a statement of the product's breaks a rule and is not listed */
function hold(text: string): void {
  if (seen.has(text)) return
  seen.add(text)
  if (!IS_STATEMENT.test(text) || !isSharded.test(text)) return
  const file = whoseStatement()
  if (file === null) return
  if (isLocal.test(text) && !isListed(TOGETHER, text)) fail('tables of several nodes', file, text)
  const named = NAMES_TRADERS.test(text) || WRITES_ROWS.test(text)
  if (!named && !isLocal.test(text) && !isListed(SCANS, text)) fail('no trader', file, text)
}

function isListed(exceptions: Exceptions, text: string): boolean {
  return exceptions.some(([words]) => text.includes(words))
}

function fail(what: string, file: string, text: string): never {
  seen.delete(text)
  throw new Error(
    `A statement of ${file} names ${what}, which a distributed database does not answer (server/test/database/statement-rules.ts):\n${text}`,
  )
}

type Query = (this: unknown, ...args: unknown[]) => unknown

const { prototype } = pg.Client as unknown as { prototype: { query: Query } }
const { query } = prototype
prototype.query = function (this: unknown, ...args: unknown[]) {
  const sent = args[0]
  const text = typeof sent === 'string' ? sent : (sent as { text?: unknown } | null)?.text
  if (typeof text === 'string') hold(text)
  return query.apply(this, args)
}
