import * as z from 'zod/mini'

/** The second step of the signed-in person, beside the factors that the sign-in wire lists with the user. */
export const secondStepAnswer = z.object({
  /** Changing it asks for a mailed code first: the last one was given too long ago (decision 0031). */
  mailedCodeDue: z.boolean(),
})
export type SecondStep = z.infer<typeof secondStepAnswer>
