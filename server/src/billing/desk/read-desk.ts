import {
  DESK_MONTHS_COUNT,
  type DeskIncome,
  type FollowersAtPrice,
  TAKEN_OFF_MAX,
  type TraderDesk,
} from '@tradepost/contract/desk'
import { ofMonth, tradersPart } from '@tradepost/contract/price-parts'
import type { Queryable } from '../../platform/database/queryable.ts'
import { ENTITLED_STATUSES } from '../entitlements/may-subscribe.ts'
import { countSubscribers } from '../entitlements/subscriptions.queries.ts'
import {
  countTrials,
  listFollowerMonths,
  listIncomeMonths,
  listPaidAlike,
  listReturnedMonths,
  listTakenOff,
  type PaidAlike,
} from './desk.queries.ts'

/**
 * A trader's own figures: who follows, who came and went by month, and what came in (ADR 0056). From
 * this database alone, some rows a trader however many follow them.
 * @param now UTC
 */
export async function readDesk(
  db: Queryable,
  { userId }: { userId: string },
  now: Date,
): Promise<TraderDesk> {
  const yearAgo = new Date(Date.UTC(now.getUTCFullYear() - 1, now.getUTCMonth(), now.getUTCDate()))
  const [followers, changes, income, paid, returned, takenOff, trials] = await Promise.all([
    countSubscribers(db, userId, ENTITLED_STATUSES),
    listFollowerMonths(db, userId),
    listIncomeMonths(db, userId),
    listPaidAlike(db, userId, ENTITLED_STATUSES),
    listReturnedMonths(db, userId),
    listTakenOff(db, { traderId: userId, since: yearAgo, limit: TAKEN_OFF_MAX }),
    countTrials(db, userId),
  ])
  const changed = new Map(changes.map((change) => [change.month, change]))
  const months = lastMonths(now, DESK_MONTHS_COUNT)
  return {
    followers,
    months: months.map((month) => changed.get(month) ?? { month, gained: 0, lost: 0 }),
    income: sumIncome(income, months),
    prices: byPrice(paid),
    ahead: sumAhead(paid),
    returned,
    ...(takenOff.length > 0 && {
      takenOff: takenOff.map((one) => ({ ...one, at: one.at.toISOString() })),
    }),
    ...(trials.began > 0 && { trials }),
  }
}

/** The months in UTC up to that of an instant, newest first, as `2026-11`. */
function lastMonths(now: Date, count: number): string[] {
  return Array.from({ length: count }, (_, back) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back)).toISOString().slice(0, 7),
  )
}

/** @param months newest first, of which the first is this one */
function sumIncome(
  income: { month: string; currency: string; cents: number }[],
  [thisMonth, lastMonth]: string[],
): DeskIncome[] {
  return [...Map.groupBy(income, ({ currency }) => currency)].map(([currency, rows]) => ({
    currency,
    thisMonthCents: rows.find(({ month }) => month === thisMonth)?.cents ?? 0,
    lastMonthCents: rows.find(({ month }) => month === lastMonth)?.cents ?? 0,
    allCents: rows.reduce((sum, { cents }) => sum + cents, 0),
  }))
}

/** Fees and discounts make no difference to how many pay a price: both differ among them. */
function byPrice(paid: PaidAlike[]): FollowersAtPrice[] {
  const alike = Map.groupBy(
    paid,
    ({ currency, interval, priceCents }) => `${currency} ${interval} ${priceCents}`,
  )
  const add = (rows: PaidAlike[], part: 'followers' | 'ending') =>
    rows.reduce((sum, row) => sum + row[part], 0)
  return [...alike.values()]
    .flatMap((rows) => {
      const [one] = rows
      if (!one) return []
      const { currency, interval, priceCents } = one
      return [
        { priceCents, currency, interval, followers: add(rows, 'followers'), ending: add(rows, 'ending') },
      ]
    })
    .toSorted((one, other) => other.followers - one.followers)
}

function sumAhead(paid: PaidAlike[]): { currency: string; cents: number }[] {
  const ahead = new Map<string, number>()
  for (const { currency, ending, feePercent, followers, interval, renewalCents, taxCents } of paid) {
    const part = tradersPart(renewalCents - taxCents, feePercent ?? 0)
    const cents = ofMonth(part, interval) * (followers - ending)
    ahead.set(currency, (ahead.get(currency) ?? 0) + cents)
  }
  return [...ahead].map(([currency, cents]) => ({ currency, cents }))
}
