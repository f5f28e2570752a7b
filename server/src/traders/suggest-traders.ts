import { formatGain } from '@tradepost/contract/gain'
import { SUGGESTIONS_MAX_COUNT, USERNAME_MAX_LENGTH, USERNAME_MIN_LENGTH } from '@tradepost/contract/limits'
import type { TraderSuggestions } from '@tradepost/contract/traders'
import { readUsername } from '@tradepost/contract/typed-name'
import { checkUsernameLetters } from '@tradepost/contract/username'
import { readListed } from '../events/read-published.ts'
import type { Queryable } from '../platform/database.ts'
import type { Caller } from '../platform/http/register-endpoints.ts'
import { takeFromLimit } from '../platform/rate-limit.ts'
import { namesNear } from './near-names.ts'
import { type KnownTrader, listByBeginning, listByName } from './suggestions.queries.ts'
import type { TradersDeps } from './trader-profile.ts'

/** Somebody who types asks a few times a word; a program that reads all names out asks more. */
const SUGGESTIONS_PER_MINUTE_AND_PERSON = 60

/**
 * Traders for somebody who looks for one: those whose name begins with what is typed, else those whose name is one letter
 * away from it. Only traders with a closed position who are not suspended, and of them what the leaderboard shows (decision G-35).
 * @param text as typed
 * @throws `rate_limited`
 */
export async function suggestTraders(
  deps: TradersDeps,
  caller: Caller,
  text: string,
  now: Date,
): Promise<TraderSuggestions> {
  if (deps.settings.limitsOn) {
    const limit = {
      key: `suggestions:${caller.userId}`,
      max: SUGGESTIONS_PER_MINUTE_AND_PERSON,
      windowSeconds: 60,
    }
    await takeFromLimit(deps.db, limit, now)
  }
  const typed = readUsername(text).toLowerCase()
  if (typed === '' || typed.length > USERNAME_MAX_LENGTH + 1 || checkUsernameLetters(typed) !== null) {
    return { match: 'beginning', traders: [] }
  }
  return readListed(deps, caller.userId, (from) => findSuggestions(from, typed))
}

/** @param typed in lower case */
async function findSuggestions(db: Queryable, typed: string): Promise<TraderSuggestions> {
  const beginning = await listByBeginning(db, typed, SUGGESTIONS_MAX_COUNT)
  if (beginning.length > 0 || typed.length < USERNAME_MIN_LENGTH) {
    return { match: 'beginning', traders: beginning.map(present) }
  }
  const near = await listByName(db, namesNear(typed), SUGGESTIONS_MAX_COUNT)
  return { match: 'near', traders: near.map(present) }
}

function present({ username, averageGain }: KnownTrader) {
  return { username, averageGain: formatGain(averageGain) }
}
