import * as z from 'zod/mini'

/** The way to a file of everything that is kept about the caller (rule G-118). */
export const exportAnswer = z.object({
  /** The address that answers the file to `POST`, without a token; `GET` answers a page with a button. */
  path: z.string(),
  /** ISO 8601 UTC. */
  expiresAt: z.string(),
})
export type ExportAnswer = z.infer<typeof exportAnswer>
