import type { Endpoint } from './endpoint.ts'
import { cancelAnswer, keepAnswer, leavingAnswer, withdrawAnswer, withdrawPayload } from './leaving.ts'
import { customerStatus, payoutStatus, redirectAnswer } from './payments.ts'
import { ownPrices, pricesPayload } from './subscription-price.ts'
import {
  agreementAnswer,
  agreementPayload,
  endTrialAnswer,
  mailSwitchAnswer,
  mailSwitchPayload,
  positionMailsAnswer,
  subscribePayload,
  subscriberStats,
  subscriptionCheck,
  subscriptionParams,
  subscriptionsAnswer,
} from './subscriptions.ts'

/** Calls about money: billing, payouts, subscriptions. */
export const paymentEndpoints = {
  customer: {
    method: 'GET',
    path: '/v1/accounts/customer',
    answer: customerStatus,
  },
  setUpCustomer: {
    method: 'POST',
    path: '/v1/accounts/customer',
    answer: customerStatus,
    asksProvider: true,
  },
  customerSession: {
    method: 'POST',
    path: '/v1/accounts/stripe/customer-session',
    answer: redirectAnswer,
    asksProvider: true,
  },
  startOnboarding: {
    method: 'POST',
    path: '/v1/accounts/trader',
    answer: redirectAnswer,
    asksProvider: true,
  },
  payoutDashboard: {
    method: 'POST',
    path: '/v1/accounts/stripe/dashboard',
    answer: redirectAnswer,
    asksProvider: true,
  },
  payoutStatus: {
    method: 'GET',
    path: '/v1/accounts/stripe/status',
    answer: payoutStatus,
  },
  prices: {
    method: 'GET',
    path: '/v1/accounts/prices',
    answer: ownPrices,
  },
  setPrices: {
    method: 'POST',
    path: '/v1/accounts/prices',
    body: pricesPayload,
    answer: ownPrices,
  },
  subscribers: {
    method: 'GET',
    path: '/v1/accounts/subscribers',
    answer: subscriberStats,
  },
  newSubscription: {
    method: 'POST',
    path: '/v1/subscriptions/new',
    body: subscribePayload,
    answer: redirectAnswer,
    asksProvider: true,
  },
  subscriptions: {
    method: 'GET',
    path: '/v1/subscriptions',
    answer: subscriptionsAnswer,
  },
  subscriptionCheck: {
    method: 'GET',
    path: '/v1/subscriptions/:id',
    params: subscriptionParams,
    answer: subscriptionCheck,
  },
  manageSubscription: {
    method: 'POST',
    path: '/v1/subscriptions/:id/manage',
    params: subscriptionParams,
    answer: redirectAnswer,
    asksProvider: true,
  },
  endTrial: {
    method: 'POST',
    path: '/v1/subscriptions/:id/end-trial',
    params: subscriptionParams,
    answer: endTrialAnswer,
    asksProvider: true,
  },
  leaving: {
    method: 'GET',
    path: '/v1/subscriptions/:id/leaving',
    params: subscriptionParams,
    answer: leavingAnswer,
  },
  cancelSubscription: {
    method: 'POST',
    path: '/v1/subscriptions/:id/cancel',
    params: subscriptionParams,
    answer: cancelAnswer,
    asksProvider: true,
  },
  keepSubscription: {
    method: 'POST',
    path: '/v1/subscriptions/:id/keep',
    params: subscriptionParams,
    answer: keepAnswer,
    asksProvider: true,
  },
  withdraw: {
    method: 'POST',
    path: '/v1/subscriptions/:id/withdraw',
    params: subscriptionParams,
    body: withdrawPayload,
    answer: withdrawAnswer,
  },
  switchSubscriptionMail: {
    method: 'POST',
    path: '/v1/subscriptions/:id/mail',
    params: subscriptionParams,
    body: mailSwitchPayload,
    answer: mailSwitchAnswer,
  },
  agreeToPrice: {
    method: 'POST',
    path: '/v1/subscriptions/:id/price',
    params: subscriptionParams,
    body: agreementPayload,
    answer: agreementAnswer,
  },
  switchPositionMails: {
    method: 'POST',
    path: '/v1/accounts/position-mails',
    body: mailSwitchPayload,
    answer: positionMailsAnswer,
  },
} as const satisfies Record<string, Endpoint>
