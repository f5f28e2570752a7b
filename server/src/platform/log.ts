import { pino } from 'pino'
import { prettyFactory } from 'pino-pretty'

export type Log = pino.Logger

/** What must never reach a log, wherever it hides in a logged object. */
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

/** The kind of a fault and where it arose, without its message: messages quote data. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  const code = (error as NodeJS.ErrnoException).code
  const place = error.stack
    ?.split('\n')
    .find((line) => line.includes('/src/'))
    ?.trim()
  return [error.name, code, place].filter(Boolean).join(' ')
}
