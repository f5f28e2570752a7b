import { type Html, html } from '../../html.ts'
import { isInTrial, itemOf, type Subscription } from '../model/billing.ts'
import type { Price } from '../model/catalog.ts'
import type { SessionPlan } from '../model/checkout.ts'
import { day, money } from './forms.ts'

/** How often a price is asked: `a month`, `every 3 months`. */
function every({ recurring }: Price): string {
  const { interval, interval_count } = recurring ?? { interval: 'month', interval_count: 1 }
  return interval_count === 1 ? `a ${interval}` : `every ${interval_count} ${interval}s`
}

/** The terms of a checkout: the price and how often, after the days that are free. */
export function offered(price: Price, { quantity, trialDays = null }: SessionPlan): Html {
  const amount = money(price.unit_amount * quantity, price.currency)
  if (trialDays === null) return html`${amount} <span class="quiet">${every(price)}</span>`
  const days = trialDays === 1 ? '1 day' : `${trialDays} days`
  return html`${days} free, <span class="quiet">then ${amount} ${every(price)}</span>`
}

/** The price of a running subscription, and what happens at the end of its period. */
export function running(subscription: Subscription): Html {
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
<p class="quiet">${words} ${day(cancel_at ?? current_period_end)}</p>`
}
