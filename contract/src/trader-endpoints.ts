import { usernameQuery } from './accounts.ts'
import { closedPositionsAnswer, closedPositionsQuery } from './closed-positions.ts'
import type { Endpoint } from './endpoint.ts'
import { leaderboardAnswer, offeredAnswer, provenAnswer } from './leaderboard.ts'
import { trackRecord, trackRecordQuery } from './track-record.ts'
import { traderProfile, traderSearchResult, traderSuggestions } from './traders.ts'

/** Calls about traders and their records. */
export const traderEndpoints = {
  search: {
    method: 'GET',
    path: '/v1/accounts/search',
    query: usernameQuery,
    answer: traderSearchResult,
  },
  suggestions: {
    method: 'GET',
    path: '/v1/accounts/suggestions',
    query: usernameQuery,
    answer: traderSuggestions,
  },
  profile: {
    method: 'GET',
    path: '/v1/accounts/profile',
    query: usernameQuery,
    answer: traderProfile,
  },
  closedPositions: {
    method: 'GET',
    path: '/v1/traders/:username/positions/closed',
    params: usernameQuery,
    query: closedPositionsQuery,
    answer: closedPositionsAnswer,
  },
  trackRecord: {
    method: 'GET',
    path: '/v1/traders/:username/track-record',
    params: usernameQuery,
    query: trackRecordQuery,
    answer: trackRecord,
  },
  leaderboard: {
    method: 'GET',
    path: '/v1/leaderboard',
    answer: leaderboardAnswer,
  },
  offered: {
    method: 'GET',
    path: '/v1/leaderboard/offered',
    answer: offeredAnswer,
  },
  proven: {
    method: 'GET',
    path: '/v1/leaderboard/proven',
    answer: provenAnswer,
  },
} as const satisfies Record<string, Endpoint>
