import type { Queryable } from '../../platform/database/queryable.ts'
import { refundFee, reverseTransfer } from '../../stripe/transfers.ts'
import type { BillingDeps } from '../provider/billing-deps.ts'
import { type DebtOutcome, NOTHING_LEFT } from './debt-outcome.ts'
import type { Debt } from './debts.queries.ts'
import { readInvoice, writeAgain } from './return-payment.ts'
import { overShare } from './trader-share.ts'

/**
 * Leaves the trader their share of a taxed payment (rule G-131, ADR 0135): Stripe passes the tax on and takes its fee of it too. The
 * surplus is taken back from the transfer; where the trader owes the tax, the fee on it goes back to them. Safe to repeat.
 */
export async function tax(deps: BillingDeps, tx: Queryable, debt: Debt, now: Date): Promise<DebtOutcome> {
  const invoice = await readInvoice(deps, debt)
  const { feeId, transfer } = invoice?.payment ?? {}
  const over = invoice && overShare(invoice)
  if (!over || !transfer) return NOTHING_LEFT
  const left = debt.cause
  const cents =
    over > 0
      ? await reverseTransfer(deps, transfer.id, { amountCents: over, refundFee: false, reason: { left } })
      : feeId
        ? await refundFee(deps, feeId, { amountCents: -over, left })
        : 0
  await writeAgain(deps, tx, debt, invoice.id, now)
  return { kind: 'settled', cents }
}
