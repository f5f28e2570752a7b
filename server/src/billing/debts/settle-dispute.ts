import type { InvoiceDispute, InvoicePayment } from '../../stripe/invoices.ts'
import { findReversal, reverseTransfer, type Transfer, transferAgain } from '../../stripe/transfers.ts'
import type { PaymentsDeps } from '../provider/payments-deps.ts'

/**
 * The disputed amount comes back from the trader, and the platform gives up its fee on it. Safe to repeat: it looks at
 * what was done for this dispute before.
 * @param amountCents that are still with the trader of it
 * @returns cents that were taken back for this dispute, now or before
 * @throws what Stripe throws
 */
export async function takeBack(
  deps: PaymentsDeps,
  payment: InvoicePayment & { transfer: Transfer },
  amountCents: number,
  dispute: InvoiceDispute,
): Promise<number> {
  const { id } = payment.transfer
  if (amountCents <= 0) return (await findReversal(deps, id, dispute.id))?.amountCents ?? 0
  const refundFee = payment.feeCents > payment.feeRefundedCents
  return reverseTransfer(deps, id, { amountCents, refundFee, disputeId: dispute.id })
}

/**
 * The bank gave the money back: the trader gets what they are short of. Safe to repeat.
 * @returns cents that went to the trader again
 * @throws what Stripe throws
 */
export async function passOnAgain(
  deps: PaymentsDeps,
  payment: InvoicePayment,
  { destination, id }: Transfer,
  dispute: InvoiceDispute,
): Promise<number> {
  const reversal = await findReversal(deps, id, dispute.id)
  if (!reversal || dispute.status !== 'won') return 0
  const amountCents = shareOfTrader(payment, reversal.amountCents)
  return transferAgain(deps, { ...reversal, amountCents, destination, disputeId: dispute.id })
}

/**
 * What the trader had of an amount that was paid: all of it less the platform's fee, which is in proportion.
 * @returns cents; half a cent of the fee is the platform's
 */
export function shareOfTrader(
  payment: Pick<InvoicePayment, 'paidCents' | 'feeCents'>,
  amountCents: number,
): number {
  const paid = BigInt(payment.paidCents)
  const fee = (BigInt(payment.feeCents) * BigInt(amountCents) * 2n + paid) / (paid * 2n)
  return amountCents - Number(fee)
}
