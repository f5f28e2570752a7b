import { readCode } from '@tradepost/contract/typed-code'
import { queueMail } from '../../mail/outbox/queue-mail.ts'
import { type Queryable, withTransaction } from '../../platform/database/queryable.ts'
import type { Client } from '../../platform/http/client.ts'
import { newId } from '../../platform/ids.ts'
import { audit } from '../audit/audit.ts'
import type { AuthDeps } from '../keys/auth-deps.ts'
import { AuthFault } from '../keys/auth-fault.ts'
import type { BearerSession } from '../sessions/authenticate.ts'
import { markReauthenticated } from '../sessions/sessions.queries.ts'
import { type Asker, SENDS_AN_HOUR } from '../users/addresses.queries.ts'
import {
  type AccountCodeRow,
  type CodeHolder,
  consumeAccountCode,
  findRequests,
  takeAccountCodeTry,
  takeRequest,
} from './account-codes.queries.ts'
import { WRONG_TRIES_A_CODE, WRONG_TRIES_AN_HOUR } from './challenges.queries.ts'
import { takePlace } from './limit-mails.ts'
import { secondsToWait, tooManyMails } from './mail-spacing.ts'
import { CODE_LIFE_MS, isCodeOf } from './one-time-code.ts'

/**
 * A request for a code by mail. `holder`: what the person has already, a session or the link of a mail; `userId`: whose
 * mailbox gets the code; `sessionId`: null when the holder is not signed in.
 */
export type AccountCodeRequest = {
  holder: CodeHolder
  userId: string
  sessionId: string | null
  client: Client
}

/**
 * Stores a request for a code to the owner of an account, and the mail in the outbox. The limits have the numbers of signing in
 * (rule G-04) and are counted for this holder alone, so a thief uses up neither the owner's codes nor their sign-in mails
 * (ADR 0031).
 * @throws `too_many_mails` beyond these limits: for a holder one mail in `codeSpacingSeconds` and five an hour;
 *   for all people together AUTH_MAIL_LIMIT in ten minutes
 */
export async function requestAccountCode(
  deps: AuthDeps,
  request: AccountCodeRequest,
  now: Date,
): Promise<void> {
  const { limitsOn, codeSpacingSeconds } = deps.settings
  const { holder, userId, sessionId, client } = request
  const spacingMs = codeSpacingSeconds * 1000
  const limits = limitsOn ? { spacingMs, anHour: SENDS_AN_HOUR } : null
  const expiresAt = new Date(now.getTime() + CODE_LIFE_MS)
  const waitSeconds = await deps.sharedFlush.run(async (tx) => {
    const requestId = newId()
    if (!(await takeRequest(tx, { holder, id: requestId, userId, limits, isHolder: true, expiresAt }, now))) {
      return secondsToWait(await findRequests(tx, holder, now), spacingMs, now)
    }
    const asked = { action: 'code_requested', detail: holder.purpose, userId, client } as const
    await audit(deps, tx, { ...asked, ...(sessionId !== null && { sessionId }) }, now)
    await queueMail(tx, { kind: 'account_code', userId, facts: { requestId } }, now)
    // Last, since every request locks this one row. A person with a session or a link counts as a known device.
    const seconds = await takePlace(tx, { asker: 'known device', settings: deps.settings }, now)
    if (seconds !== null) throw tooManyMails(seconds)
    return null
  })
  if (waitSeconds !== null) throw tooManyMails(waitSeconds)
}

/** The same limits as for signing in. */
const LIMITS = { aCode: WRONG_TRIES_A_CODE, anHour: WRONG_TRIES_AN_HOUR }

/**
 * Judges a code that was mailed for a holder. A try is counted before the code is compared, right or wrong (rule G-04).
 * @param given.email the address that the code went to
 * @param given.asker `known device` where others can try too, and this one has shown that they are the holder
 * @param given.code as typed; one that cannot be a code is no try
 * @returns a function that uses the code up in the caller's transaction, false when another request was first; null for every
 *   kind of failure
 */
export async function checkAccountCode(
  deps: AuthDeps,
  given: { holder: CodeHolder; userId: string; email: string; code: string; asker: Asker },
  client: Client,
  now: Date,
): Promise<((tx: Queryable) => Promise<boolean>) | null> {
  const { asker, email, holder, userId } = given
  const code = readCode(given.code)
  if (code === null) return null
  const row = await takeAccountCodeTry(deps.db, { holder, asker }, LIMITS, now)
  if (row && isCodeOf(deps.secret, boundTo(row, email), code)) {
    return (tx) => consumeAccountCode(tx, { ...row, asker }, now)
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

/**
 * Mails a code by which the caller proves the mailbox again, before they change their second step (ADR 0031).
 * @throws `second_factor_missing` for one who has a second factor and has not confirmed with it, `too_many_mails`
 */
export async function askToReauthenticate(
  deps: AuthDeps,
  caller: BearerSession,
  client: Client,
  now: Date,
): Promise<void> {
  if (caller.needsSecondFactor) throw new AuthFault('second_factor_missing')
  const { userId, sessionId } = caller
  await requestAccountCode(deps, { holder: holderOf(sessionId), userId, sessionId, client }, now)
}

/**
 * Takes that code: for five minutes the session is as one that has just been signed in to.
 * @throws `second_factor_missing_for_user`, `reauthentication_code_wrong` for every kind of failure
 */
export async function reauthenticate(
  deps: AuthDeps,
  caller: BearerSession,
  nonce: string,
  client: Client,
  now: Date,
): Promise<void> {
  if (caller.needsSecondFactor) throw new AuthFault('second_factor_missing_for_user')
  const { userId, sessionId, email } = caller
  const holder = holderOf(sessionId)
  const consume = await checkAccountCode(
    deps,
    { holder, userId, email, code: nonce, asker: 'anybody' },
    client,
    now,
  )
  if (!consume) throw new AuthFault('reauthentication_code_wrong')
  await withTransaction(deps.db, async (tx) => {
    if (!(await consume(tx))) throw new AuthFault('reauthentication_code_wrong')
    await markReauthenticated(tx, sessionId, now)
    await audit(deps, tx, { action: 'reauthenticated', userId, sessionId, client }, now)
  })
}

function holderOf(sessionId: string) {
  return { purpose: 'reauthentication', id: sessionId } as const
}
