import type { Queryable } from '../platform/database/queryable.ts'
import { type DeliveryRow, findDelivery } from './mailings.queries.ts'

const DAY_MS = 86_400_000
const FRESH_MS = 5 * 60_000
/** A count of no mails is kept for a shorter time: the first mail makes it false. */
const EMPTY_FRESH_MS = 5000

/** How fast mails went out of all events that were published within a span. */
export type Delivery = Record<'day' | 'week' | 'month', DeliveryRow>

/**
 * How fast mails went out in the last 24 hours, the last seven days and the calendar month before this one (UTC). A process keeps the
 * answer for five minutes, for five seconds while a week had no mail, and the month's until the next begins. Callers at the same time
 * share a count; a count that fails is not kept.
 */
export function keepDelivery(db: Queryable): (now: Date) => Promise<Delivery> {
  let kept: { at: Date; delivery: Promise<Delivery>; freshMs: number } | null = null
  const countMonth = keepMonth(db)
  return (now) => {
    const age = kept === null ? null : now.getTime() - kept.at.getTime()
    if (kept !== null && age !== null && age >= 0 && age < kept.freshMs) return kept.delivery
    const counting = { at: now, delivery: readDelivery(db, countMonth, now), freshMs: FRESH_MS }
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

type CountMonth = (until: Date) => Promise<DeliveryRow>

/** @returns a function that counts the month that ended at an instant, and keeps that count */
function keepMonth(db: Queryable): CountMonth {
  let kept: { until: Date; month: DeliveryRow } | null = null
  return async (until) => {
    if (kept?.until.getTime() !== until.getTime()) {
      const since = new Date(until)
      since.setUTCMonth(since.getUTCMonth() - 1)
      kept = { until, month: await countMails(db, since, until) }
    }
    return kept.month
  }
}

async function readDelivery(db: Queryable, countMonth: CountMonth, now: Date): Promise<Delivery> {
  // Events of this instant belong to the day too.
  const until = new Date(now.getTime() + 1)
  const within = (days: number) => countMails(db, new Date(now.getTime() - days * DAY_MS), until)
  const monthBegan = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth()))
  const [day, week, month] = await Promise.all([within(1), within(7), countMonth(monthBegan)])
  return { day, week, month }
}

async function countMails(db: Queryable, since: Date, until: Date): Promise<DeliveryRow> {
  const [row] = await findDelivery(db, { since, until })
  return row ?? { events: 0, mails: 0, half: null, most: null, nearlyAll: null }
}
