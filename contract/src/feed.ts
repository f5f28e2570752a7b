import * as z from 'zod/mini'
import { mark } from './marks.ts'
import { position } from './positions.ts'

/** The server sends something at least this often (docs/specification.md section 9). */
export const FEED_HEARTBEAT_MS = 30_000
/** Silence of this much beyond it means that the connection is dead (docs/specification.md section 9). */
export const FEED_TIMEOUT_MS = 10_000
/** How often a page that no feed reaches asks whether something has changed. */
export const FEED_VERSION_EVERY_MS = 60_000
/** Traders whose last event a message's id can hold. */
export const FEED_RESUMES_TRADERS = 100
/** A browser that has missed more events than this is sent none of them: it loads everything again. */
export const FEED_RESUMES_EVENTS = 100

/** A message of a feed. */
export const feedMessage = z.discriminatedUnion('type', [
  z.object({
    /** The first message: from here on nothing is missed. */
    type: z.literal('ready'),
    /** Whether the events that were missed since the id of the request follow; else lists are to be loaded again. */
    resumed: z.boolean(),
    /** ISO 8601 UTC: the server's clock. */
    now: z.string(),
    /** When the viewer's lists changed last, by the same clock; a list that was loaded well after that misses nothing. Null for never. */
    changedAt: z.nullable(z.string()),
  }),
  z.object({
    /** Something that the viewer or a trader whom they follow has published, in the order of that trader's events. */
    type: z.enum(['opened', 'adjusted']),
    /** ISO 8601 UTC with milliseconds: when it was published. */
    at: z.string(),
    /** As it is now. */
    position,
  }),
  z.object({
    /** `settled`: a close that was sent before has its price now. */
    type: z.enum(['closed', 'settled']),
    at: z.string(),
    position,
    /** US dollars. */
    closePrice: z.number(),
    /** Percent, two decimals. */
    percentageGain: z.number(),
    /** False while price and gain are those of the last trade. */
    settled: z.optional(z.literal(false)),
  }),
  z.object({
    /** Something of the viewer's own that is to be loaded again. */
    type: z.literal('changed'),
    what: z.enum(['subscriptions', 'payouts', 'activity']),
  }),
  z.object({
    /** Prices of symbols of the viewer's list of positions since the server has looked them up. */
    type: z.literal('marks'),
    marks: z.array(mark),
  }),
])
export type FeedMessage = z.infer<typeof feedMessage>

/** Changes whenever a feed would have sent a message, marks apart. */
export const feedVersionAnswer = z.object({ version: z.string() })
