import type Stripe from 'stripe'
import type { StripeDeps } from './stripe-client.ts'
import { stripeMark } from './stripe-client.ts'
import type { Pair } from './subscriptions.ts'

/** The terms that Stripe is sent for every subscription, however it is begun. */
export type SubscriptionTerms = {
  metadata: Stripe.MetadataParam
  application_fee_percent: number
  transfer_data: { destination: string }
  billing_mode: { type: 'flexible' }
}

/**
 * The terms of a pair's subscription at Stripe: whose it is, and that the money goes to the trader's account, less the
 * platform's fee (docs.stripe.com/connect/subscriptions, destination charges).
 * @param money.destination the trader's account
 * @param money.feePercent what the platform keeps, in percent with two decimals
 */
export function subscriptionTerms(
  settings: StripeDeps['settings'],
  pair: Pair,
  money: { destination: string; feePercent: string },
): SubscriptionTerms {
  return {
    metadata: { ...stripeMark(settings), subscriber_id: pair.subscriberId, trader_id: pair.traderId },
    application_fee_percent: Number(money.feePercent),
    transfer_data: { destination: money.destination },
    billing_mode: { type: 'flexible' },
  }
}
