import { activityAnswer, activityQuery, activityReadPayload, mailingsAnswer } from './activity.ts'
import type { Endpoint } from './endpoint.ts'
import { unreadAnswer } from './unread-endpoints.ts'

/** Calls about what was published while the caller was entitled to it (ADR 0062). */
export const activityEndpoints = {
  activity: {
    method: 'GET',
    path: '/v1/activity',
    query: activityQuery,
    answer: activityAnswer,
  },
  markActivityRead: {
    method: 'POST',
    path: '/v1/activity/read',
    body: activityReadPayload,
    answer: unreadAnswer,
  },
  mailings: {
    method: 'GET',
    path: '/v1/activity/mailings',
    answer: mailingsAnswer,
  },
} as const satisfies Record<string, Endpoint>
