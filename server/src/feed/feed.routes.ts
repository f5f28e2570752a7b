import { endpoints } from '@tradepost/contract/endpoints'
import type { BearerSession } from '../auth/sessions/authenticate.ts'
import type { Queryable } from '../platform/database.ts'
import type { EndpointRegistry } from '../platform/http/register-endpoints.ts'
import type { LiveFeed } from './live-feed.ts'
import { readVersion } from './read-version.ts'

export function feedRoutes(
  api: EndpointRegistry<BearerSession>,
  { db, feed }: { db: Queryable; feed: LiveFeed },
): void {
  api.stream(endpoints.feed, ({ caller, lastEventId }) => feed.open(caller, lastEventId))
  api.serve(endpoints.feedVersion, ({ caller }) => readVersion(db, caller))
}
