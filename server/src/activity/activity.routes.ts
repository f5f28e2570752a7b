import { endpoints } from '@tradepost/contract/endpoints'
import type { Queryable } from '../platform/database/queryable.ts'
import type { EndpointRegistry } from '../platform/http/register-endpoints.ts'
import type { Directory } from '../quotes/symbols/directory.ts'
import { keepEvents } from './kept-events.ts'
import { listActivity } from './list-activity.ts'
import { readLatestMailings } from './read-mailings.ts'
import { countUnread, markRead } from './unread.ts'

export function activityRoutes(
  api: EndpointRegistry,
  deps: { db: Queryable; pipelined: Queryable; directory: Directory },
): void {
  const { db } = deps
  const activity = { ...deps, findKeptEvents: keepEvents(deps) }
  api.serve(endpoints.activity, ({ caller, query }) => listActivity(activity, caller, query))
  api.serve(endpoints.unreadActivity, async ({ caller }) => ({ unread: await countUnread(deps, caller) }))
  api.serve(endpoints.markActivityRead, async ({ body, caller }) => ({
    unread: await markRead(deps, caller, body.seen),
  }))
  api.serve(endpoints.mailings, ({ caller }) => readLatestMailings(db, caller))
}
