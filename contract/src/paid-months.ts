import { MONTHS_OF } from './billing-interval.ts'
import { DAY_MS } from './trading-day.ts'

/** A month that was paid, in UTC: `start` belongs to it, `end` to the next one. */
export type PaidMonth = { start: Date; end: Date }

/** Its trader is mailed so long before a month ends in which nothing has reached a follower (rule G-127). */
export const EMPTY_MONTH_NOTICE_MS = 7 * DAY_MS

/** A longer period is a year, whatever the subscription renews at by now. */
const LONGEST_MONTH_MS = 45 * DAY_MS

/**
 * The months of a paid period (rule G-127): one as Stripe bounds it, or the twelve of a year, each from the anchor's day of the month.
 * A month that has no such day begins on its last one, as Stripe's own periods do.
 * @param anchor when the subscription's first period began: a year that begins on a 28th of February may be one of the 29th
 */
export function monthsOf(period: PaidMonth, anchor: Date): PaidMonth[] {
  const isYear = period.end.getTime() - period.start.getTime() > LONGEST_MONTH_MS
  const count = MONTHS_OF[isYear ? 'year' : 'month']
  const day = anchorDay(period.start, anchor)
  const bounds = Array.from({ length: count }, (_, nth) =>
    nth === 0 ? period.start : laterMonth(period.start, nth, day),
  )
  return bounds.map((start, nth) => ({ start, end: bounds[nth + 1] ?? period.end }))
}

/** The anchor's day where the period begins on an earlier one only because its month is too short; else that of its beginning. */
function anchorDay(start: Date, anchor: Date): number {
  const isLastDay = start.getUTCDate() === daysOfMonth(start.getUTCFullYear(), start.getUTCMonth())
  const [own, first] = [start.getUTCDate(), anchor.getUTCDate()]
  return isLastDay && first > own ? first : own
}

/** The same time of day, so many months later, on a day of the month or on its last. */
function laterMonth(start: Date, months: number, day: number): Date {
  const [year, month] = [start.getUTCFullYear(), start.getUTCMonth() + months]
  const later = new Date(start)
  later.setUTCFullYear(year, month, Math.min(day, daysOfMonth(year, month)))
  return later
}

/** @param month from 0 on; more than 11 are those of the next years */
function daysOfMonth(year: number, month: number): number {
  return new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
}

/** A payment for a period, and how much of it has gone already, in cents. */
export type PaidPeriod = {
  paidCents: number
  /** All that came back to the one who paid, `monthsCents` too. */
  refundedCents: number
  /** Of that, what came back for other empty months of the same period. */
  monthsCents: number
  /** Taken back by a bank, or up to its decision. */
  disputedCents: number
  /** The subscription ended before the period did: what came back then was of the period's last part, and not of all months alike. */
  endedEarly: boolean
}

/**
 * How much goes back for one month of a period in which nothing was published (rule G-127): the whole of what is still kept of it. The months of
 * a year are alike but for the last, which has the cents that twelve parts leave.
 * @param nth from 0 on
 * @param count of the period's months
 * @returns cents, never more than is left of the payment
 */
export function centsOfEmptyMonth(period: PaidPeriod, nth: number, count: number): number {
  const { disputedCents, monthsCents, paidCents, refundedCents } = period
  const kept = paidCents - (refundedCents - monthsCents) - disputedCents
  const share = period.endedEarly
    ? Math.min(kept - sharesBefore(paidCents, nth, count), shareOf(paidCents, nth, count))
    : shareOf(kept, nth, count)
  return Math.max(0, Math.min(share, paidCents - refundedCents - disputedCents))
}

function shareOf(cents: number, nth: number, count: number): number {
  return nth === count - 1 ? cents - sharesBefore(cents, nth, count) : Math.floor(cents / count)
}

function sharesBefore(cents: number, nth: number, count: number): number {
  return Math.floor(cents / count) * nth
}

/** A number that everybody may read of what was returned: rounded down to tens, so that nobody counts one trader's in it. */
export function returnedInTens(count: number): string {
  return count < 10 ? 'fewer than 10' : `at least ${(Math.floor(count / 10) * 10).toLocaleString('en-US')}`
}
