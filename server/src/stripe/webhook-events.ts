import type Stripe from 'stripe'

/** Where Stripe's webhooks arrive: events of the platform itself, and of the traders' accounts. */
export const WEBHOOK_PATHS = { platform: '/webhooks/stripe', accounts: '/webhooks/stripe/accounts' } as const

/**
 * The events that the platform's endpoint is sent: the set-up asks Stripe for exactly these, and the handler knows each. Events of
 * the traders' accounts go to the other endpoint.
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
  'charge.dispute.funds_withdrawn',
  'charge.dispute.closed',
  'radar.early_fraud_warning.created',
  'customer.deleted',
] as const satisfies Stripe.WebhookEndpointCreateParams.EnabledEvent[]
export type PlatformEvent = (typeof PLATFORM_EVENTS)[number]

/** The events of traders' accounts, which are sent without their content (docs.stripe.com/api/v2/core/accounts/event-types). */
export const ACCOUNT_EVENTS = [
  'v2.core.account.updated',
  'v2.core.account.closed',
  'v2.core.account[requirements].updated',
  'v2.core.account[configuration.recipient].capability_status_updated',
  'v2.core.account_link.returned',
] as const
export type AccountEvent = (typeof ACCOUNT_EVENTS)[number]
