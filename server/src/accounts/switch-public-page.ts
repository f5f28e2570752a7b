import type { Queryable } from '../platform/database/queryable.ts'
import { refusal } from '../platform/http/refusal.ts'
import { updatePublicPage } from './accounts.queries.ts'

/**
 * Turns the caller's public page on or off (rule G-109); it is off until they turn it on.
 * @returns whether it is on
 * @throws `username_required`: the name is its address
 */
export async function switchPublicPage(
  db: Queryable,
  caller: { userId: string },
  enabled: boolean,
  now: Date,
): Promise<boolean> {
  if (!(await updatePublicPage(db, caller.userId, enabled, now))) throw refusal('username_required')
  return enabled
}
