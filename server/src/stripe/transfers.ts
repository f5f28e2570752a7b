import type Stripe from 'stripe'
import { createIdempotently } from './create-idempotently.ts'
import type { InvoicePayment } from './invoices.ts'
import { sdkOf } from './sdk.ts'
import { type StripeDeps, stripeMark } from './stripe-client.ts'

export type Transfer = NonNullable<InvoicePayment['transfer']>

/** The reason for which a part of a transfer is taken back, once: a dispute by its id, or what is left of a taxed payment. */
export type ReversalReason = { dispute: string } | { left: string }

/** The reversed amount of a transfer for a reason, in cents of its currency; null when nothing came back. @throws what Stripe throws */
export async function findReversal(
  deps: StripeDeps,
  transferId: string,
  reason: ReversalReason,
): Promise<{ amountCents: number; currency: string } | null> {
  const [word, value] = wordOf(reason)
  const { data } = await sdkOf(deps).transfers.listReversals(transferId, { limit: 100 })
  const found = data.find(({ metadata }) => metadata?.[word] === value)
  return found ? { amountCents: found.amount, currency: found.currency } : null
}

/**
 * Takes a part of a transfer back, once for a reason however often it is asked for.
 * @param back.refundFee gives up the platform's fee on it
 * @returns cents that were taken back for this reason, now or before
 * @throws what Stripe throws
 */
export async function reverseTransfer(
  deps: StripeDeps,
  transferId: string,
  back: { amountCents: number; refundFee: boolean; reason: ReversalReason },
): Promise<number> {
  const mark = stripeMark(deps.settings)
  const reversal = await createIdempotently(keyOf(mark.env, transferId, back.reason), {
    find: () => findReversal(deps, transferId, back.reason),
    async make(idempotencyKey) {
      const made = await sdkOf(deps).transfers.createReversal(
        transferId,
        {
          amount: back.amountCents,
          ...(back.refundFee && { refund_application_fee: true }),
          metadata: { ...mark, ...back.reason },
        },
        { idempotencyKey },
      )
      return { amountCents: made.amount, currency: made.currency }
    },
  })
  return reversal.amountCents
}

function wordOf(reason: ReversalReason): [string, string] {
  return 'dispute' in reason ? ['dispute', reason.dispute] : ['left', reason.left]
}

function keyOf(env: string, transferId: string, reason: ReversalReason): string {
  return 'dispute' in reason
    ? `reverse:${env}:${reason.dispute}`
    : `reverse:${env}:${transferId}:${reason.left}`
}

/**
 * Gives a part of the platform's fee back to the trader, once for a reason however often it is asked for.
 * @returns cents that were given back for this reason, now or before
 * @throws what Stripe throws
 */
export async function refundFee(
  deps: StripeDeps,
  feeId: string,
  back: { amountCents: number; left: string },
): Promise<number> {
  const { applicationFees } = sdkOf(deps)
  const mark = stripeMark(deps.settings)
  const made = await createIdempotently(`fee:${mark.env}:${feeId}:${back.left}`, {
    find: async () =>
      (await applicationFees.listRefunds(feeId, { limit: 100 })).data.find(
        ({ metadata }) => metadata?.left === back.left,
      ) ?? null,
    make: (idempotencyKey) =>
      applicationFees.createRefund(
        feeId,
        { amount: back.amountCents, metadata: { ...mark, left: back.left } },
        { idempotencyKey },
      ),
  })
  return made.amount
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
