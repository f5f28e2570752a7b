import * as z from 'zod/mini'

export const previewPayload = z.object({ symbol: z.string() })

/** A price and the key that ties it to the following open or close (product.md section 3, decision G-09). */
export const pricePreview = z.object({
  /** Decimal text in US dollars, as quoted. */
  price: z.string(),
  key: z.string(),
  /** Beyond the specification's own fields; a client does without. */
  symbol: z.optional(z.string()),
  /** ISO 8601 UTC; the key is refused from then on. */
  expiresAt: z.optional(z.string()),
})
export type PricePreview = z.infer<typeof pricePreview>
