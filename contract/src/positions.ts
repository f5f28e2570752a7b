import * as z from 'zod/mini'
import { HOLD_LENGTHS } from './hold-length.ts'
import { limited } from './limited.ts'
import { NOTES_MAX_LENGTH, NOTES_MIN_LENGTH } from './limits.ts'
import { previewKey } from './quotes.ts'
import { shownAsWritten } from './shown-as-written.ts'
import { strikeFields } from './strike.ts'
import { tickerText } from './symbol-text.ts'
import { storableText } from './text.ts'

/** A position as its owner and entitled subscribers see it (docs/specification.md section 3). */
export const position = z.object({
  id: z.string(),
  active: z.boolean(),
  /** Ticker. */
  stock: z.string(),
  holdLength: shownAsWritten(HOLD_LENGTHS),
  openNotes: z.string(),
  /** US dollars. */
  openPrice: z.number(),
  /** ISO 8601 UTC with milliseconds. */
  openedAt: z.string(),
  /** Username of the trader. */
  user: z.string(),
  /** Of the company or fund. Beyond the specification's own fields; absent when nobody found it, and a client does without. */
  companyName: z.optional(z.string()),
  /**
   * When its plan is over, and everybody is shown it if it is still open, ISO 8601 (rule G-16). Beyond the specification's own fields;
   * a client does without.
   */
  publicAt: z.optional(z.string()),
  ...strikeFields,
})
export type Position = z.infer<typeof position>

const closedPosition = z.extend(position, {
  closePrice: z.number(),
  closedAt: z.string(),
  closeNotes: z.string(),
  /** Percent, two decimals. */
  percentageGain: z.number(),
  /** Beyond the specification's own fields: false until the first trade after the close gives it its price. Absent once it has one. */
  settled: z.optional(z.literal(false)),
})
export type ClosedPosition = z.infer<typeof closedPosition>

/** Open or close notes; `checkNotes` judges their length. */
const notes = limited(storableText(), {
  description: 'Counted in UTF-16 units, without blanks around them.',
  minLength: NOTES_MIN_LENGTH,
  maxLength: NOTES_MAX_LENGTH,
})

export const openPayload = z.object({
  symbol: tickerText,
  key: previewKey,
  openNotes: notes,
  /** A hold length; an unknown one is refused with `invalid_length`, so only its type is judged here. */
  positionLength: limited(z.string(), { enum: HOLD_LENGTHS }),
})
export type OpenPayload = z.infer<typeof openPayload>

export const closePayload = z.object({ symbol: tickerText, closeNotes: notes, key: previewKey })
export type ClosePayload = z.infer<typeof closePayload>

export const openAnswer = z.object({ position })
export const closeAnswer = z.object({ position: closedPosition })
export const positionsAnswer = z.object({ positions: z.array(position) })
