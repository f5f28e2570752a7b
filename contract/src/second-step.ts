import * as z from 'zod/mini'

/** The second step of the signed-in person, beside the factors that the sign-in wire lists with the user. */
export const secondStepAnswer = z.object({
  /** Changing it asks for a mailed code first: the last one was given too long ago (decision 0031). */
  mailedCodeDue: z.boolean(),
  /** Codes that stand in for the authenticator, each once; 0 to 10. */
  recoveryCodesLeft: z.number(),
})
export type SecondStep = z.infer<typeof secondStepAnswer>

/** Ten recovery codes, told once. */
export const recoveryCodesAnswer = z.object({ codes: z.array(z.string()) })
