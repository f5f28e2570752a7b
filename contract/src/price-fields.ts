import * as z from 'zod/mini'

/**
 * The price of following a trader, in the smallest unit of `currency`; `yearlyCents` where they can be paid by the year. Beyond the
 * specification's own fields; a client does without.
 */
export const priceFields = {
  priceCents: z.optional(z.int()),
  yearlyCents: z.optional(z.int()),
  currency: z.optional(z.string()),
}
