import { endpoints } from '@tradepost/contract/endpoints'
import type { EndpointRegistry } from '../platform/http/register-endpoints.ts'
import { type FeedbackDeps, sendFeedback } from './send-feedback.ts'

export function feedbackRoutes(api: EndpointRegistry, deps: FeedbackDeps): void {
  api.serve(endpoints.sendFeedback, async ({ caller, body, now }) => {
    await sendFeedback(deps, caller, body.feedback, now)
    return { ok: true as const }
  })
}
