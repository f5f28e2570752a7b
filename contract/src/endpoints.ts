/**
 * Every call of the product API (docs/specification.md section 7). The server registers its routes from this table and the
 * browser calls its entries, so path and shape cannot differ. Every call needs `Authorization: Bearer <access token>`.
 */
import { accountEndpoints } from './account-endpoints.ts'
import { usernameQuery } from './accounts.ts'
import type { Endpoint } from './endpoint.ts'
import { feedbackAnswer, feedbackPayload } from './feedback.ts'
import { leaderboardAnswer, provenAnswer } from './leaderboard.ts'
import { marksAnswer } from './marks.ts'
import { closeAnswer, closePayload, openAnswer, openPayload, positionsAnswer } from './positions.ts'
import { previewPayload, pricePreview } from './quotes.ts'
import { symbolsAnswer, symbolsQuery } from './symbols.ts'
import { traderProfile, traderSearchResult, traderSuggestions } from './traders.ts'

export const endpoints = {
  ...accountEndpoints,
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
  symbols: {
    method: 'GET',
    path: '/v1/symbols',
    query: symbolsQuery,
    answer: symbolsAnswer,
  },
  preview: {
    method: 'POST',
    path: '/v1/positions/preview',
    body: previewPayload,
    answer: pricePreview,
  },
  openPosition: {
    method: 'POST',
    path: '/v1/positions/open',
    body: openPayload,
    status: 201,
    answer: openAnswer,
  },
  closePosition: {
    method: 'POST',
    path: '/v1/positions/close',
    body: closePayload,
    answer: closeAnswer,
  },
  positions: {
    method: 'GET',
    path: '/v1/positions',
    answer: positionsAnswer,
  },
  marks: {
    method: 'GET',
    path: '/v1/marks',
    answer: marksAnswer,
  },
  leaderboard: {
    method: 'GET',
    path: '/v1/leaderboard',
    answer: leaderboardAnswer,
  },
  proven: {
    method: 'GET',
    path: '/v1/leaderboard/proven',
    answer: provenAnswer,
  },
  sendFeedback: {
    method: 'POST',
    path: '/v1/feedback',
    body: feedbackPayload,
    status: 201,
    answer: feedbackAnswer,
  },
} as const satisfies Record<string, Endpoint>
