import type { Queryable } from '../platform/database.ts'
import { deleteMarks } from './marks.queries.ts'

const KEPT_MS = 30 * 86_400_000

/** Forgets what nobody has looked at or held for thirty days. Closes are kept. */
export async function purgeMarks(db: Queryable, now: Date): Promise<void> {
  await deleteMarks(db, new Date(now.getTime() - KEPT_MS))
}
