import type { Clock } from '../platform/clock.ts'
import type { Queryable } from '../platform/database.ts'
import type { Mailer } from '../platform/mailer.ts'
import { defineTask, type Task } from '../platform/queue.ts'
import { type AccountCodePurpose, findLiveRequest, storeAccountCode } from './account-codes.queries.ts'
import { sendAccountCode } from './auth.jobs.ts'
import { boundTo } from './check-account-code.ts'
import { CODE_LIFE_MS, codeHmac, drawCode } from './one-time-code.ts'
import { type SecretKey, secretKeyName } from './secret-key.ts'
import { findUser } from './users.queries.ts'

/** Writes the mail; the worker gives that of the e-mails workspace. */
export type AccountCodeTemplate = (props: { code: string; purpose: AccountCodePurpose; origin: string }) => {
  subject: string
  html: string
  text: string
}

/**
 * Draws the code of a request, stores its HMAC and mails it: the code exists in this mail alone, and a retry draws a new one
 * (decision G-04). Nothing is sent when the request has been replaced, used or has grown old.
 */
export function sendAccountCodeTask(deps: {
  db: Queryable
  clock: Clock
  origin: string
  secret: SecretKey
  mailer: Pick<Mailer, 'send'>
  render: AccountCodeTemplate
}): Task {
  return defineTask(sendAccountCode, async ({ requestId }) => {
    const now = deps.clock.now()
    const request = await findLiveRequest(deps.db, requestId, now)
    const user = request && (await findUser(deps.db, request.user_id))
    if (!request || !user) return
    const code = drawCode()
    const stored = await storeAccountCode(
      deps.db,
      requestId,
      {
        secret_key_id: secretKeyName(deps.secret),
        code_hmac: codeHmac(deps.secret, boundTo(request, user.email), code),
        expires_at: new Date(now.getTime() + CODE_LIFE_MS),
      },
      now,
    )
    if (!stored) return
    const purpose = request.purpose as AccountCodePurpose
    const mail = deps.render({ code, purpose, origin: deps.origin })
    await deps.mailer.send({ ...mail, to: user.email, headers: { 'Auto-Submitted': 'auto-generated' } })
  })
}
