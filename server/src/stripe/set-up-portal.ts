import { webPaths } from '@tradepost/contract/web-paths'
import type Stripe from 'stripe'
import type { StripeDeps } from './stripe-client.ts'
import { isOurs, stripeMark } from './stripe-client.ts'

/** What a subscriber may do in the billing portal. The address stays ours: it is what they sign in with. */
const FEATURES = {
  payment_method_update: { enabled: true },
  invoice_history: { enabled: true },
  customer_update: { enabled: false },
  // What was paid for is kept to the end of the month (decision G-33).
  subscription_cancel: {
    enabled: true,
    mode: 'at_period_end',
    cancellation_reason: {
      enabled: true,
      options: ['too_expensive', 'low_quality', 'unused', 'switched_service', 'other'],
    },
  },
  subscription_update: { enabled: false },
} satisfies Stripe.BillingPortal.ConfigurationCreateParams['features']

/** Makes the portal as the product wants it, or makes it so again. @returns the id of its configuration */
export async function setUpPortal({
  settings,
  stripe,
}: Pick<StripeDeps, 'settings' | 'stripe'>): Promise<string> {
  const wanted = {
    features: FEATURES,
    default_return_url: settings.origin + webPaths.account,
    metadata: stripeMark(settings),
  }
  for await (const known of stripe.billingPortal.configurations.list({ active: true, limit: 100 })) {
    if (!isOurs(settings, known.metadata)) continue
    await stripe.billingPortal.configurations.update(known.id, wanted)
    return known.id
  }
  return (await stripe.billingPortal.configurations.create(wanted)).id
}
