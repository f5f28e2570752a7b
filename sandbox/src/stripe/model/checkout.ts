import {
  arrayOf,
  fields,
  flag,
  nullable,
  number,
  type Of,
  oneOf,
  optional,
  record,
  recordOf,
  text,
} from '../shape/shape.ts'
import { plan } from './billing.ts'
import { card } from './payments.ts'
import { stored } from './stored.ts'
import { address, party } from './tax.ts'

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
  automatic_tax: fields({
    enabled: flag,
    liability: nullable(party),
    provider: nullable(text),
    status: nullable(text),
  }),
  billing_address_collection: nullable(text),
  customer_details: nullable(record),
  tax_id_collection: optional(fields({ enabled: flag })),
  total_details: nullable(
    fields({ amount_discount: number, amount_shipping: nullable(number), amount_tax: number }),
  ),
  metadata: recordOf(text),
})
export type Session = Of<typeof session>

/** The subscription that the session will make, stored until it is paid. */
export type SessionPlan = Of<typeof plan>

/** The buyer as the page was filled in. */
const buyer = fields({
  address: nullable(address),
  taxId: nullable(fields({ type: text, value: text })),
  businessName: nullable(text),
})
export type Buyer = Of<typeof buyer>

/**
 * The sandbox's own notes on a session: its plan, the card that the bank asks the buyer about, who the buyer is, and which
 * of that is saved to the customer that was there before.
 */
export const sessionNotes = fields({
  plan,
  challenged: optional(card),
  buyer: optional(buyer),
  saves: optional(fields({ address: flag, name: flag })),
})

/** A line of a session. */
export const lineItem = stored('item', {})
