import { notifyOfPerson } from '../platform/database/notify.ts'
import type { Queryable } from '../platform/database/queryable.ts'
import type { Caller } from '../platform/http/register-endpoints.ts'
import { writeRead } from './activity.queries.ts'
import { readSeenText } from './cursor.ts'
import { countUnreadOf } from './find-activity.ts'

type UnreadDeps = { db: Queryable; pipelined: Queryable }

/** How many items the caller has not seen, on any device; no more than `ACTIVITY_UNREAD_MAX_COUNT`. */
export function countUnread(deps: UnreadDeps, caller: Caller): Promise<number> {
  return countUnreadOf(deps, caller.userId)
}

/**
 * Marks as read what `readSeen` answered, and everything before it. Repeated, or after a newer one, it changes nothing.
 * @returns how many are unread then
 * @throws `bad_request` for another text
 */
export async function markRead(deps: UnreadDeps, caller: Caller, text: string): Promise<number> {
  const seen = readSeenText(text)
  await writeRead(deps.db, {
    viewerId: caller.userId,
    traderIds: seen.map(({ traderId }) => traderId),
    eventNos: seen.map(({ eventNo }) => eventNo),
  })
  await notifyOfPerson(deps.db, 'activity', caller.userId)
  return countUnread(deps, caller)
}
