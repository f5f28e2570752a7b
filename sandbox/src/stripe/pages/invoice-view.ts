import { type Html, html } from '../../html.ts'
import type { Invoice } from '../model/billing.ts'
import type { Address, Tax, TaxRate } from '../model/tax.ts'
import { countryName } from '../tax/location.ts'
import type { Tx } from '../world/world.ts'
import { day, money } from './forms.ts'

/** An invoice with what its page shows beside it. */
export type InvoiceFacts = {
  invoice: Invoice
  seller: string
  taxes: { tax: Tax; rate: TaxRate | null }[]
  /** Cents that were paid back of it. */
  refunded: number
}

export function factsOfInvoice(tx: Tx, invoice: Invoice): InvoiceFacts {
  const { issuer, account_name, total_taxes } = invoice
  const account = issuer.account === undefined ? null : tx.objects.find('v2.core.account', issuer.account)
  return {
    invoice,
    seller: account?.display_name ?? account?.id ?? account_name ?? 'Sandbox',
    taxes: (total_taxes ?? []).map((tax) => ({
      tax,
      rate: tx.objects.find('tax_rate', tax.tax_rate_details?.tax_rate ?? ''),
    })),
    refunded: refundedOf(tx, invoice),
  }
}

/** Cents that were paid back of an invoice. */
export function refundedOf(tx: Tx, { id }: Invoice): number {
  const payments = tx.objects.list('invoice_payment', { parent: id }, { limit: 100 })
  return payments
    .flatMap(({ payment }) =>
      tx.objects.list(
        'charge',
        { parent: payment.payment_intent, equal: { status: 'succeeded' } },
        { limit: 100 },
      ),
    )
    .reduce((sum, { amount_refunded }) => sum + amount_refunded, 0)
}

/** The tax of an invoice in words; null where there is nothing to say. */
function taxWords({ tax, rate }: InvoiceFacts['taxes'][number], currency: string): string | null {
  if (tax.taxability_reason === 'reverse_charge') return 'Reverse charge: the buyer accounts for the tax'
  if (tax.amount === 0 || rate === null) return null
  const name = rate.display_name === 'Sales Tax' ? 'Sales tax' : rate.display_name
  return `${name} ${rate.percentage} % included: ${money(tax.amount, currency)}`
}

export function invoiceBody({ invoice, seller, taxes, refunded }: InvoiceFacts): Html {
  const { currency, subtotal, total, status } = invoice
  const bought = invoice.lines.data.map(({ description }) => description ?? '').join(', ')
  const words = taxes.map((one) => taxWords(one, currency)).filter((one) => one !== null)
  return html`<p class="amount">${money(invoice.amount_due, currency)}</p>
<p>${status === 'open' ? 'This invoice is open. It can be paid in the customer portal.' : `This invoice is ${status}.`}</p>
<dl class="facts"><dt>Seller</dt><dd>${seller}</dd>${buyerFacts(invoice)}<dt>Date</dt><dd>${day(invoice.created)}</dd>
<dt>For</dt><dd>${bought}, ${money(subtotal, currency)}</dd>
${total === subtotal ? null : html`<dt>Discount</dt><dd>−${money(subtotal - total, currency)}</dd>`}
${words.map((one) => html`<dt>Tax</dt><dd>${one}</dd>`)}
<dt>Total</dt><dd>${money(total, currency)}</dd>
${refunded === 0 ? null : html`<dt>Refunded</dt><dd>${money(refunded, currency)}</dd>`}</dl>
<p class="quiet">This page stands in for Stripe’s hosted invoice.</p>`
}

function buyerFacts({
  customer,
  customer_name,
  customer_email,
  customer_address,
  customer_tax_ids,
}: Invoice) {
  const lines = [customer_name, customer_email ?? customer, ...addressLines(customer_address)]
  return html`<dt>Billed to</dt><dd>${lines
    .filter((line) => line !== null && line !== '')
    .map((line, index) => html`${index === 0 ? null : html`<br>`}${line}`)}</dd>${(
    customer_tax_ids ?? []
  ).map(({ value }) => html`<dt>Tax number</dt><dd>${value}</dd>`)}`
}

function addressLines(address: Address | null): (string | null)[] {
  if (address === null) return []
  const { line1, line2, city, state, postal_code, country } = address
  const place = [city, state, postal_code].filter((part) => part !== null && part !== '').join(' ')
  return [line1, line2, place, country === null ? null : countryName(country)]
}
