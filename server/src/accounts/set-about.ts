import { keptText } from '@tradepost/contract/kept-text'
import { checkAbout } from '@tradepost/contract/limits'
import type { Queryable } from '../platform/database/queryable.ts'
import { refusal } from '../platform/http/refusal.ts'
import type { Caller } from '../platform/http/register-endpoints.ts'
import { updateProfile } from './accounts.queries.ts'

/**
 * Keeps what a trader says about themselves on their profile (rule G-111), or takes it away.
 * @param typed judged and kept as notes are (rule G-13)
 * @returns the text as it is kept, empty without one
 * @throws `about_too_long`; `username_required`, since a profile belongs to a name
 */
export async function setAbout(db: Queryable, caller: Caller, typed: string): Promise<string> {
  const refused = checkAbout(typed)
  if (refused) throw refusal(refused)
  const about = keptText(typed)
  if (!(await updateProfile(db, caller.userId, { about: about === '' ? null : about })))
    throw refusal('username_required')
  return about
}
