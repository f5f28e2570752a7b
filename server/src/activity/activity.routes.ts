import { endpoints } from '@tradepost/contract/endpoints'
import type { Queryable } from '../platform/database.ts'
import type { EndpointRegistry } from '../platform/http/register-endpoints.ts'
import { listActivity } from './list-activity.ts'
import { readLatestMailings } from './read-mailings.ts'
import { countUnread, markRead } from './unread.ts'

export function activityRoutes(api: EndpointRegistry, { db }: { db: Queryable }): void {
  api.serve(endpoints.activity, ({ caller, query }) => listActivity(db, caller, query))
  api.serve(endpoints.unreadActivity, async ({ caller }) => ({ unread: await countUnread(db, caller) }))
  api.serve(endpoints.markActivityRead, async ({ body, caller }) => ({
    unread: await markRead(db, caller, body.seen),
  }))
  api.serve(endpoints.mailings, ({ caller }) => readLatestMailings(db, caller))
}
