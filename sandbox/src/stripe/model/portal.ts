import {
  anything,
  arrayOf,
  fields,
  flag,
  nullable,
  number,
  type Of,
  oneOf,
  optional,
  recordOf,
  text,
} from '../shape/shape.ts'
import { card } from './payments.ts'
import { stored } from './stored.ts'

export const features = fields({
  customer_update: fields({ enabled: flag, allowed_updates: anything }),
  invoice_history: fields({ enabled: flag }),
  payment_method_update: fields({ enabled: flag }),
  subscription_cancel: fields({
    enabled: flag,
    mode: oneOf('at_period_end', 'immediately'),
    proration_behavior: text,
    cancellation_reason: fields({ enabled: flag, options: arrayOf(text) }),
  }),
  subscription_update: fields({ enabled: flag }),
})

export const configuration = stored('billing_portal.configuration', {
  active: flag,
  default_return_url: nullable(text),
  business_profile: fields({ headline: nullable(text) }),
  features,
  metadata: nullable(recordOf(text)),
  is_default: flag,
  name: nullable(text),
})
export type Configuration = Of<typeof configuration>

export const portalSession = stored('billing_portal.session', { url: text })

/** A portal page in use; Stripe ends it after a while without activity. */
export const visit = stored('sandbox.portal', {
  customer: text,
  configuration: text,
  return_url: nullable(text),
  expires: number,
  /** The subscription that the person was sent here to cancel, and where to go when that is done. */
  flow: nullable(fields({ subscription: text, after: nullable(text) })),
})
export type Visit = Of<typeof visit>

/** The sandbox's own notes on a visit: the card, or the invoice, that the bank asks the person about. */
export const visitNotes = fields({ card: optional(card), invoice: optional(text) })
