import type { Insertable } from 'kysely'
import { sql } from 'kysely'
import { isRaised } from '../../platform/database/database-errors.ts'
import { compiledQuery, type Queryable } from '../../platform/database/queryable.ts'
import type { AuditLog, OtpChallenges, Outbox } from '../../platform/database/schema.ts'

/** As `request_code` of the database raises it. */
const NO_PLACE = 'TP001'

/** A request for a sign-in mail as it is stored: challenge, entry of the audit log, and mail. */
type StoredRequest = {
  challenge: Insertable<OtpChallenges>
  entry: Insertable<AuditLog>
  mail: Insertable<Outbox>
  isKnownDevice: boolean
  /** Between two mails to the address; null when neither this nor the hourly limit counts. */
  spacingMs: number | null
  /** The most mails to the address in an hour. */
  anHour: number
  /** Mails to the address that came back after it still count. */
  returnedSince: Date
  /** The window of the mails of all, and how many have a place in it; null for any number. */
  places: { key: string; start: Date; end: Date; max: number | null }
}

/**
 * Counts a mail to the address for those who ask and one for all, makes the challenge the live one of its address and purpose, and
 * queues the mail: all of it or nothing, in one statement that commits without a wait for the disk.
 * @returns whether mails to the address come back, and how many of all have a place now; null when none may go to the address yet;
 *   'no place' when all places are taken
 */
export async function storeRequest(
  db: Queryable,
  request: StoredRequest,
  now: Date,
): Promise<{ returned: boolean; placed: number } | 'no place' | null> {
  const { anHour, challenge, entry, isKnownDevice, mail, places, returnedSince, spacingMs } = request
  try {
    const [stored] = await callRequestCode(db, {
      now,
      email: challenge.email,
      isKnownDevice,
      spacingMs,
      anHour,
      returnedSince,
      challengeId: challenge.id,
      purpose: challenge.purpose,
      createUser: challenge.create_user,
      codeChallenge: challenge.code_challenge,
      codeExpiresAt: challenge.code_expires_at,
      linkExpiresAt: challenge.link_expires_at,
      ip: challenge.ip,
      entryId: entry.id,
      action: entry.action,
      emailHmac: entry.email_hmac,
      userAgent: entry.user_agent,
      mailId: mail.id,
      kind: mail.kind,
      lane: mail.lane,
      facts: mail.facts,
      mailExpiresAt: mail.expires_at,
      key: places.key,
      start: places.start,
      end: places.end,
      max: places.max,
    })
    return stored && stored.placed !== null ? { ...stored, placed: stored.placed } : null
  } catch (error) {
    if (isRaised(error, NO_PLACE)) return 'no place'
    throw error
  }
}

const callRequestCode = compiledQuery(
  (_db, of: Record<string, unknown>) => sql<{ returned: boolean; placed: number | null }>`
    select returned, placed from request_code(${of.now}, ${of.email}, ${of.isKnownDevice}, ${of.spacingMs}, ${of.anHour},
      ${of.returnedSince}, ${of.challengeId}, ${of.purpose}, ${of.createUser}, ${of.codeChallenge}, ${of.codeExpiresAt},
      ${of.linkExpiresAt}, ${of.ip}, ${of.entryId}, ${of.action}, ${of.emailHmac}, ${of.userAgent}, ${of.mailId}, ${of.kind},
      ${of.lane}, ${of.facts}, ${of.mailExpiresAt}, ${of.key}, ${of.start}, ${of.end}, ${of.max})`,
)
