import { useMutation } from '@tanstack/react-query'
import { feedbackEndpoints } from '@tradepost/contract/feedback-endpoints'
import { call } from '../../lib/api.ts'
import { toast } from '../../ui/toast.ts'

/**
 * Tells the operator something, and says thanks for the library's two seconds (docs/specification.md section 8, decision G-57).
 */
export function useSendFeedback() {
  return useMutation({
    mutationFn: (feedback: string) => call(feedbackEndpoints.sendFeedback, { feedback }),
    onSuccess: () => toast.success('Thanks for submitting your feedback!'),
  })
}
