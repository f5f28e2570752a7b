import type { Mailing, MailingsAnswer } from '@tradepost/contract/activity'
import { activityItemId } from '@tradepost/contract/activity-item'
import { MAILINGS_COUNT } from '@tradepost/contract/limits'
import type { Queryable } from '../platform/database/queryable.ts'
import type { Caller } from '../platform/http/register-endpoints.ts'
import { findLatestEvents, findMailings, type MailingRow } from './mailings.queries.ts'

/** An event of the caller's own. */
type Published = { eventNo: number; publishedAt: Date }

/** How fast the mails of the caller's own events reached their followers, by the event's number. */
export async function readMailings(
  db: Queryable,
  caller: Caller,
  events: readonly Published[],
): Promise<Map<number, Mailing>> {
  if (events.length === 0) return new Map()
  const rows = await findMailings(db, {
    traderId: caller.userId,
    eventNos: events.map(({ eventNo }) => eventNo),
    publishedAt: events.map(({ publishedAt }) => publishedAt),
  })
  return new Map(rows.map((row) => [row.eventNo, present(row)]))
}

/** The same of the caller's latest events, the newest first. */
export async function readLatestMailings(db: Queryable, caller: Caller): Promise<MailingsAnswer> {
  const events = await findLatestEvents(db, { traderId: caller.userId, limit: MAILINGS_COUNT })
  const mailings = await readMailings(
    db,
    caller,
    events.map(({ at, eventNo }) => ({ eventNo, publishedAt: at })),
  )
  return {
    events: events.flatMap(({ at, eventNo, kind, symbol, username }) => {
      const mailing = mailings.get(eventNo)
      if (!mailing || username === null) return []
      return { id: activityItemId(username, eventNo), kind, at: at.toISOString(), symbol, mailing }
    }),
  }
}

/** The seconds are null until all mails have gone: before, they would be those of the first and fastest ones. */
function present({ done, halfSeconds, mostSeconds, sent }: MailingRow): Mailing {
  const isComplete = done && halfSeconds !== null && mostSeconds !== null
  return {
    sent,
    done,
    halfSeconds: isComplete ? Number(halfSeconds) : null,
    mostSeconds: isComplete ? Number(mostSeconds) : null,
  }
}
