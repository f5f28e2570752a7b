import * as z from 'zod/mini'

export const payoutStatus = z.object({
  onboardComplete: z.boolean(),
  /** True of an account that was rejected for good, left out of any other: nothing at Stripe leads further. */
  rejected: z.optional(z.boolean()),
  /** True while nobody new can subscribe because tax settings are missing at Stripe (rule G-131); left out otherwise. */
  taxMissing: z.optional(z.boolean()),
  /** Beside `rejected`: whether somebody still pays to follow the trader. */
  followed: z.optional(z.boolean()),
})
export type PayoutStatus = z.infer<typeof payoutStatus>
export const customerStatus = z.object({ configured: z.boolean() })

/** Where the browser is to go next: a page of the payment provider, made for this caller and soon worthless. */
export const redirectAnswer = z.object({ url: z.string() })
