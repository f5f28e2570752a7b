import type { Queryable } from '../platform/database.ts'
import { type DeliveryRow, findDelivery } from './mailings.queries.ts'

const DAY_MS = 86_400_000
const FRESH_MS = 5 * 60_000
/** That nothing went out is soon untrue. */
const EMPTY_FRESH_MS = 5000

/** How all mails of positions went that were published within a span. Seconds are decimal texts; null without a mail. */
export type Delivery = Record<'day' | 'week', DeliveryRow>

/**
 * How mails went in the last day and the last week, counted at most every five minutes a process, or five seconds while there were none: whoever asks after that waits, and
 * all who ask meanwhile wait for the same count.
 */
export function keepDelivery(db: Queryable): (now: Date) => Promise<Delivery> {
  let kept: { at: Date; delivery: Promise<Delivery>; freshMs: number } | null = null
  return (now) => {
    const age = kept === null ? null : now.getTime() - kept.at.getTime()
    if (kept !== null && age !== null && age >= 0 && age < kept.freshMs) return kept.delivery
    const counting = { at: now, delivery: readDelivery(db, now), freshMs: FRESH_MS }
    kept = counting
    counting.delivery.then(
      ({ week }) => {
        if (week.mails === 0) counting.freshMs = EMPTY_FRESH_MS
      },
      () => {
        if (kept === counting) kept = null
      },
    )
    return counting.delivery
  }
}

async function readDelivery(db: Queryable, now: Date): Promise<Delivery> {
  const within = async (days: number) => {
    const [row] = await findDelivery(db, { since: new Date(now.getTime() - days * DAY_MS) })
    return row ?? { events: 0, mails: 0, half: null, most: null, nearlyAll: null }
  }
  const [day, week] = await Promise.all([within(1), within(7)])
  return { day, week }
}
