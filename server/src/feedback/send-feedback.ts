import { keptText } from '@tradepost/contract/kept-text'
import { checkFeedback } from '@tradepost/contract/limits'
import { queueMail } from '../mail/outbox/queue-mail.ts'
import { type Queryable, withTransaction } from '../platform/database/queryable.ts'
import { refusal } from '../platform/http/refusal.ts'
import type { Caller } from '../platform/http/register-endpoints.ts'
import { newId } from '../platform/ids.ts'
import { takeFromLimit } from '../platform/rate-limit.ts'
import type { Settings } from '../platform/settings.ts'
import { insertFeedback } from './feedback.queries.ts'

const FEEDBACK_PER_HOUR_AND_PERSON = 5
const HOUR_SECONDS = 3600

export type FeedbackDeps = { db: Queryable; settings: Settings }

/**
 * Keeps somebody's feedback, and has it mailed to the operator (docs/specification.md section 1, rule G-64). Repeating
 * it changes nothing.
 * @param text as typed; both bounds judge what is kept of it
 * @throws `feedback_length`, `rate_limited`
 */
export async function sendFeedback(
  deps: FeedbackDeps,
  caller: Caller,
  text: string,
  now: Date,
): Promise<void> {
  const refused = checkFeedback(text)
  if (refused) throw refusal(refused)
  if (deps.settings.limitsOn) {
    const limit = {
      key: `feedback:${caller.userId}`,
      max: FEEDBACK_PER_HOUR_AND_PERSON,
      windowSeconds: HOUR_SECONDS,
    }
    await takeFromLimit(deps.db, limit, now)
  }
  const body = keptText(text)
  await withTransaction(deps.db, async (tx) => {
    const feedbackId = newId()
    const isNew = await insertFeedback(tx, { id: feedbackId, user_id: caller.userId, body, created_at: now })
    if (isNew) await queueMail(tx, { kind: 'feedback', userId: null, facts: { feedbackId } }, now)
  })
}
