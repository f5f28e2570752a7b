import type { BillingInterval } from '@tradepost/contract/billing-interval'
import { discountedCents } from '@tradepost/contract/discount-code'
import type { StripeDiscount } from '../../stripe/discounts.ts'
import { renewalAfter } from './followers-price.ts'

/**
 * A subscription's next renewal while something is taken off. @property cents what it costs @property until the first renewal behind it that
 * costs something else; null for none @property promotionCodeId Stripe's, of the code; null for a discount without one
 */
export type NextCharge = { cents: number; until: Date | null; promotionCodeId: string | null }

type Charged = {
  priceCents: number
  interval: BillingInterval
  startedAt: Date
  trialEnd: Date | null
  currentPeriodEnd: Date | null
  discounts: readonly StripeDiscount[]
}

/**
 * The cost of the next renewal, as Stripe will ask for it (docs.stripe.com/billing/subscriptions/coupons): a discount for some months is of
 * each period that begins before its end, one for once of the next that is paid, and several are taken off one after the other.
 * @param promised discounts for once that an invoice has which is not paid yet
 * @returns null where nothing is taken off it
 */
export function nextCharge(of: Charged, promised: ReadonlySet<string> = new Set()): NextCharge | null {
  const { currentPeriodEnd, discounts, interval, startedAt, trialEnd } = of
  if (currentPeriodEnd === null) return null
  const running = discounts.filter(({ id, once }) => !(once && promised.has(id)))
  const renewal = (nth: number) =>
    renewalAfter({ interval, anchor: trialEnd ?? startedAt, periodEnd: currentPeriodEnd }, nth)
  const taken = (nth: number) =>
    running.filter(({ endsAt, once }) =>
      once ? nth === 0 : endsAt === null || renewal(nth).getTime() < endsAt.getTime(),
    )
  const cost = (nth: number) => taken(nth).reduce(discountedCents, of.priceCents)
  const [first] = taken(0)
  if (first === undefined) return null
  const cents = cost(0)
  const ends = taken(0).some(({ endsAt, once }) => once || endsAt !== null)
  let nth = 1
  while (ends && cost(nth) === cents && taken(nth).some(({ endsAt }) => endsAt !== null)) nth += 1
  const until = ends && cost(nth) !== cents ? renewal(nth) : null
  return { cents, until, promotionCodeId: first.promotionCodeId }
}
