import type Stripe from 'stripe'

/** Where Stripe's webhooks arrive: events of the platform itself, and of the traders' accounts. */
export const WEBHOOK_PATHS = { platform: '/webhooks/stripe', accounts: '/webhooks/stripe/accounts' } as const

/**
 * What the platform's endpoint is told: the set-up asks Stripe for exactly these, and the handler knows each. Of the traders'
 * accounts it is told nothing: that comes to the other endpoint.
 */
export const PLATFORM_EVENTS = [
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
  'checkout.session.expired',
  'customer.subscription.created',
  'customer.subscription.updated',
  'customer.subscription.deleted',
  'customer.subscription.paused',
  'customer.subscription.resumed',
  'invoice.paid',
  'invoice.payment_failed',
  'invoice.payment_action_required',
  'invoice.finalization_failed',
  'charge.refunded',
  'refund.failed',
  'charge.dispute.created',
  'charge.dispute.closed',
  'radar.early_fraud_warning.created',
  'customer.deleted',
] as const satisfies Stripe.WebhookEndpointCreateParams.EnabledEvent[]
export type PlatformEvent = (typeof PLATFORM_EVENTS)[number]

/** What is told of traders' accounts, without their content (docs.stripe.com/api/v2/core/accounts/event-types). */
export const ACCOUNT_EVENTS = [
  'v2.core.account.updated',
  'v2.core.account.closed',
  'v2.core.account[requirements].updated',
  'v2.core.account[configuration.recipient].capability_status_updated',
  'v2.core.account_link.returned',
] as const
export type AccountEvent = (typeof ACCOUNT_EVENTS)[number]
