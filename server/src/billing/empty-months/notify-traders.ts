import { EMPTY_MONTH_NOTICE_MS, type PaidMonth } from '@tradepost/contract/paid-months'
import { DAY_MS } from '@tradepost/contract/trading-day'
import type { MailFacts } from '@tradepost/emails/render'
import { queueMail } from '../../mail/outbox/queue-mail.ts'
import { type Queryable, withTransaction } from '../../platform/database/queryable.ts'
import type { Settings } from '../../platform/settings.ts'
import { tryEach } from '../../platform/sweeps.ts'
import { ENTITLED_STATUSES } from '../entitlements/may-subscribe.ts'
import { JUDGED_AFTER_MS, judge, keptOf, paidMonths } from './judge-months.ts'
import {
  isMailed,
  listToWarn,
  listUntold,
  lockToWarn,
  markWarned,
  type PaidInvoice,
  takeUntold,
} from './paid-invoices.queries.ts'
import { keepSwitch } from './switch.queries.ts'

type Ending = MailFacts<'empty_months_ahead'>['endings'][number]

/**
 * Daily: mails each trader of paid months that end in a week or sooner without anything that reached the follower, and of those that went
 * back since the last time (rule G-127): one mail of each kind a trader and day (UTC), whatever the number of followers. A trader of whom that fails keeps no other one waiting.
 * @throws the first fault, once all were tried: the job is tried again
 */
export async function notifyTraders(
  db: Queryable,
  { returnEmptyMonths }: Pick<Settings, 'returnEmptyMonths'>,
  now: Date,
): Promise<void> {
  const since = await keepSwitch(db, returnEmptyMonths, now)
  await tryEach(
    [...(since === null ? [] : await toWarn(db, since, now)), ...(await toTell(db, now))],
    (tell) => tell(),
  )
}

/** Looked at once a day, so a day earlier: nobody is told with less than a week left. */
async function toWarn(db: Queryable, since: Date, now: Date): Promise<(() => Promise<void>)[]> {
  const ends = (from: number) => new Date(now.getTime() + from + JUDGED_AFTER_MS)
  const span = { after: ends(0), until: ends(EMPTY_MONTH_NOTICE_MS + DAY_MS) }
  const traders = await listToWarn(db, span)
  return traders.map((trader) => () => warn(db, { ...span, ...trader, since }, now))
}

async function toTell(db: Queryable, now: Date): Promise<(() => Promise<void>)[]> {
  const traders = await listUntold(db)
  return traders.map(
    ({ traderId, username }) =>
      () =>
        notifyOfReturns(db, traderId, username ?? '', now),
  )
}

type Warned = { traderId: string; username: string; after: Date; until: Date; since: Date }

function warn(db: Queryable, { since, traderId, username, ...span }: Warned, now: Date): Promise<void> {
  return withTransaction(db, async (tx) => {
    const mail = { kind: 'empty_months_ahead', userId: traderId, cause: dayOf(now) } as const
    if (await isMailed(tx, mail)) return
    const seen: string[] = []
    const empty: { invoice: PaidInvoice; month: PaidMonth; cents: number }[] = []
    for (const invoice of await lockToWarn(tx, { ...span, traderId, statuses: ENTITLED_STATUSES })) {
      const months = paidMonths(invoice)
      const month = months[invoice.judged]
      const cents = keptOf(invoice, invoice.judged, months.length)
      const counts = month && month.start >= since && cents > 0
      const verdict = counts ? await judge(tx, invoice, month) : 'reached'
      if (verdict === 'on its way') continue
      seen.push(invoice.invoiceId)
      if (verdict === 'empty' && month) empty.push({ invoice, month, cents })
    }
    await markWarned(tx, traderId, seen)
    if (empty.length === 0) return
    await queueMail(tx, { ...mail, facts: { trader: username, endings: byDay(empty) } }, now)
  })
}

/** Together by the day of their end and currency, the first one first. */
function byDay(empty: { invoice: PaidInvoice; month: PaidMonth; cents: number }[]): Ending[] {
  const groups = Map.groupBy(empty, ({ invoice, month }) => `${dayOf(month.end)} ${invoice.currency}`)
  return [...groups]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([, alike]) => {
      const starts = alike.map(({ month }) => month.start.getTime())
      const ends = alike.map(({ month }) => month.end.getTime())
      return {
        amountCents: alike.reduce((sum, { cents }) => sum + cents, 0),
        currency: alike[0]?.invoice.currency ?? '',
        followers: new Set(alike.map(({ invoice }) => invoice.subscriberId)).size,
        from: new Date(Math.min(...starts)).toISOString(),
        until: new Date(Math.min(...ends)).toISOString(),
      }
    })
}

function notifyOfReturns(db: Queryable, traderId: string, trader: string, now: Date): Promise<void> {
  return withTransaction(db, async (tx) => {
    const mail = { kind: 'empty_months_returned', userId: traderId, cause: dayOf(now) } as const
    if (await isMailed(tx, mail)) return
    const returns = await takeUntold(tx, traderId, now)
    if (returns.length > 0) await queueMail(tx, { ...mail, facts: { trader, returns } }, now)
  })
}

const dayOf = (instant: Date) => instant.toISOString().slice(0, 10)
