import { type Html, html } from '../../html.ts'
import { reductionOf } from '../discounts/reduce.ts'
import { isInTrial, itemOf, type Subscription } from '../model/billing.ts'
import type { Price } from '../model/catalog.ts'
import type { SessionPlan } from '../model/checkout.ts'
import type { Coupon, Discount, DiscountTerms } from '../model/discounts.ts'
import { day, money } from './forms.ts'

/** How often a price is asked: `a month`, `every 3 months`. */
function every({ recurring }: Price): string {
  const { interval, interval_count } = recurring ?? { interval: 'month', interval_count: 1 }
  return interval_count === 1 ? `a ${interval}` : `every ${interval_count} ${interval}s`
}

/** A discount as a checkout's page shows it. */
export type Offer = { coupon: Coupon; terms: DiscountTerms; code: string | null }

/** The terms of a checkout: the price and how often, after the days that are free, and with the discount. */
export function offered(price: Price, plan: SessionPlan, offer: Offer | null): Html {
  const { quantity, trialDays = null } = plan
  const whole = price.unit_amount * quantity
  const less = offer === null ? whole : whole - reductionOf(offer.terms, whole)
  const amount = (cents: number) => money(cents, price.currency)
  const often = every(price)
  const after = offer === null ? '' : lasting(offer.coupon, `${amount(whole)} ${often}`)
  if (trialDays === null) return html`${amount(less)} <span class="quiet">${often}${after}</span>`
  const days = trialDays === 1 ? '1 day' : `${trialDays} days`
  return html`${days} free, <span class="quiet">then ${amount(less)} ${often}${after}</span>`
}

/** How long a discount lasts, and the price after it. */
function lasting(coupon: Coupon, whole: string): string {
  if (coupon.duration === 'forever') return ''
  const months = coupon.duration_in_months
  const span = months === 1 ? 'for 1 month' : `for ${months} months`
  return ` ${coupon.duration === 'once' ? 'the first time' : span}, then ${whole}`
}

/** The discount of a checkout by its name, and what is asked for today. */
export function reductionLines(
  offer: Offer | null,
  subtotal: number,
  total: number,
  currency: string,
): Html | null {
  if (offer === null) return null
  const { code, coupon, terms } = offer
  const name = code ?? coupon.name ?? coupon.id
  return html`<dl class="facts"><dt>${name}</dt><dd>${share(terms, coupon.currency)} off${
    subtotal === total ? null : html`, −${money(subtotal - total, currency)}`
  }</dd><dt>Total today</dt><dd>${money(total, currency)}</dd></dl>`
}

function share({ percentOff, amountOff }: DiscountTerms, currency: string | null): string {
  return percentOff === null ? money(amountOff ?? 0, currency ?? 'usd') : `${percentOff}%`
}

/** A discount of a running subscription. */
export type Running = { discount: Discount; terms: DiscountTerms }

/** The price of a running subscription with its discounts, and what happens at the end of its period. */
export function running(subscription: Subscription, discounts: Running[]): Html {
  const { cancel_at, status, currency } = subscription
  const { price, quantity, current_period_end } = itemOf(subscription)
  const words =
    cancel_at !== null
      ? 'Ends on'
      : isInTrial(subscription)
        ? 'Free until'
        : status === 'active'
          ? 'Renews on'
          : 'A payment is past due; the next period begins on'
  return html`<p>${money(price.unit_amount * quantity, currency)} ${every(price)}</p>
${discounts.map(
  ({ discount, terms }) =>
    html`<p class="quiet">${share(terms, currency)} off${
      terms.duration === 'once' ? ' the next payment' : null
    }${discount.end === null ? null : html` until ${day(discount.end)}`}</p>`,
)}
<p class="quiet">${words} ${day(cancel_at ?? current_period_end)}</p>`
}
