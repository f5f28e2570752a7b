import type { ActivityItem } from '@tradepost/contract/activity'
import { formatPrice } from '@tradepost/contract/gain'
import { priceIn } from './activity-sentence.tsx'

const SETTLED_BY = {
  trade: 'It was the first trade after the close: this price is final, and counts from now on.',
  last_price: 'There was no trade for ten session days, so the last price counts.',
  operator: 'The share is no longer traded: this is what holders got for one.',
} as const

/** The meaning of an event that its trader did not write about; null of an open and a close. */
export function explanationOf(item: ActivityItem): string | null {
  const { correction, rename, settlement, split } = item
  if (settlement) return SETTLED_BY[settlement.by]
  if (split)
    return `Nothing was bought or sold: prices are counted in new shares. The open price was ${priceIn(item, split.openPriceBefore)} before.`
  if (rename) return 'Nothing was bought or sold, and every price stays as it was.'
  if (correction)
    return `The ${correction.end} price was ${formatPrice(correction.priceBefore, correction.price)} before. ${correction.reason}`
  return null
}
