import { mailRow } from '../../mail/outbox/queue-mail.ts'
import { withTransaction } from '../../platform/database/queryable.ts'
import type { Client } from '../../platform/http/client.ts'
import { newId } from '../../platform/ids.ts'
import { secondsUntil } from '../../platform/rate-window.ts'
import { auditRow } from '../audit/audit.ts'
import type { AuthDeps } from '../keys/auth-deps.ts'
import { AuthFault } from '../keys/auth-fault.ts'
import { type Asker, findSends, RETURNED_MS, SENDS_AN_HOUR } from '../users/addresses.queries.ts'
import { findPending } from './challenges.queries.ts'
import { isNearLimit, notifyOperator, placesFor } from './limit-mails.ts'
import { secondsToWait, tooManyMails } from './mail-spacing.ts'
import { CODE_LIFE_MS, LINK_LIFE_MS, type Purpose } from './one-time-code.ts'
import { storeRequest } from './request-code.queries.ts'

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
 * end. One statement does it (ADR 0104), the same whether or not the address has a user, so that the time reveals nothing
 * (rule G-04).
 * @throws `too_many_mails` beyond these limits: for an address one mail in `codeSpacingSeconds` and five an
 *   hour, counted for devices that have signed in to it before and again for everybody else (ADR 0025); for all
 *   addresses together AUTH_MAIL_LIMIT in ten minutes; `address_returned` where mails to the address came back within the
 *   day: the mail is stored all the same, since a server can be wrong for a while (ADR 0091)
 */
export async function requestCode(deps: AuthDeps, request: CodeRequest, now: Date): Promise<void> {
  const { asker, client, email, purpose } = request
  const { limitsOn, codeSpacingSeconds } = deps.settings
  const spacingMs = limitsOn ? codeSpacingSeconds * 1000 : null
  const places = placesFor(deps.settings, asker, now)
  const challengeId = newId()
  const stored = await storeRequest(
    deps.db,
    {
      challenge: {
        id: challengeId,
        email,
        purpose,
        create_user: request.createUser,
        code_challenge: request.codeChallenge,
        code_expires_at: new Date(now.getTime() + CODE_LIFE_MS),
        link_expires_at: new Date(now.getTime() + LINK_LIFE_MS),
        ip: client.ip,
        created_at: now,
      },
      entry: auditRow(deps, { action: 'code_requested', detail: purpose, email, client }, now),
      mail: mailRow({ kind: 'sign_in', userId: null, facts: { challengeId } }, now),
      isKnownDevice: asker === 'known device',
      spacingMs,
      anHour: SENDS_AN_HOUR,
      returnedSince: new Date(now.getTime() - RETURNED_MS),
      places,
    },
    now,
  )
  if (stored === 'no place') throw tooManyMails(secondsUntil(places.end, now))
  if (stored === null)
    throw tooManyMails(secondsToWait(await findSends(deps.db, request, now), spacingMs ?? 0, now))
  if (isNearLimit(deps.settings, stored.placed))
    await withTransaction(deps.db, (tx) => notifyOperator(tx, deps.settings, now))
  await deps.sharedFlush.flush()
  if (stored.returned) throw new AuthFault('address_returned')
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
