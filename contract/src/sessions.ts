import * as z from 'zod/mini'
import { limited } from './limited.ts'
import { UUID_LENGTH } from './limits.ts'

/** Where a session was used, as its owner recognises it. */
export const sessionPlace = z.object({
  /** In plain words, such as `Chrome on Windows`; never the device's own description. */
  device: z.string(),
  /** Its first part, such as `203.0.113.*`, or `local`; null when it is not known. */
  network: z.nullable(z.string()),
})
export type SessionPlace = z.infer<typeof sessionPlace>

/** A session of the signed-in person that has not ended. */
const session = z.object({
  id: z.string(),
  /** It is the session of this request. */
  current: z.boolean(),
  /** The account has a second factor, and this session has not been confirmed with it: it can do nothing yet. */
  awaitsSecondStep: z.boolean(),
  /** ISO 8601 in UTC, to about five minutes. */
  seenAt: z.string(),
  seenFrom: sessionPlace,
  /** ISO 8601 in UTC. */
  signedInAt: z.string(),
  signedInFrom: sessionPlace,
})
export type Session = z.infer<typeof session>

export const sessionsAnswer = z.object({ sessions: z.array(session) })
export const sessionParams = z.object({
  id: limited(z.uuid(), { minLength: UUID_LENGTH, maxLength: UUID_LENGTH }),
})
export const sessionEndAnswer = z.object({ ok: z.literal(true) })
