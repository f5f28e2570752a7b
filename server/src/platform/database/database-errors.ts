import pg from 'pg'

/**
 * Whether an error is the database refusing a duplicate (SQLSTATE 23505) by this constraint or unique index. Any other duplicate is a
 * fault of ours. Citus adds the number of a shard to the name.
 */
export function isUniqueViolation(error: unknown, constraint: string): boolean {
  return (
    error instanceof pg.DatabaseError &&
    error.code === '23505' &&
    error.constraint?.replace(/_\d+$/, '') === constraint
  )
}

/** Whether an error is one that a function of the schema raises by this SQLSTATE, which no fault of the database has. */
export function isRaised(error: unknown, code: string): boolean {
  return error instanceof pg.DatabaseError && error.code === code
}

/** Citus's error when a node goes away during a commit, so that nobody knows whether it was done; it has no SQLSTATE of its own. */
const COMMIT_UNKNOWN = /^could not commit transaction for shard/

/** Whether an error means that the database cannot be reached, does not answer in time or cannot write; the caller may try again. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof pg.DatabaseError)
    return /^(08|53|57|25P0[34])/.test(error.code ?? '') || COMMIT_UNKNOWN.test(error.message)
  return isDatabaseAway(error)
}

/** Whether an error means that the database cannot be reached or does not answer at all. */
export function isDatabaseAway(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return /^(08|57P)/.test(error.code ?? '')
  if (!(error instanceof Error)) return false
  const code = (error as NodeJS.ErrnoException).code ?? ''
  return (
    ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOENT'].includes(code) ||
    /timeout exceeded when trying to connect|timeout expired|Query read timeout|Connection terminated|Client (?:has encountered a connection error|was closed and is not queryable)/i.test(
      error.message,
    )
  )
}

const STATEMENT_TOOK_TOO_LONG = '57014'

/** Whether an error is the server's, that a statement took longer than it may. */
export function tookTooLong(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === STATEMENT_TOOK_TOO_LONG
}

/** Whether an error is the database's answer to a statement, which then was not done, and not a failure of the database itself. */
export function isAnswer(error: unknown): boolean {
  return error instanceof pg.DatabaseError && !isDatabaseAway(error)
}
