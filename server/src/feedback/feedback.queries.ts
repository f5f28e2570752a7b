import { type Insertable, sql } from 'kysely'
import type { Queryable } from '../platform/database/queryable.ts'
import type { Feedback } from '../platform/database/schema.ts'

/** @returns whether it is new: the same words of the same person are kept once */
export async function insertFeedback(db: Queryable, feedback: Insertable<Feedback>): Promise<boolean> {
  const result = await db
    .insertInto('feedback')
    .values(feedback)
    .onConflict((conflict) => conflict.columns(['user_id', 'body']).doNothing())
    .executeTakeFirst()
  return result.numInsertedOrUpdatedRows === 1n
}

export type FeedbackRow = {
  id: string
  body: string
  created_at: Date
  email: string
  username: string | null
}

function withAuthors(db: Queryable) {
  return db
    .selectFrom('feedback')
    .innerJoin('users', 'users.id', 'feedback.user_id')
    .leftJoin('accounts', 'accounts.user_id', 'feedback.user_id')
    .select(['feedback.id', 'feedback.body', 'feedback.created_at', 'users.email', 'accounts.username'])
    .$narrowType<{ email: string }>()
}

/** These entries, with their authors. */
export function findFeedbackById(db: Queryable, ids: string[]): Promise<FeedbackRow[]> {
  return withAuthors(db).where(sql<boolean>`feedback.id = any(${ids}::uuid[])`).execute()
}

/** The newest first, with their authors. @param olderThan the id of an entry: those before it in time alone */
export function findFeedback(db: Queryable, olderThan: string | null, limit: number): Promise<FeedbackRow[]> {
  return withAuthors(db)
    .$if(olderThan !== null, (query) =>
      query.where(
        sql<boolean>`(feedback.created_at, feedback.id) < (select created_at, id from feedback where id = ${olderThan})`,
      ),
    )
    .orderBy('feedback.created_at', 'desc')
    .orderBy('feedback.id', 'desc')
    .limit(limit)
    .execute()
}
