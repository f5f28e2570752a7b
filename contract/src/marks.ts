import * as z from 'zod/mini'
import { lesserRights } from './price-rights.ts'

/** A mark that the server has looked up within this long is `current`; a screen shows the age of any other. */
export const MARK_FRESH_MS = 60_000

const SHOWN_BY_MS = 30_000

/** The instant of a price as it is shown, by the half minute: when it was found depends on all that others hold (ADR 0087). */
export function shownInstant(at: Date): Date {
  return new Date(at.getTime() - (at.getTime() % SHOWN_BY_MS))
}

/** How often a visible page asks for marks. */
export const MARKS_ASKED_EVERY_MS = 30_000

/**
 * `current`: looked up within a minute; `aged`: longer ago; `waiting`: there is no price of it; `gone`: the price provider has not known
 * the symbol on three session days, or does not list it any more; the price is the last one, if there was any.
 */
const MARK_STATES = ['current', 'aged', 'waiting', 'gone'] as const
export type MarkState = (typeof MARK_STATES)[number]

/** The price of a symbol now, as far as the server knows and may tell (rule G-130). With late prices all of it is as of 15 minutes ago. */
export const mark = z.object({
  symbol: z.string(),
  /** Decimal text in US dollars, null without any. */
  price: z.nullable(z.string()),
  /** Instant of the price's last trade, ISO 8601 UTC, null without a price; while the market is closed long ago. */
  at: z.nullable(z.string()),
  state: z.enum(MARK_STATES),
  /** The provider has no price of now, or the ticker is another company's than that of a position: the price is the last one, if any. */
  unpriced: z.optional(z.literal(true)),
  rights: lesserRights,
  /** With gains alone, in place of the price: what each of the caller's positions in the symbol has gained, by its id, in whole percent. */
  gains: z.optional(z.record(z.string(), z.int())),
})
export type Mark = z.infer<typeof mark>

/**
 * The mark of a symbol right after a position was opened in it, where prices are live: an opening is a price of its moment, and the newest.
 * @param opening.openPrice US dollars
 * @param opening.openedAt ISO 8601 UTC
 */
export function markOfOpening(opening: { stock: string; openPrice: number; openedAt: string }): Mark {
  const at = shownInstant(new Date(opening.openedAt)).toISOString()
  return { symbol: opening.stock, price: String(opening.openPrice), at, state: 'current' }
}

/** Of each symbol of the caller's list of positions, by symbol. */
export const marksAnswer = z.object({ marks: z.array(mark) })
