import type { Queryable } from '../../platform/database/queryable.ts'
import { leftOf, type StripeInvoice } from '../../stripe/invoices.ts'
import { alertOperator } from '../provider/alert-operator.ts'
import { oweDebt } from './debts.queries.ts'
import { taxDebt } from './debts.ts'
import { findStoredDispute, putInvoice, sumPassedAgain } from './invoices.queries.ts'
import { overShare, taxHeldOf } from './trader-share.ts'

/**
 * Writes an invoice as it is at Stripe. The operator is notified of a dispute that was not stored yet, and of one that was won and is lost
 * after all: the share that its trader got again is taken back by nobody else. Owes it where the trader's account holds another amount of a
 * taxed payment than their share.
 * @param key.subscriptionId ours
 */
export async function writeInvoice(
  tx: Queryable,
  key: { traderId: string; subscriberId: string; subscriptionId: string },
  invoice: StripeInvoice,
  now: Date,
): Promise<void> {
  const { subscriptionId, traderId } = key
  const { currency, dispute, payment } = invoice
  const transfer = payment?.transfer
  if (dispute) {
    const stored = await findStoredDispute(tx, { traderId, invoiceId: invoice.id })
    if (!stored) await alertOperator(tx, `a payment is disputed (${dispute.status})`, dispute.id, now)
    if (stored?.status === 'won' && dispute.status === 'lost')
      await alertOperator(
        tx,
        'a dispute that was won is lost after all, and its trader was paid again',
        dispute.id,
        now,
      )
  }
  const passedAgain = await sumPassedAgain(tx, { traderId, invoiceId: invoice.id })
  await putInvoice(
    tx,
    {
      traderId,
      subscriptionId,
      invoiceId: invoice.id,
      status: invoice.status,
      amountDueCents: invoice.amountDueCents,
      amountPaidCents: invoice.amountPaidCents,
      refundedCents: payment?.refundedCents ?? 0,
      transferredCents: (transfer?.amountCents ?? 0) + passedAgain,
      reversedCents: transfer?.reversedCents ?? 0,
      feeCents: payment?.feeCents ?? 0,
      feeRefundedCents: payment?.feeRefundedCents ?? 0,
      taxCents: payment?.tax?.cents ?? 0,
      taxLiable: payment?.tax?.liable ?? null,
      taxHeldCents: taxHeldOf(invoice),
      currency,
      periodStart: invoice.periodStart,
      periodEnd: invoice.periodEnd,
      paidAt: payment?.paidAt ?? null,
      chargeId: payment?.chargeId ?? null,
      paymentId: payment?.paymentId ?? null,
      disputedAt: dispute?.createdAt ?? null,
      disputeStatus: dispute?.status ?? null,
      createdAt: invoice.createdAt,
    },
    now,
  )
  if (payment && overShare(invoice))
    await oweDebt(
      tx,
      key,
      taxDebt({ id: invoice.subscriptionId, currency }, invoice.id, leftOf(payment)),
      now,
    )
}
