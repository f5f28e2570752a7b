import type { Queryable } from '../../platform/database/queryable.ts'
import { fetchInvoice, type StripeInvoice } from '../../stripe/invoices.ts'
import { returnPayment } from '../../stripe/refunds.ts'
import { isCode } from '../../stripe/stripe-errors.ts'
import { findRowOfStripe } from '../entitlements/pair.queries.ts'
import type { BillingDeps } from '../provider/billing-deps.ts'
import { BANK_DECIDES, type DebtOutcome, NOTHING_LEFT } from './debt-outcome.ts'
import type { Debt } from './debts.queries.ts'
import { writeInvoice } from './write-invoice.ts'

/** The invoice that a debt is about, as Stripe has it now. @throws what Stripe throws */
export function readInvoice(deps: BillingDeps, { invoiceId }: Debt): Promise<StripeInvoice | null> {
  return invoiceId === null ? Promise.resolve(null) : fetchInvoice(deps, invoiceId, { maybeDisputed: true })
}

/**
 * Returns a payment for a debt, and writes what that changed. Once for the debt's cause, whatever runs twice.
 * @param back.atMost in cents; null for all that is left
 * @throws what Stripe throws
 */
export async function returnOf(
  deps: BillingDeps,
  tx: Queryable,
  debt: Debt,
  { atMost, invoice }: { invoice: StripeInvoice; atMost: number | null },
  now: Date,
): Promise<DebtOutcome> {
  if (!invoice.payment) return NOTHING_LEFT
  try {
    const cents = await returnPayment(deps, invoice.payment, atMost, debt.cause)
    await writeAgain(deps, tx, debt, invoice.id, now)
    return { kind: 'settled', cents }
  } catch (error) {
    // The bank has taken the payment back. Once it has decided there is nothing to return, or all of it.
    if (!isCode(error, 'charge_disputed')) throw error
    return invoice.dispute?.status === 'lost' ? NOTHING_LEFT : BANK_DECIDES
  }
}

/** Reads an invoice again after its money moved, and writes it; does nothing when the subscription has no row. */
export async function writeAgain(
  deps: BillingDeps,
  tx: Queryable,
  debt: Pick<Debt, 'traderId' | 'subscriberId' | 'subscriptionId'>,
  invoiceId: string,
  now: Date,
): Promise<void> {
  const row = await findRowOfStripe(tx, debt)
  const invoice = row && (await fetchInvoice(deps, invoiceId, { maybeDisputed: true }))
  if (!invoice) return
  const { subscriberId, traderId } = debt
  await writeInvoice(tx, { traderId, subscriberId, subscriptionId: row.id }, invoice, now)
}
