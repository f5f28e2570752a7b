import { pino } from 'pino'

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
 * JSON lines in production, readable lines for people.
 * @param level a pino level
 */
export function makeLog(level: string, readable: boolean): Log {
  return pino({
    level,
    redact: {
      paths: REDACTED.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
      censor: '[redacted]',
    },
    ...(readable && {
      transport: { target: 'pino-pretty', options: { ignore: 'pid,hostname', translateTime: 'HH:MM:ss.l' } },
    }),
  })
}
