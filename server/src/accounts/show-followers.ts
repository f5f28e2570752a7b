import type { Queryable } from '../platform/database/queryable.ts'
import { refusal } from '../platform/http/refusal.ts'
import type { Caller } from '../platform/http/register-endpoints.ts'
import { updateProfile } from './accounts.queries.ts'

/**
 * Shows on the caller's profile how many follow them, or no longer (rule G-111); nobody is told until they show it.
 * @returns whether it is shown
 * @throws `username_required`: a profile belongs to a name
 */
export async function showFollowers(db: Queryable, caller: Caller, shown: boolean): Promise<boolean> {
  if (!(await updateProfile(db, caller.userId, { followers_shown: shown })))
    throw refusal('username_required')
  return shown
}
