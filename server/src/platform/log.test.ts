import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import pg from 'pg'
import { expect, test } from 'vitest'
import { reasonOf } from './log.ts'

/** Returns the output of a process that logs a line. */
function written(readable: boolean): string {
  const program = `import { makeLog } from ${JSON.stringify(join(import.meta.dirname, 'log.ts'))}
    makeLog('info', ${readable}).info({ token: 'secret' }, 'hello')`
  return execFileSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' })
}

test('a line of the log is JSON for programs and plain words for people, and holds no secret in either', () => {
  expect(JSON.parse(written(false))).toMatchObject({ level: 30, msg: 'hello', token: '[redacted]' })
  const line = written(true)
  expect(line).toMatch(/^\[\d\d:\d\d:\d\d\.\d+\] .*INFO.*hello/)
  expect(line).not.toContain('secret')
})

/** An error of PostgreSQL, with a code and words. */
const answer = (code: string, message: string) =>
  Object.assign(new pg.DatabaseError(message, message.length, 'error'), {
    code,
    detail: 'Key (email)=(ada@example.com)',
  })

for (const [error, reason] of [
  [new Error('Query read timeout'), 'Error: Query read timeout'],
  [
    Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' }),
    'Error ECONNREFUSED: connect ECONNREFUSED 127.0.0.1:5432',
  ],
  [
    new TypeError('fetch failed', { cause: new Error('self-signed certificate') }),
    'TypeError: fetch failed, because of Error: self-signed certificate',
  ],
  [
    new AggregateError([new Error('no route to host')], ''),
    'AggregateError, because of Error: no route to host',
  ],
  [
    answer('42P01', 'relation "rate_limits" does not exist'),
    'error 42P01: relation "rate_limits" does not exist',
  ],
  [
    answer('22P02', 'invalid input syntax for type uuid: "ada"'),
    'error 22P02: invalid input syntax for type uuid: …',
  ],
  [
    new SyntaxError(`Unexpected token 'x', "xAda Lovela"... is not valid JSON`),
    'SyntaxError: Unexpected token …... is not valid JSON',
  ],
  [new Error('550 5.1.1 <ada@example.com>: no such user'), 'Error: 550 5.1.1 … no such user'],
  [
    new Error("code 482913 isn't that of the session eyJhbGciOiJFUzI1NiIsImtpZCI6IjEifQ"),
    "Error: code … isn't that of the session …",
  ],
  ['words', 'string'],
] as const)
  test(`the cause of a fault is logged in words without what they quote: ${reason}`, () => {
    expect(reasonOf(withoutPlace(error))).toBe(reason)
  })

function withoutPlace(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  error.stack = ''
  withoutPlace(error.cause)
  if (error instanceof AggregateError) error.errors.forEach(withoutPlace)
  return error
}

test('the place in the sources at which a fault arose stands behind its words', () => {
  expect(reasonOf(new Error('as asked'))).toMatch(/^Error: as asked: at .*\/src\/platform\/log\.test\.ts:\d+/)
})
