import { queueMail } from '../../mail/outbox/queue-mail.ts'
import type { Client } from '../../platform/http/client.ts'
import { newId } from '../../platform/ids.ts'
import { audit } from '../audit/audit.ts'
import type { AuthDeps } from '../keys/auth-deps.ts'
import { SENDS_AN_HOUR } from '../users/addresses.queries.ts'
import { type CodeHolder, findRequests, takeRequest } from './account-codes.queries.ts'
import { takePlace } from './limit-mails.ts'
import { secondsToWait, tooManyMails } from './mail-spacing.ts'
import { CODE_LIFE_MS } from './one-time-code.ts'

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
    if (!(await takeRequest(tx, { holder, id: requestId, userId, limits, expiresAt }, now))) {
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
