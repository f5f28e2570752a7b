import { centsOfEmptyMonth, monthsOf, type PaidMonth } from '@tradepost/contract/paid-months'
import { DAY_MS } from '@tradepost/contract/trading-day'
import { type Queryable, withTransaction } from '../../platform/database/queryable.ts'
import type { Settings } from '../../platform/settings.ts'
import { type Sweep, tryEach } from '../../platform/sweeps.ts'
import { oweDebt } from '../debts/debts.queries.ts'
import { emptyMonthDebt } from '../debts/debts.ts'
import {
  type InvoiceKey,
  listToDate,
  listToJudge,
  lockToJudge,
  type PaidInvoice,
  type Place,
  storeJudged,
} from './paid-invoices.queries.ts'
import { findReach, listSpoken } from './reach.queries.ts'
import { keepSwitch } from './switch.queries.ts'

const HOUR_MS = 3_600_000
/** An event of the month's last second is committed and mailed by then. */
export const JUDGED_AFTER_MS = HOUR_MS
/** While a mail is on its way a month waits for it so long, which is longer than any mail is tried. */
const WAITS_AT_MOST_MS = 5 * DAY_MS
/** Payments of one list. */
const BATCH = 200

/**
 * Hourly: owes the return of each paid month that has ended and in which nothing of its trader reached the follower (rule G-127). Workers
 * that were away catch up on all of them; a month is judged once. A payment of which that fails is tried again by the next run, and keeps no
 * other one waiting.
 * @throws the first fault, once all were tried
 */
export function judgeEmptyMonths(
  db: Queryable,
  { returnEmptyMonths }: Pick<Settings, 'returnEmptyMonths'>,
): Sweep {
  return {
    name: 'empty months',
    async run(now) {
      const since = await keepSwitch(db, returnEmptyMonths, now)
      if (since === null) return
      await tryEach(allDue(db, now), (key) => judgeNext(db, key, since, now))
    },
  }
}

/**
 * Each payment that is due, once: the lists go on behind the last one, whatever became of it. So a run ends that cannot judge some, or finds
 * them in the hands of another worker.
 */
async function* allDue(db: Queryable, now: Date): AsyncGenerator<InvoiceKey> {
  for (const list of [listToJudge, listToDate]) {
    let after: Place | null = null
    do {
      const due: Place[] = await list(db, { after, now, limit: BATCH })
      yield* due
      after = due.length < BATCH ? null : (due.at(-1) ?? null)
    } while (after !== null)
  }
}

/** Judges what has ended of a payment, in one transaction with the debts. */
function judgeNext(db: Queryable, key: InvoiceKey, since: Date, now: Date): Promise<void> {
  return withTransaction(db, async (tx) => {
    const invoice = await lockToJudge(tx, key, now)
    if (!invoice) return
    const months = paidMonths(invoice)
    for (let nth = invoice.judged; ; nth += 1) {
      const month = months[nth]
      if (!month) return storeJudged(tx, key, { judged: nth, judgeAt: null })
      const judgeAt = new Date(month.end.getTime() + JUDGED_AFTER_MS)
      if (judgeAt > now) return storeJudged(tx, key, { judged: nth, judgeAt })
      const counts = month.start >= since && keptOf(invoice, nth, months.length) > 0
      const verdict = counts ? await judge(tx, invoice, month) : 'reached'
      if (verdict === 'on its way' && now.getTime() < month.end.getTime() + WAITS_AT_MOST_MS)
        return storeJudged(tx, key, { judged: nth, judgeAt: new Date(now.getTime() + HOUR_MS) })
      if (verdict === 'reached') continue
      const of = { id: invoice.stripeId, currency: invoice.currency }
      await oweDebt(tx, invoice, emptyMonthDebt(of, invoice.invoiceId, month.start), now)
    }
  })
}

/** The months of what a payment was for. */
export function paidMonths({ anchor, periodEnd, periodStart }: PaidInvoice): PaidMonth[] {
  return monthsOf({ start: periodStart, end: periodEnd }, anchor)
}

/** Cents that would go back of a month by the figures that are stored here; Stripe’s count once it does.  */
export function keptOf(invoice: PaidInvoice, nth: number, count: number): number {
  const { endedAt, periodEnd } = invoice
  const endedEarly = endedAt !== null && endedAt < periodEnd
  return centsOfEmptyMonth({ ...invoice, disputedCents: 0, endedEarly }, nth, count)
}

/** Whether anything of a trader reached a follower in a month. */
export async function judge(
  tx: Queryable,
  invoice: PaidInvoice,
  month: PaidMonth,
): Promise<'reached' | 'on its way' | 'empty'> {
  const spoken = await listSpoken(tx, invoice.traderId, month)
  if (spoken.length === 0) return 'empty'
  const { onItsWay, reached } = await findReach(tx, invoice, spoken)
  if (reached) return 'reached'
  return onItsWay ? 'on its way' : 'empty'
}
