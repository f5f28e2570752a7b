import type Stripe from 'stripe'
import { createIdempotently } from './create-idempotently.ts'
import { type InvoicePayment, isTaxed, leftOf } from './invoices.ts'
import { sdkOf } from './sdk.ts'
import { type StripeDeps, stripeMark } from './stripe-client.ts'
import { isCode } from './stripe-errors.ts'

/**
 * Pays money back to the subscriber, with the trader's part and the platform's fee (docs.stripe.com/connect/
 * destination-charges, "Issue refunds"). Once for a cause, whatever runs twice. Of a taxed payment the trader's part is taken by a debt of its
 * own (ADR 0135): Stripe would take it in proportion to a transfer of which the tax has been withheld.
 * @param amountCents at most; null for all that is left
 * @param cause in the metadata of the refund, such as `double`
 * @returns cents that went back by this refund; zero when nothing was left
 * @throws what Stripe throws, `charge_disputed` too: the bank has the money, for now
 */
export async function returnPayment(
  deps: StripeDeps,
  payment: InvoicePayment,
  amountCents: number | null,
  cause: string,
): Promise<number> {
  const stripe = sdkOf(deps)
  const mark = stripeMark(deps.settings)
  const left = leftOf(payment)
  const isTakenAlong =
    !isTaxed(payment) &&
    payment.transfer !== null &&
    payment.transfer.reversedCents < payment.transfer.amountCents
  const made = await findRefund(stripe, payment.chargeId, cause)
  if (made) return made.amount
  if (left <= 0 || amountCents === 0) return 0
  try {
    const refund = await createIdempotently(`re:${mark.env}:${payment.chargeId}:${cause}`, {
      find: () => findRefund(stripe, payment.chargeId, cause),
      make: (idempotencyKey) =>
        stripe.refunds.create(
          {
            charge: payment.chargeId,
            ...(amountCents !== null && { amount: Math.min(amountCents, left) }),
            // Stripe refuses to take back what has come back, and to give back a fee that was none.
            ...(isTakenAlong && { reverse_transfer: true }),
            ...(isTakenAlong && payment.feeCents > 0 && { refund_application_fee: true }),
            metadata: { ...mark, cause },
          },
          { idempotencyKey },
        ),
    })
    return refund.amount
  } catch (error) {
    if (!isCode(error, 'charge_already_refunded')) throw error
    return 0
  }
}

/** Cents of a payment that came back for causes that begin with a word. @throws what Stripe throws */
export async function sumRefunds(deps: StripeDeps, chargeId: string, word: string): Promise<number> {
  let cents = 0
  for await (const refund of sdkOf(deps).refunds.list({ charge: chargeId, limit: 100 })) {
    const isBack = refund.status !== 'canceled' && refund.status !== 'failed'
    if (isBack && refund.metadata?.cause?.startsWith(word)) cents += refund.amount
  }
  return cents
}

async function findRefund(stripe: Stripe, charge: string, cause: string): Promise<Stripe.Refund | null> {
  for await (const refund of stripe.refunds.list({ charge, limit: 100 })) {
    if (refund.metadata?.cause === cause && refund.status !== 'canceled') return refund
  }
  return null
}
