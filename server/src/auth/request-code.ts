import { withTransaction } from '../platform/database.ts'
import type { Client } from '../platform/http/client.ts'
import { newId } from '../platform/ids.ts'
import { enqueue } from '../platform/queue.ts'
import { findSends, takeSend } from './addresses.queries.ts'
import { audit } from './audit.ts'
import { SIGN_IN_MAIL_ATTEMPTS, sendSignInMail } from './auth.jobs.ts'
import type { AuthDeps } from './auth-deps.ts'
import { findPending, replaceChallenge } from './challenges.queries.ts'
import type { Asker } from './known-device.ts'
import { placeNow, takePlace } from './limit-mails.ts'
import { secondsToWait, tooManyMails } from './mail-spacing.ts'
import { CODE_LIFE_MS, LINK_LIFE_MS, type Purpose } from './one-time-code.ts'

export type CodeRequest = {
  /** Normalised. */
  email: string
  asker: Asker
  purpose: Purpose
  createUser: boolean
  codeChallenge: string | null
  client: Client
}

/**
 * Asks for a sign-in mail: stores a challenge and its job, and nothing that depends on whether the address has a user,
 * so known and unknown ones cost the same statements (decision G-04). Earlier codes and links of the address die.
 * @throws `over_email_send_rate_limit`: one mail per spacing and five an hour for an address, for devices that have signed in
 *   to it before and for everybody else, and AUTH_MAIL_LIMIT in ten minutes for all
 */
export async function requestCode(deps: AuthDeps, request: CodeRequest, now: Date): Promise<void> {
  const { limitsOn, codeSpacingSeconds, mailLimit } = deps.settings
  const spacingMs = limitsOn ? codeSpacingSeconds * 1000 : null
  const waitSeconds = await withTransaction(deps.db, async (tx) => {
    if (!(await takeSend(tx, { ...request, spacingMs }, now))) {
      return secondsToWait(await findSends(tx, request, now), spacingMs ?? 0, now)
    }
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
        place_in: placeNow(now),
        created_at: now,
      },
      now,
    )
    const asked = { action: 'code_requested', detail: request.purpose, client: request.client } as const
    await audit(deps, tx, { ...asked, email: request.email }, now)
    await enqueue(tx, sendSignInMail, { challengeId }, { maxAttempts: SIGN_IN_MAIL_ATTEMPTS })
    // Last, since everybody's request waits for this one row; the refusal takes back what the address was charged.
    const max = limitsOn ? mailLimit : Number.POSITIVE_INFINITY
    const seconds = await takePlace(tx, { ...request, max }, now)
    if (seconds !== null) throw tooManyMails(seconds)
    return null
  })
  if (waitSeconds !== null) throw tooManyMails(waitSeconds)
}

/**
 * Asks for the mail of a request once more, as that was made; for an address that nobody asked for, only if it has a
 * user. The same statements either way.
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
