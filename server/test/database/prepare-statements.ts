/**
 * `node server/test/database/prepare-statements.ts URL`: calls each function of each `.queries.ts` with arguments made from its types, over a
 * database that prepares each statement against the schema and executes none. It prints what it found as JSON (`PreparedStatements`).
 * It is a program of its own: a test runner changes the sources, and coverage would name places that are not in them.
 */
import { readdirSync } from 'node:fs'
import inspector from 'node:inspector/promises'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Kysely, PostgresDialect } from 'kysely'
import type pg from 'pg'
import ts from 'typescript'
import { DatabaseClient } from '../../src/platform/database/database-client.ts'
import type { DB } from '../../src/platform/database/schema.ts'
import { sampleArguments } from './sample-arguments.ts'

/**
 * @property statements how many different ones were prepared
 * @property refused a sentence for each that the schema does not take
 * @property missed places of SQL that no call reached, `file:line`
 */
export type PreparedStatements = { statements: number; refused: string[]; missed: string[] }

type Module = Record<string, unknown>
type Callable = (...args: unknown[]) => unknown

const SOURCES = join(import.meta.dirname, '../../src')
const [url] = process.argv.slice(2)
const client = new DatabaseClient({ connectionString: url })

type Column = { name: string; type: number }
type Described = { fault: string | null; columns: Column[] }
const described = new Map<string, Promise<Described>>()

function describe(text: string): Promise<Described> {
  const known = described.get(text) ?? prepare(text)
  described.set(text, known)
  return known
}

/** Has a statement parsed and described by messages of the wire protocol: `pg` itself would execute it. */
function prepare(text: string): Promise<Described> {
  const { promise, resolve } = Promise.withResolvers<Described>()
  let columns: Column[] = []
  const submittable = {
    submit(connection: pg.Connection) {
      connection.parse({ name: '', text, types: [] }, true)
      connection.describe({ type: 'S', name: '' }, true)
      connection.sync()
    },
    handleRowDescription({ fields }: { fields: { name: string; dataTypeID: number }[] }) {
      columns = fields.map(({ name, dataTypeID }) => ({ name, type: dataTypeID }))
    },
    handleError: (error: Error) => resolve({ fault: error.message, columns: [] }),
    handleReadyForQuery: () => resolve({ fault: null, columns }),
  }
  client.query(submittable as unknown as pg.Submittable)
  return promise
}

/** Numbers of PostgreSQL's own types (pg_type.dat), which no release changes. */
const [BOOL, BYTEA, JSON_TYPE, JSONB] = [16, 17, 114, 3802]
const NUMBERS = new Set([20, 21, 23, 701])
const INSTANTS = new Set([1082, 1114, 1184])
/** The arrays that columns of ours are answered with: text, numbers, instants, uuid. */
const ARRAYS = new Set([1005, 1007, 1009, 1015, 1016, 1022, 1115, 1182, 1185, 1231, 2951])

/** A value of a column, so that what a function does with its first answer leads to its next statement. */
function answerOf(type: number): unknown {
  if (ARRAYS.has(type)) return []
  if (NUMBERS.has(type)) return 1
  if (INSTANTS.has(type)) return new Date(0)
  if (type === BOOL) return true
  if (type === BYTEA) return Buffer.from('1')
  return type === JSON_TYPE || type === JSONB ? {} : '1'
}

/** The rest is about sessions and transactions, and names nothing of the schema. */
const CAN_BE_PREPARED = /^\s*(?:select|insert|update|delete|with|merge)\b/i
/** More repeat a statement until no row is left. */
const MOST_STATEMENTS_A_CALL = 20
const refused = new Map<string, string>()
const call = { of: '', rows: 0, statementsLeft: 0 }

async function answer(text: string) {
  call.statementsLeft -= 1
  if (call.statementsLeft < 0) throw new Error('The call has sent enough.')
  const command = /^\s*(\w+)/.exec(text)?.[1]?.toUpperCase() ?? ''
  if (!CAN_BE_PREPARED.test(text)) return { command, rowCount: 0, rows: [], fields: [] }
  const { columns, fault } = await describe(text)
  if (fault !== null) refused.set(text, `${call.of}: ${fault}, of: ${text.replaceAll(/\s+/g, ' ').trim()}`)
  const row = () => Object.fromEntries(columns.map(({ name, type }) => [name, answerOf(type)]))
  return { command, rowCount: call.rows, rows: Array.from({ length: call.rows }, row), fields: [] }
}

const session = {
  query: (sent: string | { text: string }) => answer(typeof sent === 'string' ? sent : sent.text),
  release: () => undefined,
}
const pool = { ...session, connect: async () => session, end: async () => undefined }
const db = new Kysely<DB>({ dialect: new PostgresDialect({ pool: pool as unknown as pg.Pool }) })

const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.queries.ts'))
  .map((path) => join(SOURCES, path))
const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => undefined }
const config = ts.getParsedCommandLineOfConfigFile(join(SOURCES, '../tsconfig.json'), {}, host)
const program = ts.createProgram(files, {
  ...config?.options,
  noEmit: true,
  composite: false,
  incremental: false,
})
const checker = program.getTypeChecker()

async function answered(made: () => unknown): Promise<unknown> {
  return made()
}

/** Calls a function with each list of arguments, and with no row, one and two; what it answers with, too. */
async function callEach(called: unknown, type: ts.Type): Promise<void> {
  const [signature] = type.getCallSignatures()
  if (typeof called !== 'function' || !signature) return
  for (const args of sampleArguments({ checker, given }, signature))
    for (const rows of [0, 1, 2]) {
      Object.assign(call, { rows, statementsLeft: MOST_STATEMENTS_A_CALL })
      // Made values need not make sense to it: it has sent by then what it sends.
      const made = await answered(() => (called as Callable)(...args)).catch(() => undefined)
      if (typeof made === 'function') await callEach(made, signature.getReturnType())
    }
}

async function callAll(file: string, module: Module): Promise<void> {
  const parsed = program.getSourceFile(file)
  const symbol = parsed && checker.getSymbolAtLocation(parsed)
  for (const exported of symbol ? checker.getExportsOfModule(symbol) : []) {
    call.of = `${relative(SOURCES, file)} ${exported.name}`
    const [value, type] = [module[exported.name], checker.getTypeOfSymbol(exported)]
    await callEach(value, type)
    if (typeof value === 'object' && value !== null)
      for (const property of type.getProperties())
        await callEach((value as Module)[property.name], checker.getTypeOfSymbol(property))
  }
}

const SENDS = /\.(?:execute\w*|query|selectFrom|insertInto|updateTable|deleteFrom)$/

/** Each place of a file that writes or sends SQL. */
function sqlOf(file: ts.SourceFile): number[] {
  const found: number[] = []
  const visit = (node: ts.Node): void => {
    const sends = ts.isCallExpression(node) && SENDS.test(node.expression.getText())
    if (sends || ts.isTaggedTemplateExpression(node)) found.push(node.getStart())
    node.forEachChild(visit)
  }
  visit(file)
  return found
}

type Range = { startOffset: number; endOffset: number; count: number }

/** How often the innermost block around a place ran. */
function countAt(ranges: Range[], at: number): number {
  const around = ranges.filter(({ endOffset, startOffset }) => startOffset <= at && at < endOffset)
  const size = ({ endOffset, startOffset }: Range) => endOffset - startOffset
  return around.sort((one, other) => size(one) - size(other))[0]?.count ?? 0
}

await client.connect()
const coverage = new inspector.Session()
coverage.connect()
await coverage.post('Profiler.enable')
await coverage.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
// Not before: SQL that a file writes as it is loaded would count as missed.
const [{ EVENT_WORK }, { OUTBOX }, { PUSH_TABLE }, { JOBS }, { PAYMENT_TABLES }] = await Promise.all([
  import('../../src/events/work.queries.ts'),
  import('../../src/mail/outbox/leases.queries.ts'),
  import('../../src/push/send/leases.queries.ts'),
  import('../../src/work/jobs.queries.ts'),
  import('../../src/billing/webhooks/webhooks.jobs.ts'),
])
const given = {
  Kysely: [db],
  Transaction: [db],
  Client: [session],
  Pool: [pool],
  WorkTable: [OUTBOX, PUSH_TABLE, EVENT_WORK, JOBS],
  DueTable: PAYMENT_TABLES,
}
for (const file of files) await callAll(file, (await import(pathToFileURL(file).href)) as Module)
const { result } = await coverage.post('Profiler.takePreciseCoverage')
await client.end()

const missed = files.flatMap((file) => {
  const parsed = program.getSourceFile(file)
  const script = result.find((one) => one.url === pathToFileURL(file).href)
  const ranges = script?.functions.flatMap((one) => one.ranges) ?? []
  const places = parsed ? sqlOf(parsed).filter((at) => countAt(ranges, at) === 0) : []
  return places.map(
    (at) => `${relative(SOURCES, file)}:${(parsed?.getLineAndCharacterOfPosition(at).line ?? 0) + 1}`,
  )
})
const found: PreparedStatements = {
  statements: described.size,
  refused: [...refused.values()],
  missed: [...new Set(missed)],
}
console.log(JSON.stringify(found))
process.exit()
