/** Longer is no reason to read in a mail. */
const REASON_MAX_LENGTH = 500

/**
 * The reason that an operator gives, which people read in a mail.
 * @throws without one, and for a longer one
 */
export function checkReason(reason: string): string {
  const why = reason.trim()
  if (why === '' || why.length > REASON_MAX_LENGTH)
    throw new Error(`Say why, in at most ${REASON_MAX_LENGTH} characters: they read it.`)
  return why
}
