import * as z from 'zod/mini'
import { limited } from './limited.ts'
import { tickerText } from './symbol-text.ts'

export const previewPayload = z.object({ symbol: tickerText })

/** 32 random bytes in base64url. */
const KEY_LENGTH = 43
/** The key of a preview as a payload brings it back; any other text is refused with `preview_invalid`. */
export const previewKey = limited(z.string(), {
  description: 'As the preview answered it.',
  minLength: KEY_LENGTH,
  maxLength: KEY_LENGTH,
})

/** A price and the key that ties it to the following open or close (docs/specification.md section 3, rule G-09). */
export const pricePreview = z.object({
  /** Decimal text in US dollars, as quoted. */
  price: z.string(),
  key: z.string(),
  /** Beyond the specification's own fields; a client does without. */
  symbol: z.optional(z.string()),
  /** ISO 8601 UTC; the key is refused from then on. */
  expiresAt: z.optional(z.string()),
  /** The same in whole seconds from this answer on, for a client whose clock may be wrong. */
  expiresInSeconds: z.optional(z.int()),
  /** ISO 8601 UTC, of the last trade: the price is as old as that. */
  tradedAt: z.optional(z.string()),
  /** False where a close at this price is unsettled: the last trade is old, or the price of now looks wrong (ADR 0076). */
  settled: z.optional(z.literal(false)),
})
export type PricePreview = z.infer<typeof pricePreview>
