import { sessionBounds } from '../../auth/sessions/session-life.ts'
import { findLastMailNo } from '../../billing/entitlements/mailing-order.queries.ts'
import type { EventReader } from '../../events/event-reader.ts'
import type { PositionEvent } from '../../events/events.queries.ts'
import { notifyOfPushes } from '../../platform/database/notify.ts'
import type { Queryable } from '../../platform/database/queryable.ts'
import { insertDeliveries, isAnyDeviceOn, readNotifiedTogether } from './planning.queries.ts'
import { endOfLife } from './retry-schedule.ts'

/** Followers whose devices are looked for in one statement. */
const FOLLOWERS_AT_ONCE = 20_000

/**
 * Plans the notifications of an event: a message for each device of people who are mailed it (ADR 0004 and 0063), with a
 * switch of its own. Safe to repeat: ended messages are kept longer than an event can come again. An event that has waited too
 * long to wake anybody for is left alone, and so are events that nobody has to act upon: a settlement, and a price that was taken back with others.
 */
async function planPushes(db: Queryable, event: PositionEvent, now: Date): Promise<void> {
  if (event.kind === 'settled' || now >= endOfLife(event.createdAt) || !(await isAnyDeviceOn(db))) return
  if (event.kind === 'adjusted' && (await readNotifiedTogether(db, event))) return
  const last = await findLastMailNo(db, event.traderId)
  const alive = sessionBounds(now)
  for (let after = 0; after < last; after += FOLLOWERS_AT_ONCE) {
    const part = { after, upTo: after + FOLLOWERS_AT_ONCE, alive }
    if ((await insertDeliveries(db, event, part, now)) > 0) await notifyOfPushes(db)
  }
}

/** Plans the notifications of every event that has followers (ADR 0034). */
export function pushReader(db: Queryable): EventReader {
  return {
    name: 'push',
    from: 'now',
    followersOnly: true,
    handle: (event, now) => planPushes(db, event, now),
  }
}
