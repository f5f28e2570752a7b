import { eachPaidInvoice, type InvoicePayment, leftOf, type StripeInvoice } from '../../stripe/invoices.ts'
import type { EndReason, StripeSubscription } from '../../stripe/subscriptions.ts'
import type { BillingDeps } from '../provider/billing-deps.ts'
import { isChargeback, isReturnedWhole, LEFT_AFTER_WARNING, type NewDebt, refundDebt } from './debts.ts'

/**
 * The refunds that the end of a subscription leads to, as debts that are not written yet.
 * @param debt.warned invoices of whose payment a card network warned: what goes back of these was decided with the warning
 */
export async function returnsOf(
  deps: BillingDeps,
  ended: StripeSubscription,
  debt: { cause: string; tries: number; createdAt: Date; warned: ReadonlySet<string> },
  now: Date,
): Promise<NewDebt[]> {
  const reason = debt.cause as EndReason
  // By how much the end was delayed, when Stripe refused an earlier try to end it.
  const lateMs = debt.tries > 0 ? now.getTime() - debt.createdAt.getTime() : 0
  if (reason === 'dispute') return returnsOfDispute(deps, ended, lateMs)
  const returns: NewDebt[] = []
  for await (const invoice of eachPaidInvoice(deps, ended.id)) {
    const isWarned = reason === 'fraud_warning' && debt.warned.has(invoice.id)
    // The refunds of a withdrawal were decided when it was asked for; this is of payments that were not known then.
    const cents = isWarned
      ? 0
      : reason === 'withdrawn'
        ? centsAfterWithdrawal(invoice, debt.createdAt)
        : centsToReturn(reason, invoice, ended.endedAt, lateMs)
    const cause = reason === 'fraud_warning' ? LEFT_AFTER_WARNING : reason
    if (cents > 0) returns.push(refundDebt(ended, invoice.id, cause, cents))
    if (isWarned && lateMs > 0) continue
    if (!isReturnedWhole(reason) && reason !== 'withdrawn' && (cents === 0 || lateMs === 0)) break
  }
  return returns
}

/**
 * After a dispute: the bank holds what it has taken, and the payments from before stay. Later ones go back whole, for the dispute may be
 * heard of late, and Stripe may have refused the end.
 */
async function returnsOfDispute(
  deps: BillingDeps,
  ended: StripeSubscription,
  lateMs: number,
): Promise<NewDebt[]> {
  const later: StripeInvoice[] = []
  for await (const invoice of eachPaidInvoice(deps, ended.id)) {
    const { dispute } = invoice
    if (!dispute || !isChargeback(dispute)) {
      later.push(invoice)
      continue
    }
    const taken = (dispute.takenAt ?? dispute.createdAt).getTime()
    const since = Math.min(taken, (ended.endedAt?.getTime() ?? taken) - lateMs)
    return later.flatMap(({ id, payment }) => {
      const cents = payment && payment.paidAt.getTime() > since ? leftToReturn(payment) : 0
      return cents > 0 ? [refundDebt(ended, id, 'dispute', cents)] : []
    })
  }
  return []
}

/** How much of one invoice is returned, in cents. */
function centsToReturn(
  reason: EndReason,
  invoice: StripeInvoice,
  endedAt: Date | null,
  lateMs: number,
): number {
  const { payment } = invoice
  if (!payment) return 0
  if (isReturnedWhole(reason)) return leftToReturn(payment)
  if (endedAt === null || (reason === 'fraud_warning' && payment.disputed)) return 0
  return unusedOf({ ...invoice, ...payment }, new Date(endedAt.getTime() - lateMs))
}

function centsAfterWithdrawal(invoice: StripeInvoice, withdrawnAt: Date): number {
  const { dispute, payment } = invoice
  if (!payment || (dispute && isChargeback(dispute))) return 0
  if (payment.paidAt > withdrawnAt) return leftToReturn(payment)
  return unusedOf({ ...invoice, ...payment }, withdrawnAt)
}

/** A payment of which something may go back, in cents. @property owedCents that other debts are returning already */
type Returnable = Pick<InvoicePayment, 'paidCents' | 'refundedCents'> & { owedCents?: number }

/** Of a payment, what has not gone back and is not on its way, in cents: nothing returns more, whatever the cause. */
export function leftToReturn({ owedCents = 0, ...payment }: Returnable): number {
  return Math.max(0, leftOf(payment) - owedCents)
}

/**
 * The part of a payment for the time after the end, rounded up to the cent in the subscriber's favour.
 * @param endedAt by Stripe's clock, so that every repetition comes to the same amount; of a withdrawal the instant of its press
 * @returns cents; at most what is left to return
 */
export function unusedOf(
  payment: Returnable & { periodStart: Date | null; periodEnd: Date | null },
  endedAt: Date,
): number {
  return Math.min(unusedCents(payment.paidCents, payment, endedAt), leftToReturn(payment))
}

/** @returns cents of `paidCents` that belong to the part of the period after `endedAt` */
function unusedCents(
  paidCents: number,
  period: { periodStart: Date | null; periodEnd: Date | null },
  endedAt: Date,
): number {
  if (!period.periodStart || !period.periodEnd) return 0
  const [start, end] = [seconds(period.periodStart), seconds(period.periodEnd)]
  const left = Math.min(end - seconds(endedAt), end - start)
  if (left <= 0 || end <= start) return 0
  // Whole numbers far below 2^53: cents times the seconds of a month.
  return Number((BigInt(paidCents) * BigInt(left) + BigInt(end - start) - 1n) / BigInt(end - start))
}

const seconds = (instant: Date) => Math.floor(instant.getTime() / 1000)
