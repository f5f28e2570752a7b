import * as z from 'zod/mini'
import { ACTIVITY_ITEM_PATTERN } from './activity-item.ts'
import { HOLD_LENGTHS } from './hold-length.ts'
import { limited } from './limited.ts'
import { USERNAME_MAX_LENGTH } from './limits.ts'
import { shownAsWritten } from './shown-as-written.ts'

/** The longest that the server writes; it refuses what it did not write. */
const CURSOR_MAX_LENGTH = 120
const SEEN_MAX_LENGTH = 8000
/** A username, a dot and a number. */
const ITEM_MAX_LENGTH = 32

export const activityQuery = z.object({
  /** `next` of the page before. */
  after: z.optional(limited(z.string(), { maxLength: CURSOR_MAX_LENGTH })),
  /** The id of an item that the page shall begin with, unless it is among the newest; `after` goes before it. */
  item: z.optional(limited(z.string(), { maxLength: ITEM_MAX_LENGTH, pattern: ACTIVITY_ITEM_PATTERN })),
  /** A username: its events alone. Nothing of somebody of whom the caller sees no event. */
  trader: z.optional(limited(z.string(), { maxLength: USERNAME_MAX_LENGTH })),
})
export type ActivityQuery = z.infer<typeof activityQuery>

/** How the mails of an event went, for its trader. */
const mailing = z.object({
  /** Mails that a mail server took. */
  sent: z.int(),
  /** Whether all have gone, but for those that are tried again. */
  done: z.boolean(),
  /** Within how many seconds of publishing half of them, and 95 %, were taken; null while they are on their way, and without any. */
  halfSeconds: z.nullable(z.number()),
  mostSeconds: z.nullable(z.number()),
})
export type Mailing = z.infer<typeof mailing>

const activityItem = z.object({
  /** As in addresses: `maria.42`. */
  id: z.string(),
  /** `settled`: an unsettled close has its price. */
  kind: z.enum(['opened', 'closed', 'settled', 'adjusted']),
  /** When it was published; ISO 8601 UTC with milliseconds. */
  at: z.string(),
  /** A username. */
  trader: z.string(),
  own: z.boolean(),
  /** Not seen by the reader before, on any device. */
  unread: z.boolean(),
  positionId: z.string(),
  symbol: z.string(),
  companyName: z.optional(z.string()),
  holdLength: shownAsWritten(HOLD_LENGTHS),
  /** US dollars, in the shares of now. */
  openPrice: z.number(),
  openedAt: z.string(),
  openNotes: z.string(),
  /** Of a close. */
  close: z.optional(
    z.object({
      price: z.number(),
      /** Percent, two decimals. */
      percentageGain: z.number(),
      notes: z.string(),
      /** False while price and gain are those of the last trade, until the first one after the close. */
      settled: z.optional(z.literal(false)),
      /** Of the last trade; ISO 8601 UTC. */
      tradedAt: z.optional(z.string()),
    }),
  ),
  /** Of a settlement. */
  settlement: z.optional(
    z.object({
      price: z.number(),
      percentageGain: z.number(),
      /** `last_price`: there was no trade for ten session days. */
      by: z.enum(['trade', 'last_price', 'operator']),
    }),
  ),
  /** Of a split: for so many old shares there are so many new ones. */
  split: z.optional(
    z.object({
      newShares: z.int(),
      oldShares: z.int(),
      openPriceBefore: z.number(),
      openPrice: z.number(),
    }),
  ),
  /** Of a price that was set right after it was published. */
  correction: z.optional(
    z.object({
      /** Which price of the position. */
      end: z.enum(['open', 'close']),
      priceBefore: z.number(),
      price: z.number(),
      reason: z.string(),
    }),
  ),
  /** Of a share that trades under another ticker since. */
  rename: z.optional(z.object({ symbolBefore: z.string(), symbolAfter: z.string() })),
  /** Of a position that an operator has struck. */
  strike: z.optional(z.object({ reason: z.string() })),
  /** About how many seconds after publishing the reader's mail was taken by the mail server, where that is known. */
  mailedAfterSeconds: z.optional(z.int()),
  /** For the trader alone. */
  mailing: z.optional(mailing),
})
export type ActivityItem = z.infer<typeof activityItem>

export const activityAnswer = z.object({
  items: z.array(activityItem),
  /** The cursor of the next page, null on the last one. */
  next: z.nullable(z.string()),
  /** Whether there are newer items than the first one. */
  newer: z.boolean(),
  /**
   * The text that marks as read all that is unread now and was published before this answer, of `trader` alone where one was asked for; null
   * when nothing is.
   */
  seen: z.nullable(z.string()),
})
export type ActivityAnswer = z.infer<typeof activityAnswer>

export const activityReadPayload = z.object({
  /** As a page of Activity gave it. */
  seen: limited(z.string(), { maxLength: SEEN_MAX_LENGTH }),
})

/** How the mails of the caller's latest events went, the newest first. */
export const mailingsAnswer = z.object({
  events: z.array(
    z.object({
      id: z.string(),
      kind: z.enum(['opened', 'closed', 'adjusted']),
      at: z.string(),
      symbol: z.string(),
      mailing,
    }),
  ),
})
export type MailingsAnswer = z.infer<typeof mailingsAnswer>
