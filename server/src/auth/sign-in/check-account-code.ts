import { readCode } from '@tradepost/contract/typed-code'
import type { Queryable } from '../../platform/database/queryable.ts'
import type { Client } from '../../platform/http/client.ts'
import { audit } from '../audit/audit.ts'
import type { AuthDeps } from '../keys/auth-deps.ts'
import {
  type AccountCodeRow,
  type CodeHolder,
  consumeAccountCode,
  takeAccountCodeTry,
} from './account-codes.queries.ts'
import { WRONG_TRIES_A_CODE, WRONG_TRIES_AN_HOUR } from './challenges.queries.ts'
import { isCodeOf } from './one-time-code.ts'

/** The same limits as for signing in. */
const LIMITS = { aCode: WRONG_TRIES_A_CODE, anHour: WRONG_TRIES_AN_HOUR }

/**
 * Judges a code that was mailed for a holder. A try is counted before the code is compared, right or wrong (rule G-04).
 * @param given.email of the owner
 * @param given.code as typed; one that cannot be a code is no try
 * @returns a function that uses the code up in the caller's transaction, false when another request was first; null for every
 *   kind of failure
 */
export async function checkAccountCode(
  deps: AuthDeps,
  given: { holder: CodeHolder; userId: string; email: string; code: string },
  client: Client,
  now: Date,
): Promise<((tx: Queryable) => Promise<boolean>) | null> {
  const { holder, userId, email } = given
  const code = readCode(given.code)
  if (code === null) return null
  const row = await takeAccountCodeTry(deps.db, holder, LIMITS, now)
  if (row && isCodeOf(deps.secret, boundTo(row, email), code)) {
    return (tx) => consumeAccountCode(tx, row, now)
  }
  await audit(deps, deps.db, { action: 'code_refused', userId, detail: holder.purpose, client }, now)
  return null
}

/** The values that the code of a request is bound to: it fits no other request, purpose or address. */
export function boundTo(
  row: Pick<AccountCodeRow, 'request_id' | 'purpose' | 'code_hmac' | 'secret_key_id'>,
  email: string,
) {
  const { request_id: id, purpose, code_hmac, secret_key_id } = row
  return { id, purpose, email, code_hmac, secret_key_id }
}
