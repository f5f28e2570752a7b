import { fields, flag, nullable, number, type Of, oneOf, optional, text } from '../shape/shape.ts'
import { stored } from './stored.ts'

/** An address as Stripe shows one. */
export const address = fields({
  city: nullable(text),
  country: nullable(text),
  line1: nullable(text),
  line2: nullable(text),
  postal_code: nullable(text),
  state: nullable(text),
})
export type Address = Of<typeof address>

/** The platform itself, or one of its connected accounts. */
export const party = fields({ type: oneOf('self', 'account'), account: optional(text) })
export type Party = Of<typeof party>

/** Whether tax is computed, who owes it (null: it is not computed), and in whose name the invoices are. */
export const taxTerms = fields({ enabled: flag, liability: nullable(party), issuer: party })
export type TaxTerms = Of<typeof taxTerms>

/** A tax number as invoices and sessions show it. */
export const taxNumber = fields({ type: text, value: nullable(text) })
export type TaxNumber = Of<typeof taxNumber>

/** One tax of an invoice, in cents. */
export const tax = fields({
  amount: number,
  tax_behavior: text,
  taxability_reason: text,
  taxable_amount: nullable(number),
  type: oneOf('tax_rate_details'),
  tax_rate_details: nullable(fields({ tax_rate: text })),
})
export type Tax = Of<typeof tax>

export const taxRate = stored('tax_rate', {
  display_name: text,
  jurisdiction: nullable(text),
  percentage: number,
})
export type TaxRate = Of<typeof taxRate>

/** A tax number of a customer. */
export const taxId = stored('tax_id', { customer: nullable(text), type: text, value: text })
export type TaxId = Of<typeof taxId>

/** The tax settings of the platform or of a connected account, which have no id at Stripe. */
export const taxSettings = stored('sandbox.tax-settings', {
  tax_behavior: nullable(text),
  tax_code: nullable(text),
  head_office: nullable(address),
})
export type TaxSettings = Of<typeof taxSettings>
