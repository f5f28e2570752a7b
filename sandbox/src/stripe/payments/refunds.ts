import { movePlatform } from '../ledger/ledger.ts'
import type { Charge, Refund } from '../model/payments.ts'
import { invalid } from '../refusals/errors.ts'
import { anything, flag, number, type ObjectOf, optional, text } from '../shape/shape.ts'
import { CREATED, PAGING, page } from '../wire/lists.ts'
import { mergeMetadata } from '../wire/metadata.ts'
import { type Route, route } from '../wire/route.ts'
import type { Tx } from '../world/world.ts'
import { behaviourOf } from './cards.ts'
import { checkRefund, type RefundPlan } from './check-refund.ts'
import { markAnswered } from './fraud-warnings.ts'
import { proportion, refundFee, reverseTransfer } from './reverse.ts'

const CREATE = {
  charge: optional(text),
  payment_intent: optional(text),
  amount: optional(number),
  reason: optional(text),
  reverse_transfer: optional(flag),
  refund_application_fee: optional(flag),
  metadata: optional(anything),
}

const LIST = { ...PAGING, ...CREATED, charge: optional(text), payment_intent: optional(text) }

export const refundRoutes: Route[] = [
  route('POST /v1/refunds', CREATE, ({ tx, params }) =>
    refund(tx, chargeOf(tx, params), {
      amount: params.amount ?? null,
      reason: params.reason ?? null,
      reverse: params.reverse_transfer === true,
      fee: params.refund_application_fee === true,
      metadata: mergeMetadata(null, params.metadata),
    }),
  ),
  route('GET /v1/refunds', LIST, (call) => {
    const { charge, payment_intent } = call.params
    return page(call, 'refund', { equal: { charge, payment_intent } })
  }),
  route('GET /v1/refunds/:id', {}, ({ tx, id }) => tx.need('refund', id)),
]

/**
 * Pays money back (docs.stripe.com/connect/destination-charges, "Issue refunds"): the transfer's part and the fee's
 * part are those of the refund in the charge, and add up to the whole after the last refund.
 */
export function refund(tx: Tx, charge: Charge, plan: RefundPlan): Refund {
  const left = charge.amount - charge.amount_refunded
  const amount = plan.amount ?? left
  checkRefund(tx, charge, plan, amount, left)
  const done = tx.make('refund', {
    amount,
    charge: charge.id,
    currency: charge.currency,
    customer: charge.customer,
    destination_details: {
      type: 'card',
      card: tx.part('refund', 'destination_details.card', { type: 'refund' }),
    },
    metadata: plan.metadata,
    payment_intent: charge.payment_intent,
    payment_method: charge.payment_method,
    reason: plan.reason,
    status: 'succeeded',
  })
  done.balance_transaction = movePlatform(tx, {
    currency: charge.currency,
    amount: -amount,
    kind: 'refund',
    source: done.id,
  })
  const refunded = charge.amount_refunded + amount
  if (plan.reverse) done.transfer_reversal = takeBack(tx, charge, refunded, done.id)
  if (plan.fee) giveBackFee(tx, charge, refunded)
  tx.add(done, { parent: charge.id })
  const before = tx.change(charge, { amount_refunded: refunded, refunded: refunded === charge.amount })
  tx.emit('refund.created', done)
  tx.emit('charge.refunded', charge, before)
  if (charge.refunded) markAnswered(tx, charge.id)
  const { number } = tx.objects.notes('payment_method', charge.payment_method)
  if (behaviourOf(number).refundFails === true) tx.schedule('fail-refund', done.id, tx.now)
  return done
}

function takeBack(tx: Tx, charge: Charge, refunded: number, refundId: string): string | null {
  const transfer = tx.need('transfer', charge.transfer ?? '')
  const part = proportion(transfer.amount, refunded, charge.amount, transfer.amount_reversed)
  return part < 1 ? null : reverseTransfer(tx, transfer, part, refundId).id
}

function giveBackFee(tx: Tx, charge: Charge, refunded: number): void {
  const fee = tx.need('application_fee', charge.application_fee ?? '')
  const part = proportion(fee.amount, refunded, charge.amount, fee.amount_refunded)
  if (part > 0) refundFee(tx, fee, part)
}

/** The bank sent the money back (card 4000 0000 0000 5126): it lies with the platform again. */
export function failRefund(tx: Tx, id: string): void {
  const failed = tx.need('refund', id)
  const charge = tx.need('charge', failed.charge)
  const returned = movePlatform(tx, {
    currency: failed.currency,
    amount: failed.amount,
    kind: 'refund',
    source: failed.id,
  })
  const before = tx.change(failed, {
    status: 'failed',
    failure_reason: 'expired_or_canceled_card',
    failure_balance_transaction: returned,
  })
  tx.change(charge, { amount_refunded: charge.amount_refunded - failed.amount, refunded: false })
  tx.emit('refund.updated', failed, { status: before.status })
  tx.emit('refund.failed', failed)
  tx.emit('charge.updated', charge)
}

function chargeOf(tx: Tx, { charge, payment_intent }: ObjectOf<typeof CREATE>): Charge {
  if (charge !== undefined) return tx.need('charge', charge, 'charge')
  if (payment_intent === undefined)
    throw invalid(
      'One of the following params should be provided for this request: payment_intent or charge.',
    )
  const intent = tx.need('payment_intent', payment_intent, 'payment_intent')
  if (intent.status !== 'succeeded' || intent.latest_charge === null)
    throw invalid(
      `This PaymentIntent (${intent.id}) does not have a successful charge to refund.`,
      'payment_intent',
    )
  return tx.need('charge', intent.latest_charge)
}
