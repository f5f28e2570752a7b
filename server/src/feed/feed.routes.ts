import { endpoints } from '@tradepost/contract/endpoints'
import type { BearerSession } from '../auth/authenticate.ts'
import type { EndpointRegistry } from '../platform/http/register-endpoints.ts'
import type { LiveFeed } from './live-feed.ts'

export function feedRoutes(api: EndpointRegistry<BearerSession>, feed: LiveFeed): void {
  api.stream(endpoints.feed, ({ caller, lastEventId }) => feed.open(caller, lastEventId))
}
