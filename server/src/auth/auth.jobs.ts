import * as z from 'zod'
import { defineJob } from '../platform/queue.ts'

/** Draws code and link of a challenge and mails them. Carries neither address nor secret. */
export const sendSignInMail = defineJob('send-sign-in-mail', z.object({ challengeId: z.uuid() }))

/** Draws the code of a request and mails it to the owner of the account. Carries neither address nor secret. */
export const sendAccountCode = defineJob('send-account-code', z.object({ requestId: z.uuid() }))

/** From where something was done, in plain words. */
const place = z.object({ device: z.string(), network: z.nullable(z.string()) })

const factorChange = z.object({
  userId: z.uuid(),
  change: z.enum(['added', 'removed']),
  /** Whether other confirmed factors guard the account all the same. */
  others: z.boolean(),
  at: z.iso.datetime(),
  /** Null when the operator did it. */
  from: z.nullable(place),
  /** Of what the mail's link undoes; an earlier version of the product gave none. */
  undoId: z.nullish(z.uuid()),
})
export type FactorChange = z.infer<typeof factorChange>

/** Tells the owner that a second factor of theirs was added or removed. Carries neither address nor secret. */
export const sendFactorMail = defineJob('send-factor-mail', factorChange)

const recoveryCodeUse = z.object({
  userId: z.uuid(),
  /** How many codes are left. */
  left: z.number(),
  at: z.iso.datetime(),
  from: place,
})
export type RecoveryCodeUse = z.infer<typeof recoveryCodeUse>

/** Tells the owner that a recovery code signed in. Carries neither address nor code. */
export const sendRecoveryCodeMail = defineJob('send-recovery-code-mail', recoveryCodeUse)

/** With the queue's growing pauses the last try is about four minutes after the first: a later code would come too late. */
export const SIGN_IN_MAIL_ATTEMPTS = 6
