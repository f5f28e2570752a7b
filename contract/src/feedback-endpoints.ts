import type { Endpoint } from './endpoint.ts'
import { feedbackAnswer, feedbackPayload } from './feedback.ts'

/** The call of the feedback panel. */
export const feedbackEndpoints = {
  sendFeedback: {
    method: 'POST',
    path: '/v1/feedback',
    body: feedbackPayload,
    status: 201,
    answer: feedbackAnswer,
  },
} as const satisfies Record<string, Endpoint>
