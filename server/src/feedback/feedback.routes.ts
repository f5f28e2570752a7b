import { endpoints } from '@tradepost/contract/endpoints'
import type { ApiDoor } from '../platform/http/api-door.ts'
import { type FeedbackDeps, sendFeedback } from './send-feedback.ts'

export function feedbackRoutes(door: ApiDoor, deps: FeedbackDeps): void {
  door.serve(endpoints.sendFeedback, async ({ caller, body, now }) => {
    await sendFeedback(deps, caller, body.feedback, now)
    return { ok: true as const }
  })
}
