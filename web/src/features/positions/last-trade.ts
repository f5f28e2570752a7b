import type { PricePreview } from '@tradepost/contract/quotes'

/** A price of a later trade is one of now. */
const OF_NOW_MS = 60_000

const TIME = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone: 'UTC' } as const
const timeFormat = new Intl.DateTimeFormat('en-US', TIME)
const dayAndTimeFormat = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', ...TIME })

/**
 * When a checked price was traded, where that was more than a minute before the check: `Last trade of AAPL: Jul 2, 20:00 UTC`, without
 * the day where it is that of the check. By the server's clock alone, since this browser's may be wrong.
 * @returns null for a price of now, and where its time is not known
 */
export function lastTradeWords(preview: PricePreview): string | null {
  const { symbol, tradedAt = '', expiresAt = '', expiresInSeconds = Number.NaN } = preview
  const [traded, checked] = [new Date(tradedAt), new Date(Date.parse(expiresAt) - expiresInSeconds * 1000)]
  if (symbol === undefined || !(checked.getTime() - traded.getTime() > OF_NOW_MS)) return null
  const sameDay = traded.toISOString().slice(0, 10) === checked.toISOString().slice(0, 10)
  return `Last trade of ${symbol}: ${(sameDay ? timeFormat : dayAndTimeFormat).format(traded)} UTC`
}
