import * as z from 'zod/mini'

/**
 * Beside a position that an operator has struck: it counts nowhere from then on, and stays in lists (ADR 0079). Beyond the
 * specification's own fields; absent of all other positions.
 */
export const strikeFields = {
  struck: z.optional(z.literal(true)),
  /** Why, as everybody reads it. */
  struckReason: z.optional(z.string()),
}
const strike = z.object(strikeFields)
export type Strike = z.infer<typeof strike>
