import { EMAIL_CHANGE_MINUTES } from '@tradepost/contract/limits'
import { queueMail } from '../../mail/outbox/queue-mail.ts'
import { type Queryable, withTransaction } from '../../platform/database/queryable.ts'
import type { Client } from '../../platform/http/client.ts'
import { newId } from '../../platform/ids.ts'
import { audit } from '../audit/audit.ts'
import type { AuthDeps } from '../keys/auth-deps.ts'
import { AuthFault } from '../keys/auth-fault.ts'
import type { BearerSession } from '../sessions/authenticate.ts'
import { findRequests, takeRequest } from '../sign-in/account-codes.queries.ts'
import { takePlace } from '../sign-in/limit-mails.ts'
import { secondsToWait, tooManyMails } from '../sign-in/mail-spacing.ts'
import { CODE_LIFE_MS } from '../sign-in/one-time-code.ts'
import { findSends, SENDS_AN_HOUR, takeSend } from '../users/addresses.queries.ts'
import {
  deleteEmailChange,
  findChangeFrom,
  lockEmailChange,
  type OpenChange,
  type Side,
  storeEmailChange,
} from './email-changes.queries.ts'

const CHANGE_LIFE_MS = EMAIL_CHANGE_MINUTES * 60_000

/**
 * Asks for another address: stores the change, and has a code mailed to the old mailbox and one to the new (rule G-119). Nothing here looks
 * whether the new address is somebody's, so answer and time are the same; that is found out when the mail is written. The address
 * that the person has already takes an unfinished change back.
 * @param email normalised
 * @throws `second_factor_missing_for_user`; `too_many_mails` for a session beyond one change in `codeSpacingSeconds` and five an hour, for the
 *   new address beyond the mails that anybody may ask for, and for all people together
 */
export async function askForEmailChange(
  deps: AuthDeps,
  caller: BearerSession,
  email: string,
  client: Client,
  now: Date,
): Promise<void> {
  if (caller.needsSecondFactor) throw new AuthFault('second_factor_missing_for_user')
  if (email === caller.email) return takeBack(deps, caller, client, now)
  const { sessionId, userId } = caller
  const change = { user_id: userId, session_id: sessionId, new_email: email }
  await deps.sharedFlush.run(async (tx) => {
    const expiresAt = new Date(now.getTime() + CHANGE_LIFE_MS)
    await storeEmailChange(tx, { ...change, asked_at: now, expires_at: expiresAt })
    const asked = { action: 'email_change_requested', userId, sessionId, email, client } as const
    await audit(deps, tx, asked, now)
    await mailCodes(deps, tx, { ...change, sides: ['old_email', 'new_email'], isHolder: true }, now)
  })
}

async function takeBack(deps: AuthDeps, caller: BearerSession, client: Client, now: Date): Promise<void> {
  const { sessionId, userId } = caller
  await withTransaction(deps.db, async (tx) => {
    if (!(await deleteEmailChange(tx, userId, now))) return
    await audit(deps, tx, { action: 'email_change_cancelled', userId, sessionId, client }, now)
  })
}

/**
 * Mails again the codes of a change that are still to come. Anybody may ask who knows the present address, as on the wire nobody shows who
 * they are: without the token of the session that asked for the change they use up a stranger's mails of both addresses and none of that session's.
 * @param given.email the present address, normalised
 * @throws `too_many_mails`, to a stranger for any address alike
 */
export async function mailEmailChangeAgain(
  deps: AuthDeps,
  given: { email: string; sessionId: string | null },
  now: Date,
): Promise<void> {
  const { email, sessionId } = given
  const change = await findChangeFrom(deps.db, email, now)
  if (change && change.session_id === sessionId) return mailLeft(deps, change, { isHolder: true }, now)
  await deps.sharedFlush.run((tx) => countSend(deps, tx, email, now))
  if (!change) return
  try {
    await mailLeft(deps, change, { isHolder: false }, now)
  } catch (error) {
    // That there is a change is not told.
    if (!(error instanceof AuthFault)) throw error
  }
}

/** Mails the codes that were not typed yet, unless the change has become another one. */
async function mailLeft(
  deps: AuthDeps,
  found: OpenChange,
  { isHolder }: { isHolder: boolean },
  now: Date,
): Promise<void> {
  await deps.sharedFlush.run(async (tx) => {
    const change = await lockEmailChange(tx, found.user_id)
    if (change?.session_id !== found.session_id || change.new_email !== found.new_email) return
    const sides: Side[] = []
    if (change.old_proved_at === null) sides.push('old_email')
    if (change.new_proved_at === null) sides.push('new_email')
    await mailCodes(deps, tx, { ...found, sides, isHolder }, now)
  })
}

type Codes = {
  user_id: string
  session_id: string
  new_email: string
  sides: Side[]
  /** Asked for in the session of the change, whose own limits count. */
  isHolder: boolean
}

/** Replaces the codes of these mailboxes. The mails have places of AUTH_MAIL_LIMIT; that to the new address one of anybody's. */
async function mailCodes(deps: AuthDeps, tx: Queryable, codes: Codes, now: Date): Promise<void> {
  const { new_email, session_id, sides, user_id: userId } = codes
  const { isHolder } = codes
  const limits = isHolder ? limitsOf(deps) : null
  const expiresAt = new Date(now.getTime() + CODE_LIFE_MS)
  for (const purpose of sides) {
    const holder = { purpose, id: session_id }
    const requestId = newId()
    if (!(await takeRequest(tx, { holder, id: requestId, userId, limits, isHolder, expiresAt }, now)))
      throw tooManyMails(secondsToWait(await findRequests(tx, holder, now), spacingOf(deps), now))
    if (purpose === 'new_email') {
      await countSend(deps, tx, new_email, now)
      await queueMail(tx, { kind: 'new_address_code', userId: null, facts: { requestId } }, now)
    } else {
      await queueMail(tx, { kind: 'old_address_code', userId, facts: { requestId } }, now)
    }
  }
  // Last, since every request locks this one row.
  for (const purpose of sides) {
    const asker = purpose === 'old_email' && isHolder ? 'known device' : 'anybody'
    const seconds = await takePlace(tx, { asker, settings: deps.settings }, now)
    if (seconds !== null) throw tooManyMails(seconds)
  }
}

/** Counts a mail to an address against those that anybody may ask for. @throws `too_many_mails` */
async function countSend(deps: AuthDeps, tx: Queryable, email: string, now: Date): Promise<void> {
  if (await takeSend(tx, { email, limits: limitsOf(deps) }, now)) return
  const sends = await findSends(tx, { email, asker: 'anybody' }, now)
  throw tooManyMails(secondsToWait(sends, spacingOf(deps), now))
}

function limitsOf({ settings }: AuthDeps): { spacingMs: number; anHour: number } | null {
  return settings.limitsOn ? { spacingMs: settings.codeSpacingSeconds * 1000, anHour: SENDS_AN_HOUR } : null
}

function spacingOf({ settings }: AuthDeps): number {
  return settings.codeSpacingSeconds * 1000
}
