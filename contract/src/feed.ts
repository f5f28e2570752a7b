import * as z from 'zod/mini'
import { position } from './positions.ts'

/** The server says something at least this often (docs/specification.md section 9). */
export const FEED_HEARTBEAT_MS = 30_000
/** Traders whose last event a message's id can hold. */
export const FEED_RESUMES_TRADERS = 100
/** A browser that has missed more events than this is sent none of them: it asks everything anew. */
export const FEED_RESUMES_EVENTS = 100

/** What a feed says. */
export const feedMessage = z.discriminatedUnion('type', [
  z.object({
    /** The first message: from here on nothing is missed. */
    type: z.literal('ready'),
    /** Whether what was missed since the id that was sent with the request follows; else lists are to be asked anew. */
    resumed: z.boolean(),
  }),
  z.object({
    /** Something that the viewer or a trader whom they follow has published, in the order of that trader's events. */
    type: z.enum(['opened', 'closed', 'adjusted']),
    /** ISO 8601 UTC with milliseconds: when it was published. */
    at: z.string(),
    /** As it is now. */
    position,
  }),
  z.object({
    /** Something of the viewer's own that is to be asked anew. */
    type: z.literal('changed'),
    what: z.enum(['subscriptions', 'payouts']),
  }),
])
export type FeedMessage = z.infer<typeof feedMessage>
