import * as z from 'zod/mini'
import { limited } from './limited.ts'

/** A subscription can be withdrawn from for so long after its first payment (rule G-126). */
export const WITHDRAWAL_DAYS = 14
/** An amount that was shown is returned to the cent for so long. */
export const SHOWN_MINUTES = 10

const DAY_MS = 86_400_000

/** Until when a subscription can be withdrawn from; that instant is too late. @param firstPaidAt when its first payment came */
export function withdrawalEnds(firstPaidAt: Date): Date {
  return new Date(firstPaidAt.getTime() + WITHDRAWAL_DAYS * DAY_MS)
}

/** The result of a withdrawal now; amounts in cents of `currency`. */
const withdrawal = z.object({
  /** Until when it can be done. ISO 8601 UTC. */
  until: z.string(),
  paidCents: z.int(),
  /** At most what was paid and has not gone back yet. */
  returnsCents: z.int(),
  currency: z.string(),
  /** Whether the trader has published anything in the time that was paid, until `asOf`; if not, everything is returned. */
  delivered: z.boolean(),
  /** Days of the paid time that are left, where they decide the amount; else null. A server of an earlier version does not say it. */
  daysLeft: z.optional(z.nullable(z.int())),
})
export type Withdrawal = z.infer<typeof withdrawal>

/** The ways out of a subscription, and the result of each; instants in ISO 8601 UTC. */
export const leavingAnswer = z.object({
  /** When the subscription ends already, by an earlier cancellation; null while it renews. */
  endsAt: z.nullable(z.string()),
  /** When it would end if it were canceled now; null: at once, since no time is paid. */
  cancelAt: z.nullable(z.string()),
  /** Whether its free days run: nothing was charged, and it ends with them. A client does without. */
  inTrial: z.optional(z.boolean()),
  /** Null where it cannot be withdrawn from. */
  withdrawal: z.nullable(withdrawal),
  /** Of these amounts. Sent back with the withdrawal, they hold for ten minutes. */
  asOf: z.string(),
})
export type Leaving = z.infer<typeof leavingAnswer>

/** When the subscription ends: with the time that was paid, or now where none is. ISO 8601 UTC. */
export const cancelAnswer = z.object({ endsAt: z.string() })
/** When it renews; null while nothing is charged. ISO 8601 UTC. */
export const keepAnswer = z.object({ currentPeriodEnd: z.nullable(z.string()) })
/** As this answers it; the library's own check of dates would be loaded with the first page. */
const instant = limited(z.string().check(z.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)), {
  maxLength: 24,
})

/** @property asOf as the amounts were shown; without it, and after ten minutes, the amount is that of now */
export const withdrawPayload = z.object({ asOf: z.optional(instant) })
/** The amounts of the withdrawal, also of one that was done before. */
export const withdrawAnswer = z.object({
  paidCents: z.int(),
  returnsCents: z.int(),
  currency: z.string(),
})
