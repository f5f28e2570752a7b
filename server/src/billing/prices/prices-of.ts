import type { Prices } from '@tradepost/contract/subscription-price'
import type { Settings } from '../../platform/settings.ts'
import type { NamedPrices } from './own-prices.queries.ts'

export type PriceSettings = Pick<Settings, 'subscriptionPriceCents' | 'subscriptionCurrency'>

/**
 * The prices of following a trader (rule G-28): those that they named, in the configured currency; else the configured one of a month.
 * @param named null for a trader who has named no price
 * @returns cents of the configured currency
 */
export function pricesOf(named: NamedPrices | null, settings: PriceSettings): Prices {
  if (named?.currency !== settings.subscriptionCurrency)
    return { monthlyCents: settings.subscriptionPriceCents, yearlyCents: null }
  return { monthlyCents: named.monthlyCents, yearlyCents: named.yearlyCents }
}

/** As answers show it. */
export function presentPrices(
  named: NamedPrices | null,
  settings: PriceSettings,
): { priceCents: number; yearlyCents?: number; currency: string } {
  const { monthlyCents, yearlyCents } = pricesOf(named, settings)
  return {
    priceCents: monthlyCents,
    ...(yearlyCents !== null && { yearlyCents }),
    currency: settings.subscriptionCurrency,
  }
}
