import { webPaths } from '@tradepost/contract/web-paths'
import type Stripe from 'stripe'
import { sdkOf } from './sdk.ts'
import { isOurs, type StripeDeps, stripeMark } from './stripe-client.ts'

type Features = Stripe.BillingPortal.ConfigurationCreateParams['features']

/**
 * The features of the billing portal for subscribers. Their mail address stays ours: they sign in with it. The place where they live and a tax
 * number are Stripe's, which taxes renewals by them (rule G-131).
 */
const FEATURES = {
  payment_method_update: { enabled: true },
  invoice_history: { enabled: true },
  // A paid month is kept to its end (rule G-33).
  subscription_cancel: {
    enabled: true,
    mode: 'at_period_end',
    cancellation_reason: {
      enabled: true,
      options: ['too_expensive', 'low_quality', 'unused', 'switched_service', 'other'],
    },
  },
  subscription_update: { enabled: false },
} satisfies Features

function detailsOf({ taxLiable }: StripeDeps['settings']): NonNullable<Features['customer_update']> {
  return taxLiable === null
    ? { enabled: false }
    : { enabled: true, allowed_updates: ['address', 'name', 'tax_id'] }
}

/** Makes the portal as the product wants it, or makes it so again. @returns the id of its configuration */
export async function setUpPortal(deps: StripeDeps): Promise<string> {
  const { settings } = deps
  const { configurations } = sdkOf(deps).billingPortal
  const wanted = {
    features: { ...FEATURES, customer_update: detailsOf(settings) },
    default_return_url: settings.origin + webPaths.account,
    metadata: stripeMark(settings),
  }
  for await (const known of configurations.list({ active: true, limit: 100 })) {
    if (!isOurs(settings, known.metadata)) continue
    await configurations.update(known.id, wanted)
    return known.id
  }
  return (await configurations.create(wanted)).id
}

type Way = {
  customer: string
  /** Of `setUpPortal`; null for the account's own. */
  configuration: string | null
  returnUrl: string
  /** Leads straight to ending this subscription, by its id at Stripe. */
  cancelSubscription?: string | undefined
}

/** @returns the address of the portal, made for this customer and soon worthless @throws what Stripe throws */
export async function createPortalLink(deps: StripeDeps, way: Way): Promise<string> {
  const session = await sdkOf(deps).billingPortal.sessions.create({
    customer: way.customer,
    return_url: way.returnUrl,
    ...(way.configuration && { configuration: way.configuration }),
    ...(way.cancelSubscription && {
      flow_data: {
        type: 'subscription_cancel',
        subscription_cancel: { subscription: way.cancelSubscription },
      },
    }),
  })
  return session.url
}
