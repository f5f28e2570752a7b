import { SEARCH_MIN_LENGTH } from '@tradepost/contract/limits'
import type { TraderSearchResult } from '@tradepost/contract/traders'
import { readUsername } from '@tradepost/contract/typed-name'
import { presentPrices } from '../billing/prices/prices-of.ts'
import { refusal } from '../platform/http/refusal.ts'
import type { Caller } from '../platform/http/register-endpoints.ts'
import { presentFigures, presentSince, requireTrader } from './find-trader.ts'
import type { TradersDeps } from './trader-profile.ts'

/**
 * One trader by exact username, without regard to case (rules G-20 and G-35); nobody who is suspended.
 * @throws `query_too_short`, `user_not_found`
 */
export async function searchTrader(
  deps: Pick<TradersDeps, 'db' | 'settings'>,
  caller: Caller,
  text: string,
): Promise<TraderSearchResult> {
  const username = readUsername(text)
  if (username.length < SEARCH_MIN_LENGTH) throw refusal('query_too_short')
  const trader = await requireTrader(deps, caller, username)
  if (trader.suspended) throw refusal('user_not_found')
  return {
    ...presentFigures(trader),
    ...trader.relationship,
    since: presentSince(trader),
    ...(trader.relationship.canSubscribe && presentPrices(trader.namedPrices, deps.settings)),
  }
}
