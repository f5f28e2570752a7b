import { PUSH_LIFE_HOURS } from '@tradepost/contract/limits'
import { backOff } from '../../work/back-off.ts'

/** Eight tries span the two hours in which a notification is worth something. */
const PAUSES = { firstMs: 5000, factor: 3 }
const MAX_TRIES = 8
/** Up to half of a pause is added by chance, so that messages that failed together are not tried again together. */
const JITTER = 0.5
const LIFE_MS = PUSH_LIFE_HOURS * 3_600_000

/** When the notification of an event is worth nothing any more (ADR 0063). */
export function endOfLife(publishedAt: Date): Date {
  return new Date(publishedAt.getTime() + LIFE_MS)
}

/**
 * When a message that was not taken is tried again.
 * @param failed.tries so far, at least one
 * @param failed.waitMs how long its push service asked to wait; 0 when it did not
 * @param chance from 0 up to 1
 * @returns null when it is given up
 */
export function nextTry(
  failed: { tries: number; waitMs: number; publishedAt: Date },
  now: Date,
  chance: number,
): Date | null {
  if (failed.tries >= MAX_TRIES) return null
  const pause = backOff(PAUSES, failed.tries) * (1 + JITTER * chance)
  const due = new Date(now.getTime() + Math.max(pause, failed.waitMs))
  return due < endOfLife(failed.publishedAt) ? due : null
}
