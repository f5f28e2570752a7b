import { AuthFault } from '../keys/auth-fault.ts'
import { SENDS_AN_HOUR } from '../users/addresses.queries.ts'

const HOUR_MS = 3_600_000

/** The refusal of a mail that may go later (rule G-04). */
export function tooManyMails(waitSeconds: number): AuthFault {
  return new AuthFault('too_many_mails', waitSeconds)
}

/**
 * How long until the next mail may go.
 * @param sends within the last hour, oldest first
 * @returns at least 1
 */
export function secondsToWait(sends: Date[], spacingMs: number, now: Date): number {
  const last = sends.at(-1)?.getTime() ?? 0
  const fifthLast = sends.at(-SENDS_AN_HOUR)
  const free = Math.max(last + spacingMs, fifthLast ? fifthLast.getTime() + HOUR_MS : 0)
  return Math.max(1, Math.ceil((free - now.getTime()) / 1000))
}
