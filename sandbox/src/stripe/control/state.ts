import { RETRY_ENDING } from '../billing/retries.ts'
import { statusOf } from '../connect/states.ts'
import { itemOf, LIVE } from '../model/billing.ts'
import { fields, nullable, number, text } from '../shape/shape.ts'
import type { Tx } from '../world/world.ts'

/** So many of each kind are listed, the newest first. */
const MOST = 100

const countRow = fields({ n: number })
const waitingRow = fields({
  id: number,
  event: text,
  attempts: number,
  status: nullable(number),
  remark: nullable(text),
})

/** The present content of this small world, for tests and journeys that have no id at hand. */
export function stateOf(tx: Tx): Record<string, unknown> {
  const slice = { limit: MOST }
  const email = (customer: string) => tx.objects.find('customer', customer)?.email ?? null
  const subscriptions = tx.objects.list('subscription', {}, slice)
  const charges = tx.objects.list('charge', {}, slice)
  const accounts = tx.objects.list('v2.core.account', {}, slice)
  return {
    now: iso(tx.now),
    liveSubscriptions: tx.objects.count('subscription', { among: { status: LIVE } }),
    waitingDeliveries: countWaiting(tx),
    retryEnding: tx.settings.read(RETRY_ENDING),
    subscriptions: subscriptions.map((one) => ({
      id: one.id,
      status: one.status,
      customer: one.customer,
      email: email(one.customer),
      periodEnd: iso(itemOf(one).current_period_end),
      cancelAt: one.cancel_at === null ? null : iso(one.cancel_at),
      paused: one.pause_collection !== null,
      testClock: one.test_clock,
    })),
    charges: charges.map(({ id, status, amount, currency, customer, refunded, disputed }) => ({
      id,
      status,
      amount,
      currency,
      email: email(customer),
      refunded,
      disputed,
    })),
    accounts: accounts.map((one) => ({
      id: one.id,
      displayName: one.display_name ?? null,
      transfers: statusOf(one),
      closed: one.closed,
    })),
    deliveries: waiting(tx),
  }
}

function countWaiting(tx: Tx): number {
  return tx.db.get(countRow, "SELECT count(*) AS n FROM deliveries WHERE state = 'waiting'")?.n ?? 0
}

function waiting(tx: Tx): Record<string, unknown>[] {
  const rows = tx.db.all(
    waitingRow,
    "SELECT id, event, attempts, status, remark FROM deliveries WHERE state = 'waiting' ORDER BY id DESC LIMIT ?",
    MOST,
  )
  return rows.map((row) => ({ ...row, type: tx.objects.look(row.event)?.type ?? null }))
}

function iso(seconds: number): string {
  return new Date(seconds * 1000).toISOString()
}
