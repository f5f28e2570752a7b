import { ACTIVITY_UNREAD_MAX_COUNT } from '@tradepost/contract/limits'
import type { Queryable } from '../platform/database.ts'
import type { Caller } from '../platform/http/register-endpoints.ts'
import { notifyOfPerson } from '../platform/notify.ts'
import { writeRead } from './activity.queries.ts'
import { readSeenText, writeSeen } from './cursor.ts'
import { findUnread } from './find-activity.ts'
import type { UnreadOfTrader } from './shown-events.ts'

/** Of so many traders at most is read at a time: the text of what was seen has an end. Of others it is with the next page. */
const TRADERS_MAX_COUNT = 100

/** How many items the caller has not seen, on any device; no more than `ACTIVITY_UNREAD_MAX_COUNT`. */
export async function countUnread(db: Queryable, caller: Caller): Promise<number> {
  const unread = await find(db, caller)
  return Math.min(
    unread.reduce((sum, { count }) => sum + count, 0),
    ACTIVITY_UNREAD_MAX_COUNT,
  )
}

/** What marks as read all that is unread now; null when nothing is. */
export async function readSeen(db: Queryable, caller: Caller): Promise<string | null> {
  const unread = await find(db, caller)
  return writeSeen(unread.map(({ lastEventNo, traderId }) => ({ traderId, eventNo: lastEventNo })))
}

/**
 * Marks as read what `readSeen` answered, and everything before it. Repeated, or after a newer one, it changes nothing.
 * @returns how many are unread then
 * @throws `bad_request` for another text
 */
export async function markRead(db: Queryable, caller: Caller, text: string): Promise<number> {
  const seen = readSeenText(text)
  await writeRead(db, {
    viewerId: caller.userId,
    traderIds: seen.map(({ traderId }) => traderId),
    eventNos: seen.map(({ eventNo }) => eventNo),
  })
  await notifyOfPerson(db, 'activity', caller.userId)
  return countUnread(db, caller)
}

function find(db: Queryable, { userId }: Caller): Promise<UnreadOfTrader[]> {
  return findUnread(db, { viewerId: userId, traders: TRADERS_MAX_COUNT, events: ACTIVITY_UNREAD_MAX_COUNT })
}
