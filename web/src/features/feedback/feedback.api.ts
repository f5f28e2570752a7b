import { useMutation } from '@tanstack/react-query'
import { feedbackEndpoints } from '@tradepost/contract/feedback-endpoints'
import { call } from '../../lib/api.ts'
import { forgetDraft } from '../../lib/use-draft.ts'
import { toast } from '../../ui/toast.ts'

/** Under which name what is typed waits. */
export const FEEDBACK_DRAFT = 'feedback'

/**
 * Sends feedback to the operator, and shows thanks for the library's two seconds (docs/specification.md section 8, rule G-57).
 */
export function useSendFeedback() {
  return useMutation({
    mutationFn: (feedback: string) => call(feedbackEndpoints.sendFeedback, { feedback }),
    onSuccess(_, sent) {
      // Text typed while it was on its way is not lost.
      forgetDraft(FEEDBACK_DRAFT, (draft) => draft === sent)
      toast.success('Thanks for submitting your feedback!')
    },
  })
}
