import { move, movePlatform } from '../ledger/ledger.ts'
import type { ApplicationFee, FeeRefund, Transfer, TransferReversal } from '../model/payments.ts'
import { invalid } from '../refusals/errors.ts'
import type { Tx } from '../world/world.ts'

/**
 * Takes money back from a connected account.
 * @param refund the refund that asked for it, or null for a reversal without a refund
 * @throws ApiError when more is asked than is left
 */
export function reverseTransfer(
  tx: Tx,
  transfer: Transfer,
  amount: number,
  refund: string | null,
  metadata: Record<string, string> = {},
): TransferReversal {
  const left = transfer.amount - transfer.amount_reversed
  if (left === 0) throw invalid(`The transfer ${transfer.id} is already fully reversed.`)
  if (amount < 1)
    throw invalid('This value must be greater than or equal to 1.', 'amount', 'parameter_invalid_integer')
  if (amount > left)
    throw invalid(
      `Reversal amount (${amount}) is greater than unreversed amount on transfer (${left})`,
      'amount',
    )
  const reversal = tx.make('transfer_reversal', {
    amount,
    currency: transfer.currency,
    metadata,
    source_refund: refund,
    transfer: transfer.id,
  })
  const movement = {
    currency: transfer.currency,
    source: reversal.id,
    kind: 'transfer_refund' as const,
    since: transfer.created,
  }
  move(tx, { ...movement, account: transfer.destination, amount: -amount })
  reversal.balance_transaction = movePlatform(tx, { ...movement, amount })
  tx.add(reversal, { parent: transfer.id })
  const reversed = transfer.amount_reversed + amount
  const before = tx.change(transfer, {
    amount_reversed: reversed,
    reversed: reversed === transfer.amount,
    reversals: { ...transfer.reversals, data: [reversal, ...transfer.reversals.data].slice(0, 10) },
  })
  tx.emit('transfer.reversed', transfer)
  tx.emit('transfer.updated', transfer, before)
  return reversal
}

/** @throws ApiError when nothing is left of a fee, or less than these cents */
export function checkFeeRefund(fee: ApplicationFee, amount: number): void {
  const left = fee.amount - fee.amount_refunded
  if (left === 0) throw invalid(`The application fee ${fee.id} has already been refunded.`)
  if (amount < 1)
    throw invalid('This value must be greater than or equal to 1.', 'amount', 'parameter_invalid_integer')
  if (amount > left)
    throw invalid(`Refund amount (${amount}) is greater than unrefunded amount on fee (${left})`, 'amount')
}

/** Gives a part of the platform's fee back to the connected account. @param amount cents, at least one */
export function refundFee(
  tx: Tx,
  fee: ApplicationFee,
  amount: number,
  metadata: Record<string, string> = {},
): FeeRefund {
  const back = tx.make('fee_refund', { amount, currency: fee.currency, fee: fee.id, metadata })
  const movement = {
    currency: fee.currency,
    source: back.id,
    kind: 'application_fee_refund' as const,
    since: fee.created,
  }
  back.balance_transaction = movePlatform(tx, { ...movement, amount: -amount })
  move(tx, { ...movement, account: fee.account, amount })
  tx.add(back, { parent: fee.id })
  const refunded = fee.amount_refunded + amount
  tx.change(fee, {
    amount_refunded: refunded,
    refunded: refunded === fee.amount,
    refunds: { ...fee.refunds, data: [back, ...fee.refunds.data].slice(0, 10) },
  })
  tx.emit('application_fee.refunded', fee)
  return back
}

/**
 * The share of `whole` that goes with `part` of `total`, less what already went, so that the last part takes what
 * rounding left and nothing is lost.
 */
export function proportion(whole: number, part: number, total: number, already: number): number {
  return Math.round((whole * part) / total) - already
}
