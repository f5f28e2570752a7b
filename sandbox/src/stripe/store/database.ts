import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { readAs, type Shape } from '../shape/shape.ts'

const TABLES = `
CREATE TABLE IF NOT EXISTS objects (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  type TEXT NOT NULL,
  created INTEGER NOT NULL,
  data TEXT NOT NULL,
  hidden TEXT NOT NULL DEFAULT '{}'
) STRICT;
CREATE INDEX IF NOT EXISTS objects_by_type ON objects (type, seq);
CREATE INDEX IF NOT EXISTS objects_by_customer ON objects (type, json_extract(data, '$.customer'), seq);
CREATE INDEX IF NOT EXISTS objects_by_event_type ON objects (type, json_extract(data, '$.type'), seq);
CREATE INDEX IF NOT EXISTS objects_by_links ON objects (type, json_extract(hidden, '$.parent'), seq);

CREATE TABLE IF NOT EXISTS ledger (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  account TEXT NOT NULL,
  currency TEXT NOT NULL,
  amount INTEGER NOT NULL,
  kind TEXT NOT NULL,
  source TEXT NOT NULL,
  created INTEGER NOT NULL,
  -- The second from which it is available; null: from the first.
  available_on INTEGER
) STRICT;
CREATE INDEX IF NOT EXISTS ledger_by_account ON ledger (account, currency, amount);

CREATE TABLE IF NOT EXISTS due (
  kind TEXT NOT NULL,
  id TEXT NOT NULL,
  at INTEGER NOT NULL,
  rank INTEGER NOT NULL,
  -- The test clock by which the time is meant; null: the account's own time.
  clock TEXT,
  PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS due_by_clock ON due (clock, at, rank);

CREATE TABLE IF NOT EXISTS idempotency (
  key TEXT PRIMARY KEY,
  request TEXT NOT NULL,
  request_id TEXT NOT NULL,
  status INTEGER NOT NULL,
  body TEXT NOT NULL,
  created INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS deliveries (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  event TEXT NOT NULL,
  endpoint TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'held', 'delivered', 'given-up')),
  attempts INTEGER NOT NULL DEFAULT 0,
  next_at INTEGER NOT NULL,
  lose_next INTEGER NOT NULL DEFAULT 0,
  status INTEGER,
  remark TEXT
) STRICT;
CREATE INDEX IF NOT EXISTS deliveries_waiting ON deliveries (state, next_at);
CREATE INDEX IF NOT EXISTS deliveries_by_event ON deliveries (event);

CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
`

/** The sandbox's whole state in one SQLite file. Every method runs at once: the process has one thread of work. */
export type Database = {
  /** The first row. @throws Error when it is not of this shape, as with `all` */
  get<T>(row: Shape<T>, sql: string, ...values: SQLInputValue[]): T | undefined
  all<T>(row: Shape<T>, sql: string, ...values: SQLInputValue[]): T[]
  /** @returns the number of the row that was inserted last */
  run(sql: string, ...values: SQLInputValue[]): number
  /** All of `work` or nothing of it, also when the process is killed in the middle. */
  transaction<T>(work: () => T): T
  close(): void
}

/**
 * Opens the file, making it when it is not there; null: a database in memory. Write-ahead logging, so that a killed process leaves either the state
 * before or after each transaction; nothing has to be repaired at the next start.
 */
export function openDatabase(path: string | null): Database {
  if (path !== null) mkdirSync(dirname(path), { recursive: true })
  const sqlite = new DatabaseSync(path ?? ':memory:', { timeout: 5000 })
  sqlite.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;')
  sqlite.exec(TABLES)
  const prepared = new Map<string, StatementSync>()
  const statement = (sql: string) => {
    const known = prepared.get(sql) ?? sqlite.prepare(sql)
    prepared.set(sql, known)
    return known
  }
  let inside = false
  return {
    get(shape, sql, ...values) {
      const row = statement(sql).get(...values)
      return row === undefined ? undefined : readAs(shape, row, sql)
    },
    all: (shape, sql, ...values) =>
      statement(sql)
        .all(...values)
        .map((row) => readAs(shape, row, sql)),
    run: (sql, ...values) => Number(statement(sql).run(...values).lastInsertRowid),
    transaction(work) {
      if (inside) throw new Error('A transaction may not hold another.')
      inside = true
      sqlite.exec('BEGIN IMMEDIATE')
      try {
        const result = work()
        sqlite.exec('COMMIT')
        return result
      } catch (error) {
        sqlite.exec('ROLLBACK')
        throw error
      } finally {
        inside = false
      }
    },
    close: () => sqlite.close(),
  }
}

/**
 * Takes everything out, as if the file were new. The key of the pages' forms stays, and numbers of deliveries go on, so
 * that nothing under way can meet a stranger of the same name.
 */
export function emptyDatabase(db: Database): void {
  for (const table of ['objects', 'ledger', 'due', 'idempotency', 'deliveries'])
    db.run(`DELETE FROM ${table}`)
  db.run("DELETE FROM settings WHERE name <> 'page-secret'")
}
