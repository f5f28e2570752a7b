import type Stripe from 'stripe'
import { createIdempotently } from './create-idempotently.ts'
import type { InvoicePayment } from './invoices.ts'
import { sdkOf } from './sdk.ts'
import { type StripeDeps, stripeMark } from './stripe-client.ts'

export type Transfer = NonNullable<InvoicePayment['transfer']>

/** The reversed amount of a transfer for a dispute, in cents of its currency; null when nothing came back. @throws what Stripe throws */
export async function findReversal(
  deps: StripeDeps,
  transferId: string,
  disputeId: string,
): Promise<{ amountCents: number; currency: string } | null> {
  const { data } = await sdkOf(deps).transfers.listReversals(transferId, { limit: 100 })
  const found = data.find(({ metadata }) => metadata?.dispute === disputeId)
  return found ? { amountCents: found.amount, currency: found.currency } : null
}

/**
 * Takes a part of a transfer back for a dispute, once however often it is asked for.
 * @param back.refundFee gives up the platform's fee on it
 * @returns cents that were taken back for this dispute, now or before
 * @throws what Stripe throws
 */
export async function reverseTransfer(
  deps: StripeDeps,
  transferId: string,
  back: { amountCents: number; refundFee: boolean; disputeId: string },
): Promise<number> {
  const mark = stripeMark(deps.settings)
  const reversal = await createIdempotently(`reverse:${mark.env}:${back.disputeId}`, {
    find: () => findReversal(deps, transferId, back.disputeId),
    async make(idempotencyKey) {
      const made = await sdkOf(deps).transfers.createReversal(
        transferId,
        {
          amount: back.amountCents,
          ...(back.refundFee && { refund_application_fee: true }),
          metadata: { ...mark, dispute: back.disputeId },
        },
        { idempotencyKey },
      )
      return { amountCents: made.amount, currency: made.currency }
    },
  })
  return reversal.amountCents
}

/**
 * Pays a trader again after a dispute was won, once however often it is asked for; nothing where the amount is none.
 * @returns cents that went there, now or before
 * @throws what Stripe throws
 */
export async function transferAgain(
  deps: StripeDeps,
  again: { amountCents: number; currency: string; destination: string; disputeId: string },
): Promise<number> {
  const { transfers } = sdkOf(deps)
  const mark = stripeMark(deps.settings)
  const group = `won_${mark.env}_${again.disputeId}`
  const find = async () => (await transfers.list({ transfer_group: group, limit: 1 })).data[0] ?? null
  if (again.amountCents <= 0) return (await find())?.amount ?? 0
  const made = await createIdempotently<Stripe.Transfer>(`won:${mark.env}:${again.disputeId}`, {
    find,
    make: (idempotencyKey) =>
      transfers.create(
        {
          amount: again.amountCents,
          currency: again.currency,
          destination: again.destination,
          transfer_group: group,
          metadata: { ...mark, dispute: again.disputeId },
        },
        { idempotencyKey },
      ),
  })
  return made.amount
}
