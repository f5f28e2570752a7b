import { backOff } from '../../work/back-off.ts'

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** Eight tries span most of a day. */
const DEFERRED = { firstMs: 10 * SECOND_MS, factor: 4 }
const MAX_DEFERRALS = 8
/** Up to half of a pause is added by chance, so that mails that failed together are not tried again together. */
const JITTER = 0.5

/**
 * A faulty server answers that nobody exists, and is often right again after minutes: so tries are a quarter of an hour apart
 * for most of an hour, and one follows when that is over for sure. A full or disabled mailbox stays so for hours.
 */
const REFUSAL_PAUSES_MS = {
  address: [MINUTE_MS, 15 * MINUTE_MS, 15 * MINUTE_MS, 15 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS, DAY_MS],
  recipient: [HOUR_MS, 6 * HOUR_MS, DAY_MS, 3 * DAY_MS],
}

const HELD = { firstMs: 15 * SECOND_MS, longestMs: 15 * MINUTE_MS }

/**
 * When a mail that was deferred is tried again (section 3.5, Delivery).
 * @param deferrals so far, at least one
 * @param chance from 0 up to 1
 * @returns null when the mail is given up
 */
export function nextTry(deferrals: number, now: Date, chance: number): Date | null {
  if (deferrals >= MAX_DEFERRALS) return null
  return new Date(now.getTime() + backOff(DEFERRED, deferrals) * (1 + JITTER * chance))
}

/**
 * When a mail that was refused is tried again (section 3.5, Delivery; ADR 0089).
 * @param refusals so far, at least one
 * @param about the subject of the last one
 * @returns null when the mail is given up
 */
export function nextTryAfterRefusal(
  refusals: number,
  about: 'address' | 'recipient',
  now: Date,
): Date | null {
  const pause = REFUSAL_PAUSES_MS[about][refusals - 1]
  return pause === undefined ? null : new Date(now.getTime() + pause)
}

/**
 * When a single mail is tried again that waits because the server refuses us: after a pause as long as the server has refused us, a
 * quarter of an hour at most.
 * @param since when it began to
 * @param chance from 0 up to 1
 */
export function nextTryWhileRefused(since: Date, now: Date, chance: number): Date {
  const pause = Math.min(HELD.longestMs, Math.max(HELD.firstMs, now.getTime() - since.getTime()))
  return new Date(now.getTime() + pause * (1 - JITTER * chance))
}

/**
 * The end of the wait of mails because the server refuses us.
 * @param holds how often in a row they have waited before
 * @param chance from 0 up to 1
 */
export function endOfHold(holds: number, now: Date, chance: number): Date {
  return new Date(now.getTime() + backOff(HELD, holds + 1) * (1 - JITTER * chance))
}
