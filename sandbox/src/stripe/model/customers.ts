import { fields, nullable, number, type Of, optional, recordOf, text } from '../shape/shape.ts'
import { stored } from './stored.ts'
import { address } from './tax.ts'

export const customer = stored('customer', {
  email: nullable(text),
  name: optional(nullable(text)),
  address: optional(nullable(address)),
  tax_exempt: optional(nullable(text)),
  currency: optional(nullable(text)),
  metadata: recordOf(text),
  invoice_settings: fields({ default_payment_method: nullable(text) }),
  next_invoice_sequence: optional(number),
  test_clock: optional(nullable(text)),
  invoice_prefix: optional(nullable(text)),
})
export type Customer = Of<typeof customer>
