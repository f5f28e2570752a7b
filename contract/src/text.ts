import * as z from 'zod/mini'

/** Text that can be kept as it is: the database has no NUL, and a lone surrogate is no character. Anything else is 400. */
export function storableText() {
  return z.string().check(z.refine((text) => text.isWellFormed() && !text.includes('\u0000')))
}
