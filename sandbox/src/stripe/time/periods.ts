import type { Recurring } from '../model/catalog.ts'

/**
 * The end of the n-th period from the anchor, in seconds: months and years keep the anchor's day, and its last possible
 * one in a shorter month (docs.stripe.com/billing/subscriptions/billing-cycle), always UTC.
 */
export function periodEnd(anchor: number, { interval, interval_count }: Recurring, n: number): number {
  const count = interval_count * n
  if (interval === 'day') return anchor + count * 86_400
  if (interval === 'week') return anchor + count * 7 * 86_400
  return addMonths(anchor, interval === 'year' ? count * 12 : count)
}

/** The end of the period that begins at `start`, found from the anchor, so that a short month does not stick. */
export function nextPeriodEnd(anchor: number, recurring: Recurring, start: number): number {
  let n = 1
  while (periodEnd(anchor, recurring, n) <= start) n++
  return periodEnd(anchor, recurring, n)
}

/** The same instant so many calendar months later, on the month's last day where the day does not exist. */
export function addMonths(seconds: number, months: number): number {
  const from = new Date(seconds * 1000)
  const first = new Date(from)
  first.setUTCDate(1)
  first.setUTCMonth(first.getUTCMonth() + months)
  const lastDay = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate()
  first.setUTCDate(Math.min(from.getUTCDate(), lastDay))
  return Math.floor(first.getTime() / 1000)
}

/** Cents that a percentage of an amount comes to, half a cent rounded up; percentages have at most two decimals. */
export function percentOf(amount: number, percent: number): number {
  const hundredths = Math.round(percent * 100)
  return Math.floor((amount * hundredths + 5_000) / 10_000)
}
