import { noteCause } from '../../mail/outbox/operator-notices.queries.ts'
import { queueMail } from '../../mail/outbox/queue-mail.ts'
import type { Queryable } from '../../platform/database/queryable.ts'
import type { Sweep } from '../../platform/sweeps.ts'
import { withProviderLock } from '../provider/provider-lock.ts'
import { type CardMonth, countCardMonth } from './card-month.queries.ts'

type CardLimit = {
  /** Hundredths of a percent of the payments; reached, it counts. */
  share: number
  alarm: string
}

/** A network's limit is 1.5 % (since April 2026). The first limit leaves time to act, the second wants somebody now. */
export const CARD_LIMITS: readonly CardLimit[] = [
  { share: 75, alarm: 'TradepostCardsOver' },
  { share: 40, alarm: 'TradepostCardsNear' },
]

/** With fewer warnings and disputes a month says nothing: one of three payments would be 33 %. Networks, too, look from a number on. */
export const LEAST_COUNTED = 5

/** @returns the month of an instant (UTC); its end belongs to the next one */
export function monthOf(now: Date): { start: Date; end: Date } {
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()]
  return { start: new Date(Date.UTC(year, month, 1)), end: new Date(Date.UTC(year, month + 1, 1)) }
}

/** The limits that a month has reached, the highest first. */
export function reachedLimits({ disputes, payments, warnings }: CardMonth): CardLimit[] {
  const counted = warnings + disputes
  if (counted < LEAST_COUNTED) return []
  return CARD_LIMITS.filter(({ share }) => counted * 10_000 >= share * payments)
}

/** How a month stands, in words: `4 warnings and 1 dispute in 1,000 payments of this month, 0.50 %`. */
export function describeMonth({ disputes, payments, warnings }: CardMonth): string {
  const of = (count: number, one: string) =>
    `${count.toLocaleString('en-US')} ${one}${count === 1 ? '' : 's'}`
  const counted = `${of(warnings, 'warning')} and ${of(disputes, 'dispute')}`
  const share =
    payments === 0 ? '' : `, ${(Math.round(((warnings + disputes) * 10_000) / payments) / 100).toFixed(2)} %`
  return `${counted} in ${of(payments, 'payment')} of this month${share}`
}

/** Hourly: mails the operator when the warnings and disputes of a month reach a limit, once for each month and limit. */
export function watchCards(db: Queryable): Sweep {
  return {
    name: 'warnings and disputes',
    async run(now) {
      const span = monthOf(now)
      const month = await countCardMonth(db, span)
      const reached = reachedLimits(month)
      if (reached.length === 0) return
      // Two workers at once mail once.
      await withProviderLock(db, 'cards', async (tx) => {
        const fresh: CardLimit[] = []
        for (const limit of reached) {
          const kind = `cards ${span.start.toISOString().slice(0, 7)} ${limit.alarm}`
          if ((await noteCause(tx, kind, now)) === null) fresh.push(limit)
        }
        if (fresh[0]) await tell(tx, month, fresh[0], now)
      })
    },
  }
}

function tell(tx: Queryable, month: CardMonth, { alarm, share }: CardLimit, now: Date): Promise<void> {
  const stands = describeMonth(month)
  const facts = {
    subject: `payments: warnings and disputes have reached ${(share / 100).toFixed(2)} %`,
    text: `${stands}.\n\nCard networks decide by it whether a platform may take cards. What to do stands under ${alarm} in docs/operations.md.\n`,
  }
  return queueMail(tx, { kind: 'operator_notice', userId: null, cause: `alert:${alarm}`, facts }, now)
}
