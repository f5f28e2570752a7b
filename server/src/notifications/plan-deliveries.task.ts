import type { Clock } from '../platform/clock.ts'
import type { Queryable } from '../platform/database.ts'
import { defineTask, type Task } from '../platform/queue.ts'
import { positionAnnounced } from '../positions/positions.events.ts'
import { planDeliveries } from './plan-deliveries.ts'

/** Plans the mails of an event the moment it is committed. */
export function planDeliveriesTask(deps: { db: Queryable; clock: Clock }): Task {
  return defineTask(positionAnnounced, (event) => planDeliveries(deps.db, event, deps.clock.now()))
}
