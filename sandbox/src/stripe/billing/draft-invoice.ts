import { type Reduction, reductions } from '../discounts/reduce.ts'
import { type Invoice, type InvoiceLine, isInTrial, itemOf, type Subscription } from '../model/billing.ts'
import { timeOn } from '../time/time-on.ts'
import { list } from '../wire/lists.ts'
import type { Tx } from '../world/world.ts'
import { taxFields } from './invoice-tax.ts'

/** So long the invoice of a renewal stays a draft. */
export const DRAFT_SECONDS = 3600

/** The invoice of a subscription's current period, as a draft that nobody stored yet. */
export function draftInvoice(tx: Tx, subscription: Subscription, reason: string): Invoice {
  const item = itemOf(subscription)
  const amount = isInTrial(subscription) ? 0 : item.price.unit_amount * item.quantity
  const taken = reductions(tx, subscription, amount)
  const total = amount - taken.reduce((sum, one) => sum + one.amount, 0)
  const taxes = taxFields(tx, subscription, { subtotal: amount, total })
  const customer = tx.need('customer', subscription.customer)
  const first = reason === 'subscription_create' || reason === 'subscription_update'
  const now = timeOn(tx, subscription.test_clock)
  const invoice = tx.make('invoice', {
    account_country: 'US',
    account_name: 'Sandbox',
    ...sums(amount, total, taken),
    ...taxes,
    // The SDK's types may do without it; Stripe's OpenAPI specification requires it. Nothing is paid outside of the sandbox.
    amount_paid_off_stripe: 0,
    auto_advance: true,
    automatically_finalizes_at: first ? null : now + DRAFT_SECONDS,
    billing_reason: reason,
    created: now,
    currency: subscription.currency,
    customer: subscription.customer,
    next_payment_attempt: first ? null : now + DRAFT_SECONDS,
    customer_email: customer.email,
    customer_name: customer.name ?? null,
    // The period of the invoice itself is a moment; the period that was bought is in its line (docs.stripe.com/api/invoices/object).
    period_start: first ? now : item.current_period_start,
    period_end: first ? now : item.current_period_start,
    status: 'draft',
    test_clock: subscription.test_clock,
    hosted_invoice_url: null,
    invoice_pdf: null,
    parent: {
      type: 'subscription_details',
      quote_details: null,
      subscription_details: { subscription: subscription.id, metadata: subscription.metadata },
    },
  })
  invoice.lines = list(
    [{ ...line(tx, subscription, invoice.id, amount, taken), taxes: invoice.total_taxes }],
    `/v1/invoices/${invoice.id}/lines`,
  )
  return invoice
}

/** The sums of an invoice, in cents: of an amount, less the discounts that are taken off it. */
function sums(amount: number, total: number, taken: Reduction[]): Record<string, unknown> {
  return {
    amount_due: total,
    amount_remaining: total,
    discounts: taken.map(({ discount }) => discount),
    subtotal: amount,
    total,
    total_discount_amounts: taken,
    total_pretax_credit_amounts: asCredits(taken),
  }
}

function line(
  tx: Tx,
  subscription: Subscription,
  invoice: string,
  amount: number,
  taken: Reduction[],
): InvoiceLine {
  const item = itemOf(subscription)
  const product = tx.objects.find('product', item.price.product)
  const free = isInTrial(subscription)
  const words = `${item.quantity} × ${product?.name ?? 'Subscription'}`
  const made = tx.make('line_item', {
    amount,
    currency: subscription.currency,
    description: free ? `Free trial for ${words}` : words,
    discount_amounts: taken,
    discountable: true,
    invoice,
    metadata: subscription.metadata,
    parent: {
      type: 'subscription_item_details',
      invoice_item_details: null,
      subscription_item_details: {
        invoice_item: null,
        proration: false,
        proration_details: { credited_items: null },
        subscription: subscription.id,
        subscription_item: item.id,
      },
    },
    period: { start: item.current_period_start, end: item.current_period_end },
    pretax_credit_amounts: asCredits(taken),
    pricing: {
      type: 'price_details',
      price_details: { price: item.price.id, product: item.price.product },
      unit_amount_decimal: free ? '0' : String(item.price.unit_amount),
    },
    quantity: item.quantity,
    quantity_decimal: String(item.quantity),
    subscription: subscription.id,
    subtotal: amount,
  })
  return made
}

function asCredits(taken: Reduction[]): (Reduction & { type: 'discount' })[] {
  return taken.map((one) => ({ ...one, type: 'discount' }))
}
