import assert from 'node:assert/strict'
import type Stripe from 'stripe'
import type { Figures } from '../attacks/guess-codes.ts'
import type { TestDatabase } from '../database/database.ts'
import { moneyOf } from './money-of.ts'
import type { StripeSandbox } from './stripe-sandbox.ts'

/** Where the product wrote down what was paid, and where it lies. */
type Books = { pool: TestDatabase['pool']; sandbox: StripeSandbox; stripe: Stripe }

/**
 * Money in = what the traders have + what the platform has + what went back: both by what the product wrote down and by
 * what lies where at Stripe.
 * @param traders everybody who was ever paid, with the account that they have
 * @throws when a cent is missing or too many
 */
export async function followEveryCent(
  { pool, sandbox, stripe }: Books,
  traders: { account: string; userId: string }[],
): Promise<Figures> {
  const written = await readInvoices(pool)
  const total = written.get(null) ?? assert.fail()
  const shown = await readDesks(pool)
  let atTraders = 0
  for (const { account, userId } of traders) {
    const lies = await moneyOf(stripe, account)
    assert.equal(lies, written.get(userId)?.traders ?? 0, 'a trader has another sum than is written here')
    const held = written.get(userId)?.taxHeld ?? 0
    assert.equal(lies - held, shown.get(userId) ?? 0, 'a trader sees another sum than they have')
    atTraders += lies
  }
  const charges = await stripe.charges.list({ limit: 100 }).autoPagingToArray({ limit: 10_000 })
  const paid = charges.filter(({ status }) => status === 'succeeded')
  const moneyIn = sum(paid.map(({ amount }) => amount))
  const refunded = sum(paid.map(({ amount_refunded }) => amount_refunded))
  const disputes = await stripe.disputes.list({ limit: 100 }).autoPagingToArray({ limit: 10_000 })
  // An open one has taken the money, too; by an inquiry the bank takes nothing.
  const isTaken = ({ status }: Stripe.Dispute) => status !== 'won' && !status.startsWith('warning_')
  const lost = sum(disputes.filter(isTaken).map(({ amount }) => amount))
  assert.deepEqual([total.paid, total.refunded, total.lost], [moneyIn, refunded, lost])
  const atPlatform = await moneyOf(stripe, null)
  assert.equal(
    moneyIn,
    atTraders + atPlatform + refunded + lost,
    'money in is not what lies somewhere or went back',
  )
  assert.equal(total.paid - total.refunded - total.lost - total.traders, atPlatform)
  const { liveSubscriptions } = await sandbox.state()
  assert.equal(total.live, liveSubscriptions)
  return {
    payments: paid.length,
    'money in, cents': moneyIn,
    'traders have, cents': atTraders,
    'platform has, cents': atPlatform,
    'refunded, cents': refunded,
    'lost to disputes, cents': lost,
    'difference, cents': moneyIn - atTraders - atPlatform - refunded - lost,
  }
}

type Sums = { paid: number; refunded: number; lost: number; traders: number; taxHeld: number; live: number }

/** @returns what the product knows, in cents, by trader and (null) of all */
async function readInvoices(pool: Books['pool']): Promise<Map<string | null, Sums>> {
  const { rows } = await pool.query<Sums & { trader: string | null }>(
    `select trader_id as trader, sum(amount_paid_cents)::int as paid, sum(refunded_cents)::int as refunded,
       sum(transferred_cents - reversed_cents - fee_cents + fee_refunded_cents)::int as traders,
       sum(tax_held_cents)::int as "taxHeld",
       coalesce(sum(amount_paid_cents - refunded_cents) filter (where dispute_status not like 'warning%' and dispute_status <> 'won'), 0)::int as lost,
       (select count(*)::int from subscriptions where status <> 'canceled') as live
     from invoices group by grouping sets ((), (trader_id))`,
  )
  return new Map(rows.map(({ trader, ...sums }) => [trader, sums]))
}

/** @returns what came in for each trader by the months of their desk, in cents */
async function readDesks(pool: Books['pool']): Promise<Map<string, number>> {
  const { rows } = await pool.query<{ trader: string; cents: number }>(
    'select trader_id as trader, sum(cents)::int as cents from trader_income_months group by 1',
  )
  return new Map(rows.map(({ trader, cents }) => [trader, cents]))
}

const sum = (amounts: number[]) => amounts.reduce((total, amount) => total + amount, 0)
