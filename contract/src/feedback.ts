import * as z from 'zod/mini'
import { storableText } from './text.ts'

/** What somebody has to say (product.md section 3); `checkFeedback` judges its length. */
export const feedbackPayload = z.object({ feedback: storableText })
export const feedbackAnswer = z.object({ ok: z.literal(true) })
