import * as z from 'zod/mini'
import type { Endpoint } from './endpoint.ts'

/** How many items of Activity are unread; counted up to `ACTIVITY_UNREAD_MAX_COUNT`. */
export const unreadAnswer = z.object({ unread: z.int() })

/** Apart from the other calls of Activity: every screen asks it. */
export const unreadEndpoints = {
  unreadActivity: {
    method: 'GET',
    path: '/v1/activity/unread',
    answer: unreadAnswer,
  },
} as const satisfies Record<string, Endpoint>
