import { gainNumber } from '@tradepost/contract/gain'
import { PAST_PLAN_MAX_COUNT } from '@tradepost/contract/limits'
import { shownInstant } from '@tradepost/contract/marks'
import { type PriceRights, priceInstant, type ShownPrice, showPrice } from '@tradepost/contract/price-rights'
import type { PastPlanPosition } from '@tradepost/contract/traders'
import type { Queryable } from '../platform/database/queryable.ts'
import type { DirectoryNow } from '../quotes/symbols/directory.ts'
import { findLastPrices, type LastPrice } from './past-plan.queries.ts'

/** An open position that counts; instants in ms since 1970. */
export type OpenPosition = {
  symbol: string
  /** Decimal text, US dollars. */
  openPrice: string
  openedAt: number
  publicAt: number
  /** Null unless the ticker is another company's, since then. */
  tickerLostOn: number | null
}

/** As a profile answers it. */
type PastPlan = { pastPlan: PastPlanPosition[]; morePastPlan: number }

/**
 * A trader's open positions that are public at an instant, the one that became so last first, each with its gain so far by the last price
 * that is known since its opening, or by what may be shown of it (rule G-130). The same for everybody (rule G-16).
 * @param open in that order
 */
export async function readPastPlan(
  { db, directory, rights }: { db: Queryable; directory: DirectoryNow; rights: PriceRights },
  open: readonly OpenPosition[],
  now: Date,
): Promise<PastPlan> {
  const all = open.filter(({ publicAt }) => publicAt <= now.getTime())
  const shown = all.slice(0, PAST_PLAN_MAX_COUNT)
  const until = priceInstant(rights, now)
  const prices = shown.length === 0 ? [] : await findLastPrices(db, shown, { until, now })
  return {
    pastPlan: shown.map((position, nth) => {
      const last = prices[nth] ?? null
      return present(position, last, showPrice(rights, last, now), directory)
    }),
    morePastPlan: all.length - shown.length,
  }
}

function present(
  { openedAt, openPrice, publicAt, symbol, tickerLostOn }: OpenPosition,
  last: LastPrice | null,
  { gainOver, rights }: ShownPrice,
  directory: DirectoryNow,
): PastPlanPosition {
  const gain = gainOver(openPrice)
  const companyName = directory.nameOf(symbol, tickerLostOn === null ? null : new Date(tickerLostOn))
  return {
    symbol,
    ...(companyName !== undefined && { companyName }),
    opened: new Date(openedAt).toISOString(),
    openPrice: Number(openPrice),
    gain: gain === null ? null : gainNumber(gain),
    at: last?.tradedAt ? shownInstant(last.tradedAt).toISOString() : null,
    publicAt: new Date(publicAt).toISOString(),
    ...(rights && { rights }),
  }
}
