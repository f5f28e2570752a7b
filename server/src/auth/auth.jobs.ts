import * as z from 'zod'
import { defineJob } from '../platform/queue.ts'

/** Draws code and link of a challenge and mails them. Carries neither address nor secret. */
export const sendSignInMail = defineJob('send-sign-in-mail', z.object({ challengeId: z.uuid() }))

/** Draws the code of a request and mails it to the owner of the account. Carries neither address nor secret. */
export const sendAccountCode = defineJob('send-account-code', z.object({ requestId: z.uuid() }))

const factorChange = z.object({
  userId: z.uuid(),
  change: z.enum(['added', 'removed']),
  /** Whether other confirmed factors guard the account all the same. */
  others: z.boolean(),
  at: z.iso.datetime(),
  /** From where it was done, in plain words; null when the operator did it. */
  from: z.nullable(z.object({ device: z.string(), network: z.nullable(z.string()) })),
})
export type FactorChange = z.infer<typeof factorChange>

/** Tells the owner that a second factor of theirs was added or removed. Carries neither address nor secret. */
export const sendFactorMail = defineJob('send-factor-mail', factorChange)

/** With the queue's growing pauses the last try is about four minutes after the first: a later code would come too late. */
export const SIGN_IN_MAIL_ATTEMPTS = 6
