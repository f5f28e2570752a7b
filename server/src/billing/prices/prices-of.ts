import type { TrialDays } from '@tradepost/contract/trial'
import type { Prices } from '@tradepost/contract/typed-prices'
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

/** The free days that a trader offers to new followers (rule G-123); null for none. */
export function trialDaysOf(named: NamedPrices | null, settings: PriceSettings): TrialDays | null {
  return named?.currency === settings.subscriptionCurrency ? named.trialDays : null
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
