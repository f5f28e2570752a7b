import { account, usernameAnswer, usernamePayload } from './accounts.ts'
import type { Endpoint } from './endpoint.ts'
import { customerStatus, payoutStatus, redirectAnswer } from './payments.ts'
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

/** Calls about one's own account: name, sessions, second step, payments and subscriptions. */
export const accountEndpoints = {
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
} as const satisfies Record<string, Endpoint>
