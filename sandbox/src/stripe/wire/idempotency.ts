import { createHash } from 'node:crypto'
import { ApiError, invalid } from '../refusals/errors.ts'
import { fields, number, text } from '../shape/shape.ts'
import type { Database } from '../store/database.ts'

const KEPT_SECONDS = 24 * 3600

const answerRow = fields({ request: text, request_id: text, status: number, body: text })

export type Answer = { status: number; body: string }

export type Remembered = Answer & { requestId: string }

/** A digest of a request's target and body; requests with equal digests count as the same. */
export function fingerprint(method: string, path: string, body: string): string {
  return createHash('sha256').update(`${method} ${path}\n${body}`).digest('hex')
}

/**
 * The answer that this key already got (docs.stripe.com/api/idempotent_requests); null when it is new or older than a
 * day.
 * @throws ApiError when the key came with another request before
 */
export function recall(db: Database, key: string, request: string, now: number): Remembered | null {
  if (key.length > 255) throw invalid('Idempotency-Key is too long: it can be at most 255 characters.')
  db.run('DELETE FROM idempotency WHERE created < ?', now - KEPT_SECONDS)
  const row = db.get(
    answerRow,
    'SELECT request, request_id, status, body FROM idempotency WHERE key = ?',
    key,
  )
  if (row === undefined) return null
  if (row.request !== request)
    throw new ApiError(400, {
      type: 'idempotency_error',
      message: `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`,
    })
  return { status: row.status, body: row.body, requestId: row.request_id }
}

/** Keeps an answer in the transaction of the work itself, so that a crash leaves both or neither. */
export function remember(
  db: Database,
  key: string,
  request: string,
  requestId: string,
  answer: Answer,
  now: number,
): void {
  db.run(
    'INSERT OR REPLACE INTO idempotency (key, request, request_id, status, body, created) VALUES (?, ?, ?, ?, ?, ?)',
    key,
    request,
    requestId,
    answer.status,
    answer.body,
    now,
  )
}

export function inFlight(key: string): ApiError {
  return new ApiError(409, {
    type: 'idempotency_error',
    code: 'idempotency_key_in_use',
    message: `There is currently another in-progress request using this Idempotent Key (that probably means you submitted twice, and the other request is still going through): ${key}. Please try again later.`,
  })
}
