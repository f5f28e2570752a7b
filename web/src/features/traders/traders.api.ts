import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { ClosedPositionsQuery } from '@tradepost/contract/closed-positions'
import { LEADERBOARD_FRESH_MS, PROFILE_FRESH_MS } from '@tradepost/contract/limits'
import type { TrackRange } from '@tradepost/contract/track-record'
import { traderEndpoints } from '@tradepost/contract/trader-endpoints'
import { readUsername } from '@tradepost/contract/typed-name'
import { call } from '../../lib/api.ts'
import { triedOnce } from '../../lib/query-client.ts'

/** First word of every key here: opening or closing a position makes these records stale. */
const COUNTED_FROM = 'positions'

/** Traders by average gain, best first; one try (docs/specification.md section 9). */
export const leaderboardQuery = queryOptions({
  queryKey: [COUNTED_FROM, 'leaderboard'],
  queryFn: ({ signal }) => call(traderEndpoints.leaderboard, undefined, signal),
  ...triedOnce(LEADERBOARD_FRESH_MS),
})

/** The best whom one may subscribe to; one try. */
export const offeredQuery = queryOptions({
  queryKey: [...leaderboardQuery.queryKey, 'offered'],
  queryFn: ({ signal }) => call(traderEndpoints.offered, undefined, signal),
  ...triedOnce(LEADERBOARD_FRESH_MS),
})

/** Traders by what can be expected of their positions beside the index; computed nightly, one try. */
export const provenQuery = queryOptions({
  queryKey: [COUNTED_FROM, 'proven'],
  queryFn: ({ signal }) => call(traderEndpoints.proven, undefined, signal),
  ...triedOnce(LEADERBOARD_FRESH_MS),
})

/** A trader's public record, under one key however the name is spelled (rule G-20); one try. */
export function profileQuery(username: string) {
  return queryOptions({
    queryKey: [COUNTED_FROM, 'profile', username.toLowerCase()],
    queryFn: ({ signal }) => call(traderEndpoints.profile, { username }, signal),
    ...triedOnce(PROFILE_FRESH_MS),
  })
}

/** A trader's closed positions, page after page; one try a page. @param list an empty `symbol` or `month` is all of them */
export function closedPositionsQuery(
  username: string,
  { month, symbol, ...list }: Required<Omit<ClosedPositionsQuery, 'after'>>,
) {
  return infiniteQueryOptions({
    queryKey: [COUNTED_FROM, 'closed', username.toLowerCase(), list, symbol, month],
    queryFn: ({ signal, pageParam }) => {
      const page = {
        ...(symbol !== '' && { symbol }),
        ...(month !== '' && { month }),
        ...(pageParam !== null && { after: pageParam }),
      }
      return call(traderEndpoints.closedPositions, { username, ...list, ...page }, signal)
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    ...triedOnce(PROFILE_FRESH_MS),
  })
}

/** A trader's curve; the one of another range stays until this one is there. One try. */
export function trackRecordQuery(username: string, range: TrackRange) {
  return queryOptions({
    queryKey: [COUNTED_FROM, 'track-record', username.toLowerCase(), range],
    queryFn: ({ signal }) => call(traderEndpoints.trackRecord, { username, range }, signal),
    placeholderData: keepPreviousData,
    ...triedOnce(PROFILE_FRESH_MS),
  })
}

/** Traders whose name begins with a text, or is one letter away from it; one try, since the next letter asks again. */
export function suggestionsQuery(text: string) {
  return queryOptions({
    queryKey: [COUNTED_FROM, 'suggestions', text],
    queryFn: ({ signal }) => call(traderEndpoints.suggestions, { username: text }, signal),
    ...triedOnce(LEADERBOARD_FRESH_MS),
  })
}

/**
 * One trader by exact name. The query is sent in lower case (docs/specification.md section 5). Fetched again for each
 * search and tried once: any failure is the same sentence, and it should not keep a person waiting (section 8).
 */
export function searchQuery(query: string) {
  const username = readUsername(query).toLowerCase()
  return queryOptions({
    queryKey: [COUNTED_FROM, 'search', username],
    queryFn: ({ signal }) => call(traderEndpoints.search, { username }, signal),
    staleTime: 0,
    retry: false,
  })
}
