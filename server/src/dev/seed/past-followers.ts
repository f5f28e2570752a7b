import { changeStatus, recordSubscription } from '../../billing/entitlements/entitlement.ts'
import { type Queryable, withTransaction } from '../../platform/database/queryable.ts'
import { addMonths } from './followings.ts'
import { insertPastPayments, listFollowings, type PastPayment } from './past-events.queries.ts'

/** The price of a month; `feePercent` of it is the platform's, null where nobody pays. */
export type Money = { priceCents: number; currency: string; feePercent: number | null }

type Following = { traderId: string; subscriberId: string; since: Date; until: Date | null }

/** Writes that somebody follows a trader, or did, as it was written at the time. Stripe knows nothing of it. */
export async function insertFollowing(
  db: Queryable,
  { since, traderId, subscriberId, until }: Following,
  { currency, priceCents }: Money,
  now: Date,
): Promise<void> {
  const facts = {
    status: 'active' as const,
    currentPeriodEnd: nextMonth(since, until ?? now),
    cancelAt: null,
  }
  await withTransaction(db, async (tx) => {
    const pair = { traderId, subscriberId, stripeSubscriptionId: null, priceCents, currency }
    const id = await recordSubscription(tx, { ...facts, ...pair }, since)
    if (until) await changeStatus(tx, { traderId, id }, { ...facts, status: 'canceled' }, until)
  })
}

/**
 * Writes the payments of a trader's followers up to last month (UTC). For this month those who still follow have paid Stripe just now.
 */
export async function payPastMonths(
  db: Queryable,
  traderId: string,
  { currency, feePercent, priceCents: cents }: Money,
  now: Date,
): Promise<void> {
  if (feePercent === null) return
  const feeCents = Math.round((cents * feePercent) / 100)
  for (const { endedAt, id, startedAt } of await listFollowings(db, traderId)) {
    const months: PastPayment[] = []
    for (let nth = 0; ; nth += 1) {
      const [paidAt, until] = [addMonths(startedAt, nth), addMonths(startedAt, nth + 1)]
      if (endedAt ? until > endedAt : paidAt >= firstOfMonth(now)) break
      months.push({ paidAt, until, cents, feeCents, currency })
    }
    await insertPastPayments(db, { traderId, id }, months)
  }
}

/** The first day of the same number that is not before an instant. */
function nextMonth(since: Date, instant: Date): Date {
  let nth = 1
  while (addMonths(since, nth) < instant) nth += 1
  return addMonths(since, nth)
}

function firstOfMonth(instant: Date): Date {
  return new Date(Date.UTC(instant.getUTCFullYear(), instant.getUTCMonth()))
}
