import * as z from 'zod/mini'
import { usernameText } from './accounts.ts'
import { limited } from './limited.ts'
import { UUID_LENGTH } from './limits.ts'

/** One position of one trader. */
export const positionParams = z.object({
  username: usernameText,
  id: limited(z.uuid(), { minLength: UUID_LENGTH, maxLength: UUID_LENGTH }),
})

/** When it was published; ISO 8601 UTC with milliseconds. */
const at = z.string()
/** US dollars. */
const price = z.number()

/** The events of a position, one after the other. Prices are those of their time. */
const historyEntry = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('opened'), at, price }),
  z.object({
    kind: z.literal('closed'),
    at,
    /** Absent for an unsettled close that has its price since: its earlier state is not kept. */
    price: z.optional(price),
    by: z.enum(['trader', 'operator']),
    /** False for an unsettled close: `price` is the last one, of the trade at `tradedAt`. */
    settled: z.optional(z.literal(false)),
    tradedAt: z.optional(z.string()),
  }),
  z.object({
    /** An unsettled close got its price. */
    kind: z.literal('settled'),
    at,
    price,
    /** `last_price`: there was no trade for ten session days. */
    by: z.enum(['trade', 'last_price', 'operator']),
  }),
  z.object({
    /** For so many old shares there are so many new ones; the open price is counted in them from then on. Old splits have no numbers. */
    kind: z.literal('split'),
    at,
    newShares: z.optional(z.int()),
    oldShares: z.optional(z.int()),
    priceBefore: price,
    price,
  }),
  z.object({
    /** The operator set a price right. */
    kind: z.literal('corrected'),
    at,
    /** Which price of the position. */
    end: z.enum(['open', 'close']),
    priceBefore: price,
    price,
    reason: z.string(),
  }),
  /** The share trades under another ticker since. */
  z.object({ kind: z.literal('renamed'), at, symbolBefore: z.string(), symbolAfter: z.string() }),
  /** The operator took the position out of everything that is counted. */
  z.object({ kind: z.literal('struck'), at, reason: z.string() }),
])
export type HistoryEntry = z.infer<typeof historyEntry>

/** Proves that an event is in the public record (rule G-116). */
const historyReceipt = z.object({
  /** Number of the entry, from 0. */
  index: z.int(),
  /** Entries of the record in which it is proven. */
  size: z.int(),
  /** Base64url: the fragment of a link to /verify. */
  receipt: z.string(),
})

export type HistoryReceipt = z.infer<typeof historyReceipt>

export const positionHistoryAnswer = z.object({
  /** The oldest first. */
  history: z.array(historyEntry),
  /** Of the events that the record has, the oldest first. A server of before the record sends none. */
  receipts: z.optional(z.array(historyReceipt)),
})
export type PositionHistoryAnswer = z.infer<typeof positionHistoryAnswer>
