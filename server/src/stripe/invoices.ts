import type { TaxLiable } from '@tradepost/contract/tax'
import type Stripe from 'stripe'
import { idOf, idOrNull, sdkOf, toDate } from './sdk.ts'
import type { StripeDeps } from './stripe-client.ts'

/** The payment of an invoice, and where its money went; amounts in cents of the invoice's currency. */
export type InvoicePayment = {
  paymentId: string
  chargeId: string
  paidAt: Date
  paidCents: number
  refundedCents: number
  /** The way to the trader: null when nothing went there. */
  transfer: { id: string; destination: string; amountCents: number; reversedCents: number } | null
  /** The platform's fee, by Stripe's id; null when there was none. */
  feeId: string | null
  feeCents: number
  feeRefundedCents: number
  /** The tax within what was paid; null where Stripe computed none. */
  tax: InvoiceTax | null
  disputed: boolean
}

/** @property liable owes it to the authorities (docs.stripe.com/tax/connect) */
export type InvoiceTax = { cents: number; liable: TaxLiable }

/** Whether Stripe found a tax in it. */
export function isTaxed({ tax }: Pick<InvoicePayment, 'tax'>): boolean {
  return tax !== null && tax.cents > 0
}

/** Cents of a payment that have not gone back yet: more than that is never returned, whatever it is for. */
export function leftOf({
  paidCents,
  refundedCents,
}: Pick<InvoicePayment, 'paidCents' | 'refundedCents'>): number {
  return paidCents - refundedCents
}

/**
 * @see docs.stripe.com/api/disputes/object for `status`
 * @property takenAt when the bank took the money, which is later than `createdAt` where it asked first; null where it has taken none
 */
export type InvoiceDispute = {
  id: string
  status: string
  amountCents: number
  createdAt: Date
  takenAt: Date | null
}

/** An invoice of a subscription as Stripe has it now. */
export type StripeInvoice = {
  id: string
  subscriptionId: string
  status: string
  /** Before discounts. */
  subtotalCents: number
  amountDueCents: number
  amountPaidCents: number
  currency: string
  /** The period that was bought, not when it was billed. */
  periodStart: Date | null
  periodEnd: Date | null
  createdAt: Date
  attempts: number
  /** When Stripe tries it again automatically; null when it does not. */
  nextAttemptAt: Date | null
  /** Not the one that began the subscription. */
  isRenewal: boolean
  /** Discounts that take something off it, by Stripe's ids. */
  discountIds: readonly string[]
  /** Why the last attempt failed; null when none did. */
  problem: 'declined' | 'action_required' | null
  payment: InvoicePayment | null
  dispute: InvoiceDispute | null
}

/**
 * Reads an invoice with its payment, and how much of that went on, came back or is disputed.
 * @param options.maybeDisputed looks for a dispute although the charge does not name one
 * @returns null for an invoice that belongs to no subscription
 */
export async function fetchInvoice(
  deps: StripeDeps,
  id: string,
  options: { maybeDisputed: boolean },
): Promise<StripeInvoice | null> {
  const stripe = sdkOf(deps)
  const invoice = await stripe.invoices.retrieve(id, { expand: ['payments'] })
  const parent = invoice.parent?.subscription_details
  if (!parent) return null
  const intent = await fetchIntent(stripe, invoice)
  const payment = intent && readPayment(intent, readTax(invoice))
  const looks = payment !== null && (payment.disputed || options.maybeDisputed)
  const period = invoice.lines.data[0]?.period
  return {
    id: invoice.id,
    subscriptionId: idOf(parent.subscription),
    status: invoice.status ?? 'draft',
    subtotalCents: invoice.subtotal,
    amountDueCents: invoice.amount_due,
    amountPaidCents: invoice.amount_paid,
    currency: invoice.currency,
    periodStart: toDate(period?.start ?? null),
    periodEnd: toDate(period?.end ?? null),
    createdAt: new Date(invoice.created * 1000),
    attempts: invoice.attempt_count,
    nextAttemptAt: toDate(invoice.next_payment_attempt),
    isRenewal: invoice.billing_reason !== 'subscription_create',
    discountIds: invoice.discounts.map(idOf),
    problem: readProblem(invoice, intent),
    payment,
    dispute: looks ? await fetchDispute(stripe, payment.chargeId) : null,
  }
}

/** The address of an invoice's page, for its payer; null of one that has none. @throws what Stripe throws, also when there is no such invoice */
export async function fetchInvoicePage(deps: StripeDeps, id: string): Promise<string | null> {
  return (await sdkOf(deps).invoices.retrieve(id)).hosted_invoice_url ?? null
}

/** Invoices of a subscription that were paid, one after the other, newest first. */
export async function* eachPaidInvoice(
  deps: StripeDeps,
  subscriptionId: string,
): AsyncGenerator<StripeInvoice> {
  const list = sdkOf(deps).invoices.list({ subscription: subscriptionId, status: 'paid', limit: 100 })
  for await (const { id } of list) {
    const invoice = await fetchInvoice(deps, id, { maybeDisputed: false })
    if (invoice) yield invoice
  }
}

/** An invoice that asks for money. */
export type UnpaidInvoice = { id: string; status: 'open' | 'draft' }

/**
 * Lists the invoices that a subscription still asks for: open ones could be paid by their page, or in the portal, for ever
 * (docs.stripe.com/billing/subscriptions/cancel).
 */
export async function listUnpaidInvoices(deps: StripeDeps, subscription: string): Promise<UnpaidInvoice[]> {
  const found: UnpaidInvoice[] = []
  for (const status of ['open', 'draft'] as const) {
    const { data } = await sdkOf(deps).invoices.list({ subscription, status, limit: 100 })
    found.push(...data.map(({ id }) => ({ id, status })))
  }
  return found
}

/**
 * Since when a subscription owes something without a break: the date of the oldest invoice that is owed since the newest
 * that was paid. An account that leaves subscriptions past due bills every further month too.
 * @returns null when nothing is owed
 */
export async function fetchOwedSince(deps: StripeDeps, subscription: string): Promise<Date | null> {
  const { data } = await sdkOf(deps).invoices.list({ subscription, limit: 100 })
  const paidAt = data.findIndex(({ status }) => status === 'paid')
  const sincePaid = paidAt === -1 ? data : data.slice(0, paidAt)
  const oldest = sincePaid.findLast(({ status }) => status === 'open' || status === 'uncollectible')
  return oldest ? new Date(oldest.created * 1000) : null
}

/**
 * Takes an invoice back. Safe to repeat for one that is listed as unpaid. A draft of a subscription cannot be deleted, only
 * finalized and then voided (docs.stripe.com/api/invoices/delete); nothing is collected between.
 */
export async function voidInvoice(deps: StripeDeps, invoice: UnpaidInvoice): Promise<void> {
  const { invoices } = sdkOf(deps)
  if (invoice.status === 'draft') await invoices.finalizeInvoice(invoice.id, { auto_advance: false })
  await invoices.voidInvoice(invoice.id)
}

/** The payment that counts: the one that was made, else the one that is being tried. */
async function fetchIntent(stripe: Stripe, invoice: Stripe.Invoice): Promise<Stripe.PaymentIntent | null> {
  const payments = invoice.payments?.data ?? []
  const chosen = payments.find(({ status }) => status === 'paid') ?? payments.find((one) => one.is_default)
  const id = chosen?.payment.payment_intent
  if (!id) return null
  return stripe.paymentIntents.retrieve(idOf(id), {
    expand: ['latest_charge.transfer', 'latest_charge.application_fee'],
  })
}

function readPayment(intent: Stripe.PaymentIntent, tax: InvoiceTax | null): InvoicePayment | null {
  const charge = intent.latest_charge
  if (charge === null || typeof charge === 'string' || charge.status !== 'succeeded') return null
  const { transfer, application_fee: fee } = charge
  const whole = typeof transfer === 'object' ? transfer : null
  const taken = typeof fee === 'object' ? fee : null
  return {
    paymentId: intent.id,
    chargeId: charge.id,
    paidAt: new Date(charge.created * 1000),
    paidCents: charge.amount,
    refundedCents: charge.amount_refunded,
    transfer: whole && {
      id: whole.id,
      destination: idOf(whole.destination ?? ''),
      amountCents: whole.amount,
      reversedCents: whole.amount_reversed,
    },
    feeId: taken?.id ?? null,
    feeCents: taken?.amount ?? 0,
    feeRefundedCents: taken?.amount_refunded ?? 0,
    tax,
    disputed: charge.disputed,
  }
}

/** The tax that Stripe computed; another kind, by hand, is none of the product's. */
function readTax({
  automatic_tax: { enabled, liability },
  total_taxes: taxes,
}: Stripe.Invoice): InvoiceTax | null {
  if (!enabled) return null
  const cents = (taxes ?? []).reduce((sum, { amount }) => sum + amount, 0)
  return { cents, liable: liability?.type === 'account' ? 'trader' : 'platform' }
}

function readProblem(invoice: Stripe.Invoice, intent: Stripe.PaymentIntent | null): StripeInvoice['problem'] {
  if (invoice.status !== 'open' || invoice.attempt_count === 0) return null
  const asks =
    intent?.status === 'requires_action' || intent?.last_payment_error?.code === 'authentication_required'
  return asks ? 'action_required' : 'declined'
}

async function fetchDispute(stripe: Stripe, chargeId: string): Promise<InvoiceDispute | null> {
  const { data } = await stripe.disputes.list({ charge: chargeId, limit: 1 })
  const [dispute] = data
  if (!dispute) return null
  return readDispute(dispute)
}

export function readDispute(dispute: Stripe.Dispute): InvoiceDispute {
  const { amount, balance_transactions: moves, created, id, status } = dispute
  const taken = toDate(moves.at(0)?.created ?? null)
  return { id, status, amountCents: amount, createdAt: new Date(created * 1000), takenAt: taken }
}

/** The subscription that an invoice asks for; null when it asks for none. @throws what Stripe throws */
export async function findSubscriptionOf(deps: StripeDeps, invoiceId: string): Promise<string | null> {
  const { parent } = await sdkOf(deps).invoices.retrieve(invoiceId)
  return parent?.subscription_details ? idOf(parent.subscription_details.subscription) : null
}

/** The invoice that a payment paid, by the payment's id; null when it was no invoice. @throws what Stripe throws */
export async function findInvoiceOf(deps: StripeDeps, paymentId: string): Promise<string | null> {
  const { data } = await sdkOf(deps).invoicePayments.list({
    payment: { type: 'payment_intent', payment_intent: paymentId },
    limit: 1,
  })
  return data[0] ? idOf(data[0].invoice) : null
}

/** The payment that a charge belongs to. @throws what Stripe throws */
export async function findPaymentOfCharge(deps: StripeDeps, id: string): Promise<string | null> {
  return idOrNull((await sdkOf(deps).charges.retrieve(id)).payment_intent)
}

/** The payment that a refund returns. @throws what Stripe throws */
export async function findPaymentOfRefund(deps: StripeDeps, id: string): Promise<string | null> {
  return idOrNull((await sdkOf(deps).refunds.retrieve(id)).payment_intent)
}
