import { move, movePlatform } from '../ledger/ledger.ts'
import type { ApplicationFee, Charge, PaymentIntent, Transfer } from '../model/payments.ts'
import { list } from '../wire/lists.ts'
import type { Tx } from '../world/world.ts'

/**
 * A destination charge (docs.stripe.com/connect/destination-charges): the amount goes on to the connected account, and
 * the application fee comes back from there. Changes the charge; nothing without a destination.
 */
export function passOn(tx: Tx, charge: Charge, plan: PaymentIntent['transfer_data']): void {
  if (plan === null) return
  const transfer = makeTransfer(tx, {
    amount: plan.amount ?? charge.amount,
    currency: charge.currency,
    destination: plan.destination,
    source: charge.id,
    group: `group_${charge.payment_intent}`,
    description: null,
    metadata: {},
  })
  tx.change(charge, { transfer: transfer.id, transfer_group: `group_${charge.payment_intent}` })
  const fee = charge.application_fee_amount ?? 0
  if (fee > 0) tx.change(charge, { application_fee: takeFee(tx, charge, plan.destination, fee).id })
}

export type TransferPlan = {
  amount: number
  currency: string
  destination: string
  source: string | null
  group: string | null
  description: string | null
  metadata: Record<string, string>
}

export function makeTransfer(tx: Tx, plan: TransferPlan): Transfer {
  const transfer = tx.make('transfer', {
    amount: plan.amount,
    currency: plan.currency,
    destination: plan.destination,
    source_transaction: plan.source,
    source_type: 'card',
    transfer_group: plan.group,
    description: plan.description,
    metadata: plan.metadata,
  })
  transfer.destination_payment = `py_1${transfer.id.slice(4)}`
  transfer.reversals = list([], `/v1/transfers/${transfer.id}/reversals`)
  const out = { currency: plan.currency, source: transfer.id }
  transfer.balance_transaction = movePlatform(tx, { ...out, amount: -plan.amount, kind: 'transfer' })
  move(tx, { ...out, account: plan.destination, amount: plan.amount, kind: 'payment' })
  tx.add(transfer, { parent: plan.destination })
  tx.emit('transfer.created', transfer)
  return transfer
}

function takeFee(tx: Tx, charge: Charge, account: string, amount: number): ApplicationFee {
  const fee = tx.make('application_fee', {
    account,
    amount,
    application: 'ca_sandbox',
    charge: charge.id,
    currency: charge.currency,
    fee_source: { type: 'charge', charge: charge.id },
    originating_transaction: charge.id,
  })
  fee.refunds = list([], `/v1/application_fees/${fee.id}/refunds`)
  const movement = { currency: charge.currency, source: fee.id, kind: 'application_fee' as const }
  move(tx, { ...movement, account, amount: -amount })
  fee.balance_transaction = movePlatform(tx, { ...movement, amount })
  tx.add(fee, { parent: account })
  tx.emit('application_fee.created', fee)
  return fee
}
