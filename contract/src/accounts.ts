import * as z from 'zod/mini'

/** The signed-in user's own account (decision G-07). */
export const account = z.object({
  /** Empty until set. */
  username: z.string(),
  /** Payout onboarding has been started (decision G-29). */
  trader: z.boolean(),
  /** Billing has been set up. */
  customer: z.boolean(),
  /** Beyond the specification's own fields; a client does without. */
  email: z.optional(z.string()),
})
export type Account = z.infer<typeof account>

export const usernamePayload = z.object({ username: z.string() })
export const usernameAnswer = z.object({ username: z.string() })
/** Query of search and profile. */
export const usernameQuery = z.object({ username: z.string() })
