import type { Invoice, Subscription } from '../model/billing.ts'
import { factsOf, taxOn } from '../tax/compute.ts'
import type { Tx } from '../world/world.ts'

/**
 * The fields of an invoice that say who sells, who buys, and the tax that is in its total. Computed for each invoice of
 * the customer's present address and tax numbers.
 */
export function taxFields(
  tx: Tx,
  { customer, automatic_tax, invoice_settings }: Subscription,
  { subtotal, total }: { subtotal: number; total: number },
): Partial<Invoice> {
  const facts = factsOf(tx, customer)
  const { enabled, liability } = automatic_tax
  const taxation = enabled ? taxOn(tx, facts, subtotal, total) : null
  return {
    automatic_tax: {
      disabled_reason: null,
      enabled,
      liability,
      provider: enabled ? 'stripe' : null,
      status: enabled ? (taxation === null ? 'requires_location_inputs' : 'complete') : null,
    },
    customer_address: facts.address,
    customer_tax_exempt: facts.exempt,
    customer_tax_ids: facts.numbers,
    issuer: invoice_settings.issuer,
    subtotal_excluding_tax: taxation?.subtotalExcluding ?? subtotal,
    total_excluding_tax: taxation?.totalExcluding ?? total,
    total_taxes: taxation?.taxes ?? [],
  }
}

/** Computes a draft's tax again when it is finalized: the address may have changed in the meantime. */
export function settleTax(tx: Tx, subscription: Subscription, invoice: Invoice): void {
  const fields = taxFields(tx, subscription, invoice)
  if (fields.automatic_tax?.status === 'requires_location_inputs') {
    giveUpTax(tx, subscription, invoice)
    return
  }
  tx.change(invoice, {
    ...fields,
    lines: {
      ...invoice.lines,
      data: invoice.lines.data.map((line) => ({ ...line, taxes: fields.total_taxes ?? [] })),
    },
  })
}

/**
 * Without a known place the invoice is finalized without tax, and tax is no longer computed for its subscription
 * (docs.stripe.com/tax/customer-locations, "Invoice finalization errors").
 */
function giveUpTax(tx: Tx, subscription: Subscription, invoice: Invoice): void {
  const none = { enabled: false, liability: null }
  const before = tx.change(subscription, {
    automatic_tax: { ...none, disabled_reason: 'requires_location_inputs' },
  })
  tx.change(invoice, {
    ...taxFields(tx, subscription, invoice),
    automatic_tax: {
      ...none,
      disabled_reason: 'finalization_requires_location_inputs',
      provider: null,
      status: null,
    },
  })
  tx.emit('customer.subscription.updated', subscription, before)
}
