import {
  type InvoiceDispute,
  type InvoicePayment,
  isTaxed,
  leftOf,
  type StripeInvoice,
} from '../../stripe/invoices.ts'
import { isChargeback } from './debts.ts'

/** A payment as far as it decides about its trader's share. */
type Shared = Pick<InvoicePayment, 'paidCents' | 'feeCents' | 'tax'>

/**
 * The trader's share of an amount that was paid: all of it less the tax and the platform's fee, which are in proportion; with the tax where the
 * trader owes it to the authorities. No fee is taken of a tax (rule G-131).
 * @returns cents; half a cent of the tax is tax, and half a cent of the fee is the platform's
 */
export function shareOfTrader(payment: Shared, amountCents: number): number {
  const tax = taxOf(payment, amountCents)
  const net = amountCents - tax
  const fee = partOf(payment.feeCents, net, payment.paidCents)
  return net - fee + (payment.tax?.liable === 'trader' ? tax : 0)
}

/** The trader's income of an amount that was paid, in cents: their share without a tax that they owe. */
export function incomeOf(payment: Shared, amountCents: number): number {
  return shareOfTrader(
    { ...payment, tax: payment.tax && { ...payment.tax, liable: 'platform' } },
    amountCents,
  )
}

/** The tax within an amount of a payment, in cents. */
function taxOf({ paidCents, tax }: Shared, amountCents: number): number {
  return tax === null ? 0 : partOf(tax.cents, amountCents, paidCents)
}

/** `whole * part / total` of cents, which are whole numbers; a half is rounded up. */
function partOf(whole: number, part: number, total: number): number {
  const all = BigInt(total)
  return Number((BigInt(whole) * BigInt(part) * 2n + all) / (all * 2n))
}

/** Cents of a payment that are at the trader's account by its transfer and fee; a second transfer is not among them. */
export function heldOf({
  feeCents,
  feeRefundedCents,
  transfer,
}: Pick<InvoicePayment, 'feeCents' | 'feeRefundedCents' | 'transfer'>): number {
  return transfer ? transfer.amountCents - transfer.reversedCents - (feeCents - feeRefundedCents) : 0
}

/**
 * Cents of a disputed payment that the trader gives back: the disputed amount, at most what is left of the transfer. Of a taxed payment: what
 * is more than their share of the rest.
 */
export function centsToTakeBack(
  payment: InvoicePayment,
  dispute: Pick<InvoiceDispute, 'amountCents'>,
): number {
  const { transfer } = payment
  if (!transfer) return 0
  if (isTaxed(payment))
    return heldOf(payment) - shareOfTrader(payment, Math.max(0, leftOf(payment) - dispute.amountCents))
  return Math.min(dispute.amountCents, transfer.amountCents - transfer.reversedCents)
}

/**
 * By how many cents the account of a taxed payment's trader holds more than their share; negative where it is short. Null where there is
 * nothing to settle: no tax, or a bank took the money back, whose debts settle it.
 */
export function overShare({ dispute, payment }: Pick<StripeInvoice, 'dispute' | 'payment'>): number | null {
  if (!payment?.transfer || !isTaxed(payment)) return null
  if (dispute && isChargeback(dispute)) return null
  return heldOf(payment) - shareOfTrader(payment, leftOf(payment))
}

/**
 * Cents at the trader's account that are tax and no income: theirs to pay on, or more than their share. Negative where the account is short of
 * a part of the fee.
 */
export function taxHeldOf(invoice: Pick<StripeInvoice, 'dispute' | 'payment'>): number {
  const { dispute, payment } = invoice
  if (!payment?.transfer) return 0
  const taken = dispute && isChargeback(dispute) && dispute.status !== 'won' ? dispute.amountCents : 0
  const kept = Math.max(0, leftOf(payment) - taken)
  return (payment.tax?.liable === 'trader' ? taxOf(payment, kept) : 0) + (overShare(invoice) ?? 0)
}
