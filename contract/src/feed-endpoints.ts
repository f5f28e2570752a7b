import type { Endpoint } from './endpoint.ts'
import { feedMessage } from './feed.ts'

/** What happens, as it happens. */
export const feedEndpoints = {
  feed: {
    method: 'GET',
    path: '/v1/feed',
    answer: feedMessage,
    streams: true,
  },
} as const satisfies Record<string, Endpoint>
