import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const SOURCES = join(import.meta.dirname, '../server/src')

/** Messages that are the cause themselves; their fields only locate it. */
const CONTAIN_THEIR_CAUSE: readonly string[] = [
  // 'a webhook of another account was refused', or of another mode.
  '{ type: event.type }, what',
  'a PostgreSQL that was left behind is ended',
  // The cause is the backup.
  'people whom a restored backup had brought back were erased again',
  'a webhook came in another version of Stripe',
  'clocks disagree, or events waited: ',
  'payments were not looked at: Stripe did not answer in time',
  'postmaster.pid names a process that runs no PostgreSQL on this folder: it is removed',
  // The missing files are named.
  'readers see built-in texts: the operator has none of these',
  // The missing text, or the missing address, is named.
  'nobody can subscribe: the key takes real money, and the operator has published no terms',
  'nobody can subscribe: Stripe asks for the address of the terms in its public details',
  'so many mails bounce that they are held against nobody',
  'still waiting for ',
  'stopping took too long',
  'Stripe is not set up for this database: run `npm run stripe:setup`',
  'the disk of the database is full: nothing can be written until there is room on it',
  'what a crash had left half published was mended',
  'nothing reads the variable ',
  'PostgreSQL is running again',
  'nobody can subscribe: the key takes real money, and the operator has published no terms',
  'nobody can subscribe: Stripe asks for the address of the terms in its public details',
]
/** Fields that name the cause: the thrown error, or the code that somebody answered with. */
const CAUSES = /\b(reason|fault|replyCode|exit)\b|describeStripeError\(/

/** Each warning and error that the product logs, as its arguments are written. */
function findWarnings(): string[] {
  return readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .flatMap((file) => {
      const source = readFileSync(join(SOURCES, file), 'utf8')
      return [...source.matchAll(/\blog\.(?:warn|error)\(/gi)].map(({ 0: head, index }) =>
        untilClosed(source.slice(index + head.length)),
      )
    })
}

/** The arguments of a call, up to the bracket that closes it. */
function untilClosed(rest: string): string {
  let open = 1
  for (let at = 0; at < rest.length; at += 1) {
    if (rest[at] === '(') open += 1
    if (rest[at] === ')') open -= 1
    if (open === 0) return rest.slice(0, at)
  }
  return rest
}

test('every warning and every error of the product names its cause, or is the cause itself', () => {
  const warnings = findWarnings()
  expect(warnings.length).toBeGreaterThan(60)
  const silent = warnings.filter((warning) => !CAUSES.test(warning))
  const unlisted = silent.filter((warning) => !CONTAIN_THEIR_CAUSE.some((words) => warning.includes(words)))
  expect(unlisted).toEqual([])
  expect(CONTAIN_THEIR_CAUSE.filter((words) => !silent.some((warning) => warning.includes(words)))).toEqual(
    [],
  )
})
