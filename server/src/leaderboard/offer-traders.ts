import type { OfferedTraders } from '@tradepost/contract/leaderboard'
import { LEADERBOARD_MIN_CLOSED_COUNT, WINS_MIN_CLOSED_COUNT } from '@tradepost/contract/limits'
import type { SellingSettings } from '../billing/entitlements/may-subscribe.ts'
import { listOffers } from '../billing/offers/list-offers.ts'
import type { PriceSettings } from '../billing/prices/prices-of.ts'
import type { Queryable } from '../platform/database/queryable.ts'
import { listRanked } from './leaderboard.queries.ts'
import { presentRanked } from './read-leaderboard.ts'

const OFFERED_COUNT = 3
/** So many of the best are looked at for some who can be followed. */
const LOOKED_AT_COUNT = 8

/**
 * The best of the leaderboard whom a viewer may subscribe to, with their prices, for somebody who follows nobody (rule G-113). Averages of few
 * closed positions come behind all others: nobody is led to pay for luck.
 */
export async function offerTraders(
  deps: { db: Queryable; settings: PriceSettings & SellingSettings },
  viewerId: string,
): Promise<OfferedTraders> {
  // The viewer may be one of the best.
  const limit = LOOKED_AT_COUNT + 1
  const [proven, all] = await Promise.all(
    [WINS_MIN_CLOSED_COUNT, LEADERBOARD_MIN_CLOSED_COUNT].map((minClosed) =>
      listRanked(deps.db, { minClosed, limit }),
    ),
  )
  const best = new Map([...(proven ?? []), ...(all ?? [])].map((trader) => [trader.traderId, trader]))
  const others = [...best.values()].filter(({ traderId }) => traderId !== viewerId).slice(0, LOOKED_AT_COUNT)
  // The ranking leaves out who is suspended.
  const offers = await listOffers(
    deps,
    viewerId,
    others.map(({ traderId }) => traderId),
  )
  const offered = others.filter(({ traderId }) => offers.has(traderId)).slice(0, OFFERED_COUNT)
  return {
    traders: offered.map((trader) => ({ ...presentRanked(trader, null), ...offers.get(trader.traderId) })),
  }
}
