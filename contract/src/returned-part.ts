import { formatMoney } from './money.ts'
import { DAY_MS } from './trading-day.ts'

/**
 * How much of a payment goes back, in cents of `currency`.
 * @property daysLeft days of the time that was paid, where the amount is the part for them, be it the whole; null where it is all that had not gone back
 * before; not given where that is not known
 */
type Returned = {
  returnsCents: number
  paidCents: number
  currency: string
  daysLeft?: number | null | undefined
}

/**
 * The amount that goes back, in the same words on screens, in mails and behind links: `your whole payment of $12.50`, with
 * `, with no day of it used` where it is the part for all days, or `$10.89 of your payment of $12.50, the part for the 27 days left`. It stands
 * within a sentence.
 * @param whose payment it was, as its reader is spoken to
 */
export function returnedPart(returned: Returned, whose: 'your' | 'their' = 'your'): string {
  const { currency, daysLeft, paidCents, returnsCents } = returned
  const [back, payment] = [
    formatMoney(returnsCents, currency),
    `payment of ${formatMoney(paidCents, currency)}`,
  ]
  // The part for the days left is the whole on the first day; without a word it looks as if more came back than was said.
  if (returnsCents === paidCents)
    return typeof daysLeft === 'number'
      ? `${whose} whole ${payment}, with no day of it used`
      : `${whose} whole ${payment}`
  if (daysLeft === null) return `${back}, all that was left of ${whose} ${payment}`
  const part = `${back} of ${whose} ${payment}`
  return daysLeft === undefined ? part : `${part}, the part for the ${days(daysLeft)} left`
}

const days = (count: number) => (count === 1 ? 'day' : `${count} days`)

/** Days that are left of a time that was paid; one that has begun counts. */
export function daysLeftOf(periodEnd: Date, at: Date): number {
  return Math.max(0, Math.ceil((periodEnd.getTime() - at.getTime()) / DAY_MS))
}
