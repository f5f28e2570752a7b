import type { Tx } from '../world.ts'
import type { Stored } from './objects.ts'

/** The platform's own account in the ledger; connected accounts stand there by their ids. */
export const PLATFORM = 'platform'

export type Movement = {
  account: string
  currency: string
  /** Cents; positive comes in, negative goes out. */
  amount: number
  kind:
    | 'charge'
    | 'payment'
    | 'transfer'
    | 'transfer_refund'
    | 'application_fee'
    | 'application_fee_refund'
    | 'refund'
    | 'adjustment'
  source: string
}

/**
 * Writes one movement of money. On the platform's side it makes the balance transaction that Stripe would show, and
 * answers its id. The sandbox charges no processing fees, so that sums stay plain: what came in is what lies somewhere.
 */
export function move(tx: Tx, movement: Movement): string | null {
  const { account, currency, amount, kind, source } = movement
  tx.db.run(
    'INSERT INTO ledger (account, currency, amount, kind, source, created) VALUES (?, ?, ?, ?, ?, ?)',
    account,
    currency,
    amount,
    kind,
    source,
    tx.now,
  )
  if (account !== PLATFORM) return null
  const transaction = tx.make<Stored>('balance_transaction', {
    amount,
    net: amount,
    fee: 0,
    currency,
    source,
    type: kind,
    balance_type: 'payments',
    available_on: tx.now,
    reporting_category: kind === 'adjustment' ? 'dispute' : kind,
    status: 'available',
  })
  return tx.add(transaction).id
}

/** What an account holds, by currency, in cents. */
export function balanceOf(tx: Tx, account: string): { currency: string; amount: number }[] {
  return tx.db.all<{ currency: string; amount: number }>(
    'SELECT currency, sum(amount) AS amount FROM ledger WHERE account = ? GROUP BY currency ORDER BY currency',
    account,
  )
}
