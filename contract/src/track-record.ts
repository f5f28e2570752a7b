import * as z from 'zod/mini'

export const TRACK_RANGES = ['3m', '1y', 'all'] as const
export type TrackRange = (typeof TRACK_RANGES)[number]

export const trackRecordQuery = z.object({
  /** The last three months or year before `asOf`, or everything that is known; a year unless given. */
  range: z.optional(z.enum(TRACK_RANGES)),
})

/** The end of a session. */
const trackDay = z.object({
  /** `2026-11-20`. */
  day: z.string(),
  /** The return of equal stakes in all positions of each day since the first day, in percent. */
  level: z.number(),
  /** The index, the same. */
  index: z.number(),
})
export type TrackDay = z.infer<typeof trackDay>

/** A month, of UTC as its sessions are. */
const trackMonth = z.object({
  /** `2026-11`. */
  month: z.string(),
  /** The gain of equal stakes in the positions of each of its days, in percent; null where no position that counts was held in it. */
  level: z.nullable(z.number()),
  /** The index, the same; in the first month from the session before the first position on. */
  index: z.number(),
})
export type TrackMonth = z.infer<typeof trackMonth>

const trackClose = z.object({
  symbol: z.string(),
  /** Instants, ISO 8601 UTC. */
  opened: z.string(),
  closed: z.string(),
  /** Percent, two decimals. */
  gain: z.number(),
})
export type TrackClose = z.infer<typeof trackClose>

/** A trader's curve beside the index (ADR 0054). Percent with two decimals. */
export const trackRecord = z.object({
  /** The last session that counts, as `2026-11-20`; null before the first. */
  asOf: z.nullable(z.string()),
  indexSymbol: z.string(),
  /** Whether the viewer sees the open positions that are within their plan; for everybody else they are no part of anything here. */
  withOpen: z.boolean(),
  /** From the session before the first position of the range to `asOf`; empty where nothing is known. */
  days: z.array(trackDay),
  /** All months of the record, oldest first, whatever the range; the last one is not over. A client does without. */
  months: z.optional(z.array(trackMonth)),
  /** Closed in the range, before the first day that is known. */
  closedBefore: z.int(),
  /** The deepest fall from a highest level of the range, a negative number; null for fewer than 20 days with positions. */
  drawdown: z.nullable(z.object({ fall: z.number(), from: z.string(), to: z.string() })),
  /** Mean gain of all positions, open ones at their last close; `stale` of them had none in the last four sessions. */
  allIn: z.nullable(z.object({ mean: z.number(), closed: z.int(), open: z.int(), stale: z.int() })),
  /** By how much closed positions beat the index, on average; `missing` ones had no index on a day that it takes. */
  versusIndex: z.nullable(z.object({ mean: z.number(), positions: z.int(), missing: z.int() })),
  /** Closed in the days above, oldest first; of very many the newest. */
  closes: z.array(trackClose),
  /** Older ones in these days, left out. */
  moreCloses: z.int(),
})
export type TrackRecord = z.infer<typeof trackRecord>
