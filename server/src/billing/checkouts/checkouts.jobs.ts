import type { Queryable } from '../../platform/database/queryable.ts'
import { type DueTable, makeDue } from '../../work/due-rows.queries.ts'

/** Open checkouts, due when Stripe is asked what has become of them. */
export const CHECKOUTS = {
  name: 'checkout_sessions',
  key: { trader_id: 'uuid', id: 'uuid' },
  dueAt: 'look_at',
} as const satisfies DueTable

/** Longer than any request: a checkout that has no page by then was cut off, and nobody will ever know its page. */
export const CUT_OFF_MS = 60_000

/** Has an open checkout looked at at once. */
export function lookAtCheckout(
  db: Queryable,
  { id, traderId }: { traderId: string; id: string },
  now: Date,
): Promise<void> {
  return makeDue(db, CHECKOUTS, [traderId, id], now)
}
