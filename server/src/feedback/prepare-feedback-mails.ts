import type { Prepare } from '../mail/outbox/prepare-mails.ts'
import type { Queryable } from '../platform/database/queryable.ts'
import { findFeedbackById } from './feedback.queries.ts'

/** Reads the feedback and its author; a mail is unneeded when the author has left, since feedback goes with them. */
export function prepareFeedbackMails(deps: { db: Queryable }): Prepare<'feedback'> {
  return async (mails) => {
    const ids = mails.map(({ facts }) => facts.feedbackId)
    const found = new Map((await findFeedbackById(deps.db, ids)).map((row) => [row.id, row]))
    return ids.map((id) => {
      const row = found.get(id)
      if (!row) return null
      const { body, username: author, email: address, created_at } = row
      return { drawn: { body, author, address, at: created_at.toISOString() } }
    })
  }
}
