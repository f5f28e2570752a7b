import { fields, nullable, number, text } from '../shape/shape.ts'
import type { Tx } from '../world/world.ts'

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
    | 'payout'
  source: string
  /** For money that is taken back, when it came in, in seconds: it is available no sooner than that. Without it, now. */
  since?: number
}

const atRow = fields({ at: nullable(number) })
const heldRow = fields({ currency: text, amount: number, pending: number })

const DAY = 86_400
/** So long money that came to a connected account is pending (docs.stripe.com/payouts, "T+2"). */
const PENDING_SECONDS = 2 * DAY

/** Payouts are made at the beginning of a day, of what is available then. */
export function nextPayoutTime(from: number): number {
  return Math.ceil(from / DAY) * DAY
}

/**
 * Writes one movement of money on the side of a connected account, or of its bank. The sandbox charges no processing fees,
 * so that sums stay plain: all money that came in is on some account.
 */
export function move(tx: Tx, movement: Movement): void {
  const { account, kind, since = tx.now } = movement
  const atOnce = kind === 'payout'
  const available = atOnce ? tx.now : Math.max(tx.now, since + PENDING_SECONDS)
  enter(tx, movement, available)
  if (!atOnce) planPayout(tx, account, available)
}

/**
 * Writes one movement of money on the platform's side.
 * @returns the id of the balance transaction that Stripe would show
 */
export function movePlatform(tx: Tx, movement: Omit<Movement, 'account' | 'since'>): string {
  const { currency, amount, kind, source } = movement
  enter(tx, { ...movement, account: PLATFORM }, tx.now)
  const transaction = tx.make('balance_transaction', {
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
  tx.add(transaction)
  return transaction.id
}

function enter(tx: Tx, { account, currency, amount, kind, source }: Movement, available: number): void {
  tx.db.run(
    'INSERT INTO ledger (account, currency, amount, kind, source, created, available_on) VALUES (?, ?, ?, ?, ?, ?, ?)',
    account,
    currency,
    amount,
    kind,
    source,
    tx.now,
    available,
  )
}

/** The next payout of an account comes as soon as something of it is available, and no later than was planned. */
function planPayout(tx: Tx, account: string, available: number): void {
  const at = nextPayoutTime(available)
  const planned = tx.db.get(atRow, "SELECT at FROM due WHERE kind = 'pay-out' AND id = ?", account)
  if (planned === undefined || planned.at === null || planned.at > at) tx.schedule('pay-out', account, at)
}

/** The second at which the next of an account's pending money becomes available; null when none is pending. */
export function nextAvailable(tx: Tx, account: string): number | null {
  return (
    tx.db.get(
      atRow,
      'SELECT min(available_on) AS at FROM ledger WHERE account = ? AND available_on > ?',
      account,
      tx.now,
    )?.at ?? null
  )
}

/** The holding of an account in a currency, in cents: `available` and `pending` are its parts, and either can be negative. */
export type Holding = { currency: string; amount: number; available: number; pending: number }

export function balanceOf(tx: Tx, account: string): Holding[] {
  const rows = tx.db.all(
    heldRow,
    `SELECT currency, sum(amount) AS amount, sum(CASE WHEN available_on > ? THEN amount ELSE 0 END) AS pending
     FROM ledger WHERE account = ? GROUP BY currency ORDER BY currency`,
    tx.now,
    account,
  )
  return rows.map((row) => ({ ...row, available: row.amount - row.pending }))
}
