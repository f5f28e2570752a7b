/**
 * Every call of the product API (docs/specification.md section 7). The server registers its routes from this table and the
 * browser calls its entries, so path and shape cannot differ. Every call needs `Authorization: Bearer <access token>`.
 */
import { accountEndpoints } from './account-endpoints.ts'
import { usernameQuery } from './accounts.ts'
import type { Endpoint } from './endpoint.ts'
import { feedbackAnswer, feedbackPayload } from './feedback.ts'
import { leaderboardAnswer } from './leaderboard.ts'
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
    refusals: ['query_too_short', 'user_not_found'],
  },
  suggestions: {
    method: 'GET',
    path: '/v1/accounts/suggestions',
    query: usernameQuery,
    answer: traderSuggestions,
    refusals: [],
  },
  profile: {
    method: 'GET',
    path: '/v1/accounts/profile',
    query: usernameQuery,
    answer: traderProfile,
    refusals: ['user_not_found'],
  },
  symbols: {
    method: 'GET',
    path: '/v1/symbols',
    query: symbolsQuery,
    answer: symbolsAnswer,
    refusals: ['price_unavailable'],
  },
  preview: {
    method: 'POST',
    path: '/v1/positions/preview',
    body: previewPayload,
    answer: pricePreview,
    refusals: [
      'symbol_required',
      'symbol_invalid',
      'username_required',
      'symbol_not_found',
      'price_unavailable',
    ],
  },
  openPosition: {
    method: 'POST',
    path: '/v1/positions/open',
    body: openPayload,
    status: 201,
    answer: openAnswer,
    refusals: [
      'username_required',
      'market_closed',
      'symbol_required',
      'symbol_invalid',
      'invalid_length',
      'notes_too_short',
      'notes_too_long',
      'preview_invalid',
      'preview_expired',
      'preview_used',
      'price_stale',
      'position_exists',
    ],
  },
  closePosition: {
    method: 'POST',
    path: '/v1/positions/close',
    body: closePayload,
    answer: closeAnswer,
    refusals: [
      'symbol_required',
      'symbol_invalid',
      'notes_too_short',
      'notes_too_long',
      'position_not_found',
      'same_day',
      'preview_invalid',
      'preview_expired',
      'preview_used',
    ],
  },
  positions: {
    method: 'GET',
    path: '/v1/positions',
    answer: positionsAnswer,
    refusals: [],
  },
  marks: {
    method: 'GET',
    path: '/v1/marks',
    answer: marksAnswer,
    refusals: [],
  },
  leaderboard: {
    method: 'GET',
    path: '/v1/leaderboard',
    answer: leaderboardAnswer,
    refusals: [],
  },
  sendFeedback: {
    method: 'POST',
    path: '/v1/feedback',
    body: feedbackPayload,
    status: 201,
    answer: feedbackAnswer,
    refusals: ['feedback_length'],
  },
} as const satisfies Record<string, Endpoint>
