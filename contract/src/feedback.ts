import * as z from 'zod/mini'
import { limited } from './limited.ts'
import { FEEDBACK_MAX_LENGTH, FEEDBACK_MIN_LENGTH } from './limits.ts'
import { storableText } from './text.ts'

/** A person's feedback (docs/specification.md section 3); `checkFeedback` judges its length. */
export const feedbackPayload = z.object({
  feedback: limited(storableText(), {
    description: 'Counted in UTF-16 units, without blanks around it.',
    minLength: FEEDBACK_MIN_LENGTH,
    maxLength: FEEDBACK_MAX_LENGTH,
  }),
})
export const feedbackAnswer = z.object({ ok: z.literal(true) })
