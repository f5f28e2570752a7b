import pg from 'pg'
import { pino } from 'pino'
import { prettyFactory } from 'pino-pretty'

export type Log = pino.Logger

/** Fields that must never reach a log: of a logged object, of its objects, and of theirs. */
const REDACTED = [
  'authorization',
  'cookie',
  'email',
  'token',
  'token_hash',
  'access_token',
  'refresh_token',
  'key',
  'code',
]

/**
 * JSON lines in production, readable lines for people. A log that cannot be written, because its terminal has been closed,
 * is no reason to fail.
 * @param level a pino level
 */
export function makeLog(level: string, readable: boolean): Log {
  const redact = {
    paths: REDACTED.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
    censor: '[redacted]',
  }
  return pino({ level, redact }, readable ? readableLines() : jsonLines())
}

function jsonLines(): pino.DestinationStream {
  return pino.destination(1).on('error', () => undefined)
}

/** Writes in this thread: a separate thread that cannot write any more keeps the process from ending for 10 seconds. */
function readableLines(): pino.DestinationStream {
  const toLine = prettyFactory({ ignore: 'pid,hostname', translateTime: 'HH:MM:ss.l' })
  return { write: (json) => process.stdout.write(toLine(json)) }
}

/** Errors that are named at most: the error, its cause, and that one's. */
const MAX_CAUSES = 3
const MAX_LENGTH = 200
/** Classes of SQLSTATE whose messages quote what a person sent: data exceptions, and errors raised in functions of the database. */
const QUOTES_DATA = /^(22|P0)/
/** Quoted text: from the first quotation mark to the last, to the end where none closes. An apostrophe within a word is no such mark. */
const QUOTED = /(^|[^\p{L}\p{N}])["'`“‘](?:.*["'`”’](?!\p{L})|.*$)/u

/**
 * Describes an error for a log: its class and code, its message, the place in our code, and the same of its causes. The message
 * loses quoted text, addresses, long numbers and tokens; of PostgreSQL's it keeps quoted names, such as a constraint's.
 */
export function reasonOf(error: unknown): string {
  return causesOf(error).map(describe).join(', because of ')
}

/** The error, and its causes. Of several errors at once (a host with two addresses) the first counts. */
function causesOf(error: unknown): unknown[] {
  const causes = [error]
  for (let cause = causeOf(error); cause !== undefined && causes.length < MAX_CAUSES; cause = causeOf(cause))
    causes.push(cause)
  return causes
}

function causeOf(error: unknown): unknown {
  if (error instanceof AggregateError && error.message === '') return error.errors[0]
  return error instanceof Error ? error.cause : undefined
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  const { code } = error as NodeJS.ErrnoException
  const kind = [error.name, code].filter((part) => typeof part === 'string' && part !== '').join(' ')
  return [kind, wordsOf(error), placeOf(error)].filter(Boolean).join(': ')
}

function wordsOf(error: Error): string {
  const words = issuesOf(error) ?? error.message.split('\n')[0] ?? ''
  const namesThings = error instanceof pg.DatabaseError && !QUOTES_DATA.test(error.code ?? '')
  return withoutData(namesThings ? words : words.replace(QUOTED, '$1…')).slice(0, MAX_LENGTH)
}

/** Describes where a value differs from its zod schema; null for any other error. */
function issuesOf(error: Error): string | null {
  const { issues } = error as { issues?: { path: PropertyKey[]; code: string }[] }
  if (!Array.isArray(issues)) return null
  return issues.map(({ path, code }) => `${path.map(String).join('.')} ${code}`).join('; ')
}

function withoutData(words: string): string {
  return words
    .replace(/\S*@\S*/g, '…')
    .replace(/\d{6,}/g, '…')
    .replace(/(?=[\w-]*\d)[\w-]{24,}/g, '…')
}

/** The first place of the stack in a source of ours, or in the build of `npm start`, where the function's name identifies it. */
function placeOf(error: Error): string | undefined {
  return error.stack
    ?.split('\n')
    .find((line) => /\/(?:src|server\/dist)\//.test(line))
    ?.trim()
}
