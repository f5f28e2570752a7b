import * as z from 'zod'
import { defineJob } from '../platform/queue.ts'

/** Draws code and link of a challenge and mails them. Carries neither address nor secret. */
export const sendSignInMail = defineJob('send-sign-in-mail', z.object({ challengeId: z.uuid() }))

/** With the queue's growing pauses the last try is about four minutes after the first: a later code would come too late. */
export const SIGN_IN_MAIL_ATTEMPTS = 6
