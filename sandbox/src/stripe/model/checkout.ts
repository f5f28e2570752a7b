import {
  arrayOf,
  fields,
  nullable,
  number,
  type Of,
  oneOf,
  optional,
  recordOf,
  text,
} from '../shape/shape.ts'
import { plan } from './billing.ts'
import { card } from './payments.ts'
import { stored } from './stored.ts'

export const session = stored('checkout.session', {
  status: oneOf('open', 'complete', 'expired'),
  payment_status: oneOf('paid', 'unpaid', 'no_payment_required'),
  customer: nullable(text),
  customer_email: nullable(text),
  client_reference_id: nullable(text),
  success_url: text,
  cancel_url: nullable(text),
  expires_at: number,
  amount_subtotal: number,
  amount_total: number,
  discounts: nullable(arrayOf(fields({ coupon: nullable(text), promotion_code: nullable(text) }))),
  currency: text,
  subscription: nullable(text),
  invoice: nullable(text),
  url: nullable(text),
  consent_collection: nullable(fields({ terms_of_service: nullable(text) })),
  consent: nullable(fields({ terms_of_service: nullable(text), promotions: nullable(text) })),
  custom_text: fields({ terms_of_service_acceptance: nullable(fields({ message: text })) }),
  metadata: recordOf(text),
})
export type Session = Of<typeof session>

/** The subscription that the session will make, stored until it is paid. */
export type SessionPlan = Of<typeof plan>

/** The sandbox's own notes on a session: its plan, and the card that the bank asks the buyer about. */
export const sessionNotes = fields({ plan, challenged: optional(card) })

/** A line of a session. */
export const lineItem = stored('item', {})
