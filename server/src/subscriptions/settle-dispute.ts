import type { PaymentsDeps } from '../payments/payments-deps.ts'
import { createIdempotently } from '../stripe/create-idempotently.ts'
import type { InvoiceDispute, InvoicePayment } from '../stripe/invoices.ts'
import { stripeMark } from '../stripe/stripe-client.ts'

/**
 * Whether the bank took the money back. What Stripe calls an inquiry (`warning_…`) moves none yet, and `prevented` never
 * will (docs.stripe.com/disputes/how-disputes-work).
 */
export function isChargeback(dispute: InvoiceDispute): boolean {
  return !dispute.status.startsWith('warning_') && dispute.status !== 'prevented'
}

type Transfer = NonNullable<InvoicePayment['transfer']>

/**
 * The disputed amount comes back from the trader, and the platform gives up its fee on it. Safe to repeat: it looks at
 * what was done for this dispute before.
 * @param amount cents that are still with the trader of it
 * @returns cents that were taken back for this dispute, now or before
 * @throws what Stripe throws
 */
export async function takeBack(
  { settings, stripe }: PaymentsDeps,
  payment: InvoicePayment & { transfer: Transfer },
  amount: number,
  dispute: InvoiceDispute,
): Promise<number> {
  const { transfer } = payment
  const mark = stripeMark(settings)
  const find = async () => {
    const { data } = await stripe.transfers.listReversals(transfer.id, { limit: 100 })
    return data.find(({ metadata }) => metadata?.dispute === dispute.id) ?? null
  }
  if (amount <= 0) return (await find())?.amount ?? 0
  const reversal = await createIdempotently(`reverse:${mark.env}:${dispute.id}`, {
    find,
    make: (idempotencyKey) =>
      stripe.transfers.createReversal(
        transfer.id,
        {
          amount,
          ...(payment.feeCents > payment.feeRefundedCents && { refund_application_fee: true }),
          metadata: { ...mark, dispute: dispute.id },
        },
        { idempotencyKey },
      ),
  })
  return reversal.amount
}

/**
 * The bank gave the money back: the trader gets what they are short of. Safe to repeat.
 * @returns cents that went to the trader again
 * @throws what Stripe throws
 */
export async function passOnAgain(
  { settings, stripe }: PaymentsDeps,
  payment: InvoicePayment,
  transfer: Transfer,
  dispute: InvoiceDispute,
): Promise<number> {
  const mark = stripeMark(settings)
  const { data: reversals } = await stripe.transfers.listReversals(transfer.id, { limit: 100 })
  const reversal = reversals.find(({ metadata }) => metadata?.dispute === dispute.id)
  if (!reversal || dispute.status !== 'won') return 0
  const group = `won_${mark.env}_${dispute.id}`
  const again = await createIdempotently(`won:${mark.env}:${dispute.id}`, {
    find: async () => (await stripe.transfers.list({ transfer_group: group, limit: 1 })).data[0] ?? null,
    make: (idempotencyKey) =>
      stripe.transfers.create(
        {
          amount: shareOfTrader(payment, reversal.amount),
          currency: reversal.currency,
          destination: transfer.destination,
          transfer_group: group,
          metadata: { ...mark, dispute: dispute.id },
        },
        { idempotencyKey },
      ),
  })
  return again.amount
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
