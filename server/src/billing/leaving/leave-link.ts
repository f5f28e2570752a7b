import { createHmac, timingSafeEqual } from 'node:crypto'
import { makeLinkToken, readLinkToken } from '../../auth/keys/link-token.ts'
import type { SecretKey } from '../../auth/keys/secret-key.ts'

/** Where the link in the footer of a mail leads: it mails the way out to the subscriber, and does nothing else (rule G-126). */
export const LEAVE_PATH = '/mail/leave/:token'
/** Where the link of that mail leads. */
export const LEAVING_PATH = '/mail/leaving/:token'

/** The link in a footer works for so long. */
const FOOTER_DAYS = 400
const DAY_MS = 86_400_000
const SEAL_BYTES = 16
/** Day, seal, and the token by which the database knows the subscription: 128 random bits, or longer. */
const SHAPE = /^([0-9a-z]{1,6})\.([A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{16,64})$/

/**
 * The address of the link in a footer. The day is sealed once for all mails of an event; the subscription is named by its unsubscribe token,
 * which nobody can guess, so a fan-out computes nothing for each recipient.
 * @param at when the mail was caused
 */
export function leaveUrl(
  { origin, secret }: { origin: string; secret: SecretKey },
  unsubscribeToken: string,
  at: Date,
): string {
  const day = Math.floor(at.getTime() / DAY_MS).toString(36)
  return `${origin}${LEAVE_PATH.replace(':token', `${day}.${seal(secret, day)}.${unsubscribeToken}`)}`
}

/** @returns the unsubscribe token; `expired` after 400 days; null when we did not make it */
export function readLeaveToken(
  secret: SecretKey,
  token: string,
  now: Date,
): { unsubscribeToken: string } | 'expired' | null {
  const [, day = '', given = '', unsubscribeToken = ''] = SHAPE.exec(token) ?? []
  if (day === '' || !secret.all.some((key) => isSame(seal(key, day), given))) return null
  const age = Math.floor(now.getTime() / DAY_MS) - Number.parseInt(day, 36)
  return age > FOOTER_DAYS ? 'expired' : { unsubscribeToken }
}

function seal(secret: SecretKey, day: string): string {
  const mac = createHmac('sha256', secret.derive('leaving')).update(day).digest()
  return mac.toString('base64url', 0, SEAL_BYTES)
}

function isSame(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(one), Buffer.from(other))
}

/** The address of the link that is mailed on request. @param requestId a row of `leave_requests` */
export function leavingUrl(
  { origin, secret }: { origin: string; secret: SecretKey },
  requestId: string,
): string {
  return `${origin}${LEAVING_PATH.replace(':token', makeLinkToken(secret, 'leave-requests', requestId))}`
}

/** @returns the id of the request; null when we did not make the token */
export function readLeavingToken(secret: SecretKey, token: string): string | null {
  return readLinkToken(secret, 'leave-requests', token)
}
