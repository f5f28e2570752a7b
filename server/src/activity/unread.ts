import { notifyOfPerson } from '../platform/database/notify.ts'
import type { Queryable } from '../platform/database/queryable.ts'
import type { Caller } from '../platform/http/register-endpoints.ts'
import { writeRead } from './activity.queries.ts'
import { readSeenText, writeSeen } from './cursor.ts'
import { type ActivityDeps, countUnreadOf, findUnread } from './find-activity.ts'
import type { View } from './kept-events.ts'

/** Of so many traders at most is read at a time: the text of what was seen has an end. Of others it is with the next page. */
const TRADERS_MAX_COUNT = 100

type UnreadDeps = { db: Queryable; pipelined: Queryable }

/** How many items the caller has not seen, on any device; no more than `ACTIVITY_UNREAD_MAX_COUNT`. */
export function countUnread(deps: UnreadDeps, caller: Caller): Promise<number> {
  return countUnreadOf(deps, caller.userId)
}

/** What marks as read all that is unread now; null when nothing is. @param view as `findView` answers */
export async function readSeen(
  deps: ActivityDeps,
  caller: Caller,
  view: View | null,
): Promise<string | null> {
  return writeSeen(await findUnread(deps, caller.userId, view, TRADERS_MAX_COUNT))
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
