const FIRST_PAUSE_MS = 10_000
/** Each pause is four times the one before (10 s doubled twice), so that eight tries span most of a day. */
const DOUBLINGS_A_TRY = 2
const MAX_TRIES = 8
/** Up to half of a pause is added by chance, so that what failed together is not tried again together. */
const JITTER = 0.5

/**
 * When a mail that was deferred is tried again (decisions 3.5, Delivery).
 * @param tries made so far, at least one
 * @param chance from 0 up to 1
 * @returns null when the mail is given up
 */
export function nextTry(tries: number, now: Date, chance: number): Date | null {
  if (tries >= MAX_TRIES) return null
  const pause = FIRST_PAUSE_MS * 2 ** (DOUBLINGS_A_TRY * (tries - 1))
  return new Date(now.getTime() + pause * (1 + JITTER * chance))
}
