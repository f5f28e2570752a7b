/**
 * Every call of the product API (docs/specification.md section 7). The server registers its routes from this table and the
 * browser calls its entries, so path and shape cannot differ. Every call needs `Authorization: Bearer <access token>`.
 */
import type * as z from 'zod/mini'
import { account, usernameAnswer, usernamePayload, usernameQuery } from './accounts.ts'
import type { RefusalCode } from './errors.ts'
import { feedbackAnswer, feedbackPayload } from './feedback.ts'
import { leaderboardAnswer } from './leaderboard.ts'
import { customerStatus, payoutStatus, redirectAnswer } from './payments.ts'
import { closeAnswer, closePayload, openAnswer, openPayload, positionsAnswer } from './positions.ts'
import { previewPayload, pricePreview } from './quotes.ts'
import { recoveryCodesAnswer, secondStepAnswer } from './second-step.ts'
import { sessionEndAnswer, sessionParams, sessionsAnswer } from './sessions.ts'
import {
  mailSwitchAnswer,
  mailSwitchPayload,
  subscribePayload,
  subscriberStats,
  subscriptionCheck,
  subscriptionParams,
  subscriptionsAnswer,
} from './subscriptions.ts'
import { symbolsAnswer, symbolsQuery } from './symbols.ts'
import { traderProfile, traderSearchResult, traderSuggestions } from './traders.ts'

export type Endpoint = {
  method: 'GET' | 'POST'
  /** A segment `:name` is filled from `params`. */
  path: `/v1/${string}`
  params?: z.ZodMiniType
  body?: z.ZodMiniType
  query?: z.ZodMiniType
  /** Status of success, 200 unless given. */
  status?: 201
  answer: z.ZodMiniType
  /** Refusals of this call beside those that every call can answer. */
  refusals: readonly RefusalCode[]
  /** Set for a call that waits for Stripe: it has a longer time-out, and a rate limit for such calls counts it. */
  asksProvider?: true
}

export const endpoints = {
  configuration: {
    method: 'GET',
    path: '/v1/accounts/configuration',
    answer: account,
    refusals: [],
  },
  customer: {
    method: 'GET',
    path: '/v1/accounts/customer',
    answer: customerStatus,
    refusals: [],
  },
  setUpCustomer: {
    method: 'POST',
    path: '/v1/accounts/customer',
    answer: customerStatus,
    refusals: ['payment_provider_error'],
    asksProvider: true,
  },
  customerSession: {
    method: 'POST',
    path: '/v1/accounts/stripe/customer-session',
    answer: redirectAnswer,
    refusals: ['customer_required', 'payment_provider_error'],
    asksProvider: true,
  },
  startOnboarding: {
    method: 'POST',
    path: '/v1/accounts/trader',
    answer: redirectAnswer,
    refusals: ['username_required', 'already_onboarded', 'payment_provider_error'],
    asksProvider: true,
  },
  payoutDashboard: {
    method: 'POST',
    path: '/v1/accounts/stripe/dashboard',
    answer: redirectAnswer,
    refusals: ['onboarding_incomplete', 'payment_provider_error'],
    asksProvider: true,
  },
  payoutStatus: {
    method: 'GET',
    path: '/v1/accounts/stripe/status',
    answer: payoutStatus,
    refusals: [],
  },
  subscribers: {
    method: 'GET',
    path: '/v1/accounts/subscribers',
    answer: subscriberStats,
    refusals: [],
  },
  newSubscription: {
    method: 'POST',
    path: '/v1/subscriptions/new',
    body: subscribePayload,
    answer: redirectAnswer,
    refusals: [
      'user_not_found',
      'self_subscription',
      'already_subscribed',
      'not_subscribable',
      'customer_required',
      'payment_provider_error',
    ],
    asksProvider: true,
  },
  subscriptions: {
    method: 'GET',
    path: '/v1/subscriptions',
    answer: subscriptionsAnswer,
    refusals: [],
  },
  subscriptionCheck: {
    method: 'GET',
    path: '/v1/subscriptions/:id',
    params: subscriptionParams,
    answer: subscriptionCheck,
    refusals: ['user_not_found', 'subscription_not_found'],
  },
  manageSubscription: {
    method: 'POST',
    path: '/v1/subscriptions/:id/manage',
    params: subscriptionParams,
    answer: redirectAnswer,
    refusals: ['subscription_not_found', 'customer_required', 'payment_provider_error'],
    asksProvider: true,
  },
  switchSubscriptionMail: {
    method: 'POST',
    path: '/v1/subscriptions/:id/mail',
    params: subscriptionParams,
    body: mailSwitchPayload,
    answer: mailSwitchAnswer,
    refusals: ['subscription_not_found'],
  },
  setUsername: {
    method: 'POST',
    path: '/v1/accounts/username',
    body: usernamePayload,
    answer: usernameAnswer,
    refusals: [
      'username_too_short',
      'username_too_long',
      'username_invalid',
      'username_taken',
      'username_already_set',
    ],
  },
  sessions: {
    method: 'GET',
    path: '/v1/accounts/sessions',
    answer: sessionsAnswer,
    refusals: [],
  },
  endSession: {
    method: 'POST',
    path: '/v1/accounts/sessions/:id/end',
    params: sessionParams,
    answer: sessionEndAnswer,
    refusals: ['not_found'],
  },
  secondStep: {
    method: 'GET',
    path: '/v1/accounts/second-step',
    answer: secondStepAnswer,
    refusals: [],
  },
  makeRecoveryCodes: {
    method: 'POST',
    path: '/v1/accounts/recovery-codes',
    status: 201,
    answer: recoveryCodesAnswer,
    refusals: ['second_factor_off', 'reauthentication_needed'],
  },
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
