import { isMarketOpen, type MarketOverride, nextMarketChange } from '@tradepost/contract/market-hours'
import { isLaterDay, nextDayOf } from '@tradepost/contract/trading-day'
import { useNow } from '../../lib/use-now.ts'

/**
 * Whether the market is open now; changes automatically at the opening and closing bell (docs/specification.md section
 * 4). The server decides in the end.
 */
export function useMarketOpen(override: MarketOverride): boolean {
  return isMarketOpen(useNow(nextMarketChange), override)
}

/** Whether today is a later UTC day than the one the position was opened on, so that it may be closed (rule G-19). */
export function useLaterDay(openedAt: string, override: MarketOverride): boolean {
  return isLaterDay(useNow(nextDayOf), new Date(openedAt), override)
}
