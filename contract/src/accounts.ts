import * as z from 'zod/mini'
import { limited } from './limited.ts'
import { USERNAME_MAX_LENGTH, USERNAME_MIN_LENGTH } from './limits.ts'

/** The signed-in user's own account (rule G-07). */
export const account = z.object({
  /** Empty until set. */
  username: z.string(),
  /** Payout onboarding has been started (rule G-29). */
  trader: z.boolean(),
  /** Billing has been set up. */
  customer: z.boolean(),
  /** Beyond the specification's own fields; a client does without. */
  email: z.optional(z.string()),
  /** Whether everybody may read the public page of this name (rule G-109). */
  publicPage: z.optional(z.boolean()),
  /** The words about oneself on the profile, empty without any; and whether the number of followers stands there (rule G-111). */
  about: z.optional(z.string()),
  followersShown: z.optional(z.boolean()),
})
export type Account = z.infer<typeof account>

/** A username as a payload or a query brings it; `checkUsername` judges it. */
export const usernameText = limited(z.string(), {
  minLength: USERNAME_MIN_LENGTH,
  maxLength: USERNAME_MAX_LENGTH,
  pattern: '^[A-Za-z0-9][A-Za-z0-9_-]*$',
})

export const usernamePayload = z.object({ username: usernameText })
export const usernameAnswer = z.object({ username: z.string() })

export const publicPagePayload = z.object({ enabled: z.boolean() })
export const publicPageAnswer = z.object({ publicPage: z.boolean() })

/** Query of search and profile. */
export const usernameQuery = z.object({ username: usernameText })
