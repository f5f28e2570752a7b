import type { Endpoint } from './endpoint.ts'
import { feedMessage, feedVersionAnswer } from './feed.ts'

/** Calls about events, as they happen. */
export const feedEndpoints = {
  feed: {
    method: 'GET',
    path: '/v1/feed',
    answer: feedMessage,
    streams: true,
  },
  feedVersion: {
    method: 'GET',
    path: '/v1/feed/version',
    answer: feedVersionAnswer,
  },
} as const satisfies Record<string, Endpoint>
