import type { Charge } from '../model/payments.ts'
import { type ApiError, invalid } from '../refusals/errors.ts'
import type { Tx } from '../world/world.ts'
import { isInquiry } from './disputes.ts'

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

/** @throws ApiError when the charge cannot be refunded so; amounts are cents, `left` is what was not refunded yet */
export function checkRefund(tx: Tx, charge: Charge, plan: RefundPlan, amount: number, left: number): void {
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

/** A dispute that is open or lost has taken the money already; after one that was won, and beside an inquiry, it can be paid back. */
function isChargedBack(tx: Tx, charge: Charge): boolean {
  const [dispute] = tx.objects.list('dispute', { parent: charge.id }, { limit: 1 })
  return dispute !== undefined && dispute.status !== 'won' && !isInquiry(dispute)
}

function noTransfer(param: string): ApiError {
  return invalid(
    'Cannot reverse transfer on refund as the charge does not have an associated transfer.',
    param,
  )
}

function money(cents: number): string {
  return `$${(cents / 100).toFixed(2)}`
}
