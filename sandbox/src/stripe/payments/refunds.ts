import { move, PLATFORM } from '../store/ledger.ts'
import { type ApiError, invalid } from '../wire/errors.ts'
import { page } from '../wire/lists.ts'
import { mergeMetadata } from '../wire/metadata.ts'
import { type Call, PAGING, type Route } from '../wire/route.ts'
import type { Tx } from '../world.ts'
import { behaviourOf } from './cards.ts'
import { proportion, refundFee, reverseTransfer } from './reverse.ts'
import type { ApplicationFee, Charge, PaymentIntent, Refund, Transfer } from './types.ts'

export const refundRoutes: Route[] = [
  {
    endpoint: 'POST /v1/refunds',
    reads: [
      'charge',
      'payment_intent',
      'amount',
      'reason',
      'reverse_transfer',
      'refund_application_fee',
      'metadata',
    ],
    answer: ({ tx, params }) =>
      refund(tx, chargeOf(tx, params), {
        amount: (params.amount as number | undefined) ?? null,
        reason: (params.reason as string | undefined) ?? null,
        reverse: params.reverse_transfer === true,
        fee: params.refund_application_fee === true,
        metadata: mergeMetadata(null, params.metadata),
      }),
  },
  {
    endpoint: 'GET /v1/refunds',
    reads: [...PAGING, 'charge', 'payment_intent', 'created'],
    answer: listRefunds,
  },
  { endpoint: 'GET /v1/refunds/:id', reads: [], answer: ({ tx, id }) => tx.need('refund', id) },
]

export type RefundPlan = {
  /** Cents; null for all that is left. */
  amount: number | null
  reason: string | null
  /** Take the connected account's part back. */
  reverse: boolean
  /** Give the platform's fee back. */
  fee: boolean
  metadata: Record<string, string>
}

/**
 * Pays money back (docs.stripe.com/connect/destination-charges, "Issue refunds"): the transfer's part and the fee's
 * part are those of the refund in the charge, and add up to the whole after the last refund.
 */
export function refund(tx: Tx, charge: Charge, plan: RefundPlan): Refund {
  const left = charge.amount - charge.amount_refunded
  const amount = plan.amount ?? left
  check(tx, charge, plan, amount, left)
  const done = tx.make<Refund>('refund', {
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
  done.balance_transaction = move(tx, {
    account: PLATFORM,
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
  const number = String(tx.objects.hidden(charge.payment_method).number)
  if (behaviourOf(number).refundFails === true) tx.schedule('fail-refund', done.id, tx.now)
  return done
}

function check(tx: Tx, charge: Charge, plan: RefundPlan, amount: number, left: number): void {
  if (charge.status !== 'succeeded') throw invalid('This charge has failed and cannot be refunded.', 'charge')
  if (left === 0)
    throw invalid(`Charge ${charge.id} has already been refunded.`, null, 'charge_already_refunded')
  if (isChargedBack(tx, charge))
    throw invalid(
      `Charge ${charge.id} has been charged back; cannot issue a refund.`,
      null,
      'charge_disputed',
    )
  if (amount < 1)
    throw invalid('This value must be greater than or equal to 1.', 'amount', 'parameter_invalid_integer')
  if (amount > left)
    throw invalid(
      `Refund amount (${money(amount)}) is greater than unrefunded amount on charge (${money(left)})`,
      'amount',
    )
  if (plan.reverse && charge.transfer === undefined) throw noTransfer('reverse_transfer')
  if (plan.fee && charge.application_fee === null)
    throw invalid(
      `Cannot refund application fee on charge ${charge.id}: it has none.`,
      'refund_application_fee',
    )
  // docs.stripe.com/connect/destination-charges: a refund that gives the fee back must also reverse the transfer.
  if (plan.fee && !plan.reverse && charge.transfer !== undefined)
    throw invalid('To refund the application fee, reverse the transfer too.', 'refund_application_fee')
}

/** A dispute that is open or lost has taken the money already; after one that was won it can be paid back. */
function isChargedBack(tx: Tx, charge: Charge): boolean {
  const [dispute] = tx.objects.list('dispute', { parent: charge.id }, { limit: 1 })
  return dispute !== undefined && dispute.status !== 'won'
}

function noTransfer(param: string): ApiError {
  return invalid(
    'Cannot reverse transfer on refund as the charge does not have an associated transfer.',
    param,
  )
}

function takeBack(tx: Tx, charge: Charge, refunded: number, refundId: string): string | null {
  const transfer = tx.need<Transfer>('transfer', charge.transfer ?? '')
  const part = proportion(transfer.amount, refunded, charge.amount, transfer.amount_reversed)
  return part < 1 ? null : reverseTransfer(tx, transfer, part, refundId).id
}

function giveBackFee(tx: Tx, charge: Charge, refunded: number): void {
  const fee = tx.need<ApplicationFee>('application_fee', charge.application_fee ?? '')
  refundFee(tx, fee, proportion(fee.amount, refunded, charge.amount, fee.amount_refunded))
}

/** The bank sent the money back (card 4000 0000 0000 5126): it lies with the platform again. */
export function failRefund(tx: Tx, id: string): void {
  const failed = tx.need<Refund>('refund', id)
  const charge = tx.need<Charge>('charge', failed.charge)
  const returned = move(tx, {
    account: PLATFORM,
    currency: failed.currency,
    amount: failed.amount,
    kind: 'refund',
    source: failed.id,
  })
  const before = tx.change(failed, {
    status: 'failed',
    failure_reason: 'expired_or_canceled_card',
    failure_balance_transaction: returned ?? '',
  })
  tx.change(charge, { amount_refunded: charge.amount_refunded - failed.amount, refunded: false })
  tx.emit('refund.updated', failed, { status: before.status })
  tx.emit('refund.failed', failed)
  tx.emit('charge.updated', charge)
}

function chargeOf(tx: Tx, params: Record<string, unknown>): Charge {
  if (typeof params.charge === 'string') return tx.need<Charge>('charge', params.charge, 'charge')
  if (typeof params.payment_intent !== 'string')
    throw invalid(
      'One of the following params should be provided for this request: payment_intent or charge.',
    )
  const intent = tx.need<PaymentIntent>('payment_intent', params.payment_intent, 'payment_intent')
  if (intent.status !== 'succeeded' || intent.latest_charge === null)
    throw invalid(
      `This PaymentIntent (${intent.id}) does not have a successful charge to refund.`,
      'payment_intent',
    )
  return tx.need<Charge>('charge', intent.latest_charge)
}

function listRefunds(call: Call): unknown {
  const { charge, payment_intent } = call.params
  return page(call, 'refund', {
    equal: {
      ...(typeof charge === 'string' && { charge }),
      ...(typeof payment_intent === 'string' && { payment_intent }),
    },
  })
}

function money(cents: number): string {
  return `$${(cents / 100).toFixed(2)}`
}
