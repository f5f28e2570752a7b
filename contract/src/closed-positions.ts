import * as z from 'zod/mini'
import { HOLD_LENGTHS } from './hold-length.ts'
import { limited } from './limited.ts'
import { shownAsWritten } from './shown-as-written.ts'
import { strikeFields } from './strike.ts'
import { tickerText } from './symbol-text.ts'

/** The longest that the server writes; it refuses what it did not write. */
const CURSOR_MAX_LENGTH = 120

const CLOSED_SORTS = ['closed', 'gain', 'held'] as const
const SORT_ORDERS = ['desc', 'asc'] as const
export type ClosedSort = (typeof CLOSED_SORTS)[number]
export type SortOrder = (typeof SORT_ORDERS)[number]

export const closedPositionsQuery = z.object({
  /** By the instant of the close unless given; `held`: how long it was open. */
  sort: z.optional(z.enum(CLOSED_SORTS)),
  /** The newest, largest or longest first unless given. */
  order: z.optional(z.enum(SORT_ORDERS)),
  /** Of this ticker alone. */
  symbol: z.optional(tickerText),
  /** Closed in this month of UTC alone, as `2026-11`. */
  month: z.optional(limited(z.string().check(z.regex(/^[12]\d{3}-(0[1-9]|1[0-2])$/)), { maxLength: 7 })),
  /** `next` of the page before, asked with the same of everything else. */
  after: z.optional(limited(z.string(), { maxLength: CURSOR_MAX_LENGTH })),
})
export type ClosedPositionsQuery = z.infer<typeof closedPositionsQuery>

/** A closed position as everybody sees it; only some readers see its trader's notes (rules G-16 and G-49). */
const closedOfTrader = z.object({
  id: z.string(),
  symbol: z.string(),
  companyName: z.optional(z.string()),
  holdLength: shownAsWritten(HOLD_LENGTHS),
  /** US dollars. */
  openPrice: z.number(),
  closePrice: z.number(),
  /** Instants, ISO 8601 UTC. */
  opened: z.string(),
  closed: z.string(),
  /** Percent, two decimals. */
  percentageGain: z.number(),
  /** Whole days of 24 hours. */
  daysHeld: z.int(),
  /** False until the first trade after the close gives it its price; price and gain are those of the last one until then. */
  settled: z.optional(z.literal(false)),
  ...strikeFields,
  /**
   * For the trader, and for readers who were entitled while the position was open; those of the close for readers who were entitled at it.
   */
  notes: z.optional(z.object({ open: z.string(), close: z.optional(z.string()) })),
})
export type ClosedOfTrader = z.infer<typeof closedOfTrader>

export const closedPositionsAnswer = z.object({
  positions: z.array(closedOfTrader),
  /** The cursor of the next page, null on the last one. */
  next: z.nullable(z.string()),
})
export type ClosedPositionsAnswer = z.infer<typeof closedPositionsAnswer>
