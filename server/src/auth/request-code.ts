import { EMAIL_PROBLEMS } from '@tradepost/contract/email-address'
import { queueMail } from '../mail/outbox/queue-mail.ts'
import type { Client } from '../platform/http/client.ts'
import { newId } from '../platform/ids.ts'
import { findSends, takeSend } from './addresses.queries.ts'
import { audit } from './audit.ts'
import type { AuthDeps } from './auth-deps.ts'
import { findPending, replaceChallenge } from './challenges.queries.ts'
import type { Asker } from './known-device.ts'
import { takePlace } from './limit-mails.ts'
import { secondsToWait, tooManyMails } from './mail-spacing.ts'
import { CODE_LIFE_MS, LINK_LIFE_MS, type Purpose } from './one-time-code.ts'
import { invalidEmail } from './wire-error.ts'

export type CodeRequest = {
  /** Trimmed and lower-case. */
  email: string
  asker: Asker
  purpose: Purpose
  createUser: boolean
  codeChallenge: string | null
  client: Client
}

/**
 * Stores a request for a sign-in mail: a challenge, and the mail in the outbox. Earlier codes and links of the address
 * end. The statements are the same whether or not the address has a user, so that nobody can tell by the time
 * (decision G-04).
 * @throws `over_email_send_rate_limit` beyond these limits: for an address one mail in `codeSpacingSeconds` and five an
 *   hour, counted for devices that have signed in to it before and again for everybody else (decision 0025); for all
 *   addresses together AUTH_MAIL_LIMIT in ten minutes; `email_address_invalid` where mails to the address came back within the
 *   day: the mail is stored all the same, since a server can be wrong for a while (decision 0091)
 */
export async function requestCode(deps: AuthDeps, request: CodeRequest, now: Date): Promise<void> {
  const { limitsOn, codeSpacingSeconds, mailLimit } = deps.settings
  const spacingMs = limitsOn ? codeSpacingSeconds * 1000 : null
  const outcome = await deps.withSharedFlush(async (tx) => {
    const address = await takeSend(tx, { ...request, spacingMs }, now)
    if (!address)
      return { waitSeconds: secondsToWait(await findSends(tx, request, now), spacingMs ?? 0, now) }
    const challengeId = newId()
    await replaceChallenge(
      tx,
      {
        id: challengeId,
        email: request.email,
        purpose: request.purpose,
        create_user: request.createUser,
        code_challenge: request.codeChallenge,
        code_expires_at: new Date(now.getTime() + CODE_LIFE_MS),
        link_expires_at: new Date(now.getTime() + LINK_LIFE_MS),
        ip: request.client.ip,
        created_at: now,
      },
      now,
    )
    const asked = { action: 'code_requested', detail: request.purpose, client: request.client } as const
    await audit(deps, tx, { ...asked, email: request.email }, now)
    await queueMail(tx, { kind: 'sign_in', userId: null, facts: { challengeId } }, now)
    // Last, since every request locks this one row. A refusal rolls the transaction back, with the address's count.
    const max = limitsOn ? mailLimit : Number.POSITIVE_INFINITY
    const seconds = await takePlace(tx, { ...request, max }, now)
    if (seconds !== null) throw tooManyMails(seconds)
    return address
  })
  if ('waitSeconds' in outcome) throw tooManyMails(outcome.waitSeconds)
  if (outcome.returned) throw invalidEmail(EMAIL_PROBLEMS.returned)
}

/**
 * Repeats the last request for a sign-in mail to an address. Where there was none, the mail goes only if the address has a
 * user. The statements are the same in both cases.
 * @throws as `requestCode`
 */
export async function requestAgain(
  deps: AuthDeps,
  request: Pick<CodeRequest, 'email' | 'asker' | 'codeChallenge' | 'client'>,
  now: Date,
): Promise<void> {
  const pending = await findPending(deps.db, { email: request.email, purpose: 'sign_in' })
  const again = {
    purpose: 'sign_in' as const,
    createUser: pending?.create_user ?? false,
  }
  await requestCode(deps, { ...request, ...again }, now)
}
