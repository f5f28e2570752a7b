import * as z from 'zod/mini'

/**
 * The account page's data about the second step of signing in, in addition to the list of factors, which comes with the user from /auth/v1.
 */
export const secondStepAnswer = z.object({
  /** Whether changing the second step takes a mailed code first, since the mailbox was proved too long ago (ADR 0031). */
  mailedCodeDue: z.boolean(),
  /** Unused recovery codes, 0 to 10. Each works once, in the place of the authenticator's code. */
  recoveryCodesLeft: z.number(),
})
export type SecondStep = z.infer<typeof secondStepAnswer>

/** Ten new recovery codes (rule G-92). No later call returns them again. */
export const recoveryCodesAnswer = z.object({ codes: z.array(z.string()) })
