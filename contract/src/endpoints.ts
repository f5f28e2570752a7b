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
  /** One line for the API's documentation. */
  summary: string
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
    summary: 'The signed-in account.',
    answer: account,
    refusals: [],
  },
  customer: {
    method: 'GET',
    path: '/v1/accounts/customer',
    summary: 'Whether billing has been set up.',
    answer: customerStatus,
    refusals: [],
  },
  setUpCustomer: {
    method: 'POST',
    path: '/v1/accounts/customer',
    summary: 'Sets up billing; repeating it changes nothing.',
    answer: customerStatus,
    refusals: ['payment_provider_error'],
    asksProvider: true,
  },
  customerSession: {
    method: 'POST',
    path: '/v1/accounts/stripe/customer-session',
    summary: 'The address of the billing portal.',
    answer: redirectAnswer,
    refusals: ['customer_required', 'payment_provider_error'],
    asksProvider: true,
  },
  startOnboarding: {
    method: 'POST',
    path: '/v1/accounts/trader',
    summary: 'Starts or continues the set-up of payouts, agreeing to the current terms.',
    answer: redirectAnswer,
    refusals: ['username_required', 'already_onboarded', 'payment_provider_error'],
    asksProvider: true,
  },
  payoutDashboard: {
    method: 'POST',
    path: '/v1/accounts/stripe/dashboard',
    summary: "The address of the trader's dashboard at Stripe.",
    answer: redirectAnswer,
    refusals: ['onboarding_incomplete', 'payment_provider_error'],
    asksProvider: true,
  },
  payoutStatus: {
    method: 'GET',
    path: '/v1/accounts/stripe/status',
    summary: 'Whether payouts are set up.',
    answer: payoutStatus,
    refusals: [],
  },
  subscribers: {
    method: 'GET',
    path: '/v1/accounts/subscribers',
    summary: 'How many people follow the signed-in trader.',
    answer: subscriberStats,
    refusals: [],
  },
  newSubscription: {
    method: 'POST',
    path: '/v1/subscriptions/new',
    summary: 'Starts the checkout of a monthly subscription to a trader.',
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
    summary: "The caller's subscriptions, the ended ones included.",
    answer: subscriptionsAnswer,
    refusals: [],
  },
  subscriptionCheck: {
    method: 'GET',
    path: '/v1/subscriptions/:id',
    summary: 'Whether the caller follows a trader, by username or subscription id.',
    params: subscriptionParams,
    answer: subscriptionCheck,
    refusals: ['user_not_found', 'subscription_not_found'],
  },
  manageSubscription: {
    method: 'POST',
    path: '/v1/subscriptions/:id/manage',
    summary: 'The address of the billing portal, opened at one subscription.',
    params: subscriptionParams,
    answer: redirectAnswer,
    refusals: ['subscription_not_found', 'customer_required', 'payment_provider_error'],
    asksProvider: true,
  },
  switchSubscriptionMail: {
    method: 'POST',
    path: '/v1/subscriptions/:id/mail',
    summary: "Turns the mails about a trader's positions on or off.",
    params: subscriptionParams,
    body: mailSwitchPayload,
    answer: mailSwitchAnswer,
    refusals: ['subscription_not_found'],
  },
  setUsername: {
    method: 'POST',
    path: '/v1/accounts/username',
    summary: 'Sets the username, once.',
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
    summary: 'Where the caller is signed in, the last used first.',
    answer: sessionsAnswer,
    refusals: [],
  },
  endSession: {
    method: 'POST',
    path: '/v1/accounts/sessions/:id/end',
    summary: 'Ends a session of the caller at once; repeating it changes nothing.',
    params: sessionParams,
    answer: sessionEndAnswer,
    refusals: ['not_found'],
  },
  secondStep: {
    method: 'GET',
    path: '/v1/accounts/second-step',
    summary:
      'How many recovery codes are left, and whether changing the second step of signing in takes a mailed code.',
    answer: secondStepAnswer,
    refusals: [],
  },
  makeRecoveryCodes: {
    method: 'POST',
    path: '/v1/accounts/recovery-codes',
    summary: 'Makes ten recovery codes in the place of all earlier ones; only this answer holds them.',
    status: 201,
    answer: recoveryCodesAnswer,
    refusals: ['second_factor_off', 'reauthentication_needed'],
  },
  search: {
    method: 'GET',
    path: '/v1/accounts/search',
    summary: 'Finds one trader by exact username, without regard to case.',
    query: usernameQuery,
    answer: traderSearchResult,
    refusals: ['query_too_short', 'user_not_found'],
  },
  suggestions: {
    method: 'GET',
    path: '/v1/accounts/suggestions',
    summary: 'Traders whose name begins with a text or, where there are none, is one letter away from it.',
    query: usernameQuery,
    answer: traderSuggestions,
    refusals: [],
  },
  profile: {
    method: 'GET',
    path: '/v1/accounts/profile',
    summary: "A trader's public record.",
    query: usernameQuery,
    answer: traderProfile,
    refusals: ['user_not_found'],
  },
  symbols: {
    method: 'GET',
    path: '/v1/symbols',
    summary: 'Tickers and company names like a text, the likeliest first.',
    query: symbolsQuery,
    answer: symbolsAnswer,
    refusals: ['price_unavailable'],
  },
  preview: {
    method: 'POST',
    path: '/v1/positions/preview',
    summary: 'Asks for the price of a ticker, and stores it under a key that opens or closes a position.',
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
    summary: 'Opens a position at the previewed price and notifies every subscriber.',
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
    summary: 'Closes a position at the previewed price and notifies every subscriber.',
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
    summary: "The caller's active positions, and those of the traders whom the caller follows.",
    answer: positionsAnswer,
    refusals: [],
  },
  leaderboard: {
    method: 'GET',
    path: '/v1/leaderboard',
    summary: 'Traders by average gain of their closed positions, best first.',
    answer: leaderboardAnswer,
    refusals: [],
  },
  sendFeedback: {
    method: 'POST',
    path: '/v1/feedback',
    summary: 'Sends feedback to the operator, at most five times an hour.',
    body: feedbackPayload,
    status: 201,
    answer: feedbackAnswer,
    refusals: ['feedback_length'],
  },
} as const satisfies Record<string, Endpoint>
