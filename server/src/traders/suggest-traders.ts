import { formatGain } from '@tradepost/contract/gain'
import { SUGGESTIONS_MAX_COUNT, USERNAME_MAX_LENGTH, USERNAME_MIN_LENGTH } from '@tradepost/contract/limits'
import type { TraderSuggestions } from '@tradepost/contract/traders'
import { readUsername } from '@tradepost/contract/typed-name'
import { checkUsernameLetters } from '@tradepost/contract/username'
import { listOffers } from '../billing/offers/list-offers.ts'
import { readListed } from '../events/read-published.ts'
import type { Queryable } from '../platform/database/queryable.ts'
import type { Caller } from '../platform/http/register-endpoints.ts'
import { takeFromLimit } from '../platform/rate-limit.ts'
import { type KnownTrader, listByBeginning, listByName } from './suggestions.queries.ts'
import type { TradersDeps } from './trader-profile.ts'

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz0123456789_-']

/** Somebody who types asks a few times a word; a program that reads all names out asks more. */
const SUGGESTIONS_PER_MINUTE_AND_PERSON = 60

/**
 * Traders for somebody who looks for one: those whose name begins with what is typed, else those whose name is one letter
 * away from it. Only traders with a closed position who are not suspended, and of them what the leaderboard shows and
 * the price (rules G-28 and G-35).
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
  const { match, known } = await readListed(deps, caller.userId, (from) => findSuggestions(from, typed))
  const offers = await listOffers(
    deps,
    caller.userId,
    known.map(({ traderId }) => traderId),
  )
  const present = ({ averageGain, traderId, username }: KnownTrader) => ({
    username,
    averageGain: formatGain(averageGain),
    ...offers.get(traderId),
  })
  return { match, traders: known.map(present) }
}

/** @param typed in lower case */
async function findSuggestions(
  db: Queryable,
  typed: string,
): Promise<Pick<TraderSuggestions, 'match'> & { known: KnownTrader[] }> {
  const beginning = await listByBeginning(db, typed, SUGGESTIONS_MAX_COUNT)
  if (beginning.length > 0 || typed.length < USERNAME_MIN_LENGTH)
    return { match: 'beginning', known: beginning }
  return { match: 'near', known: await listByName(db, namesNear(typed), SUGGESTIONS_MAX_COUNT) }
}

/**
 * Every name that is one slip of the finger away: a letter too many, too few, another one, or two that changed places. Some
 * hundred names, at most 1,200, each of which the database finds at once (ADR 0038).
 * @param name in lower case, of letters of a username
 * @returns without the name
 */
export function namesNear(name: string): string[] {
  const near = new Set<string>()
  for (let at = 0; at <= name.length; at += 1) {
    const [before, after] = [name.slice(0, at), name.slice(at)]
    for (const letter of LETTERS) {
      near.add(before + letter + after)
      if (after !== '') near.add(before + letter + after.slice(1))
    }
    if (after === '') continue
    near.add(before + after.slice(1))
    if (after.length > 1) near.add(before + after.charAt(1) + after.charAt(0) + after.slice(2))
  }
  near.delete(name)
  return [...near].filter(({ length }) => length >= USERNAME_MIN_LENGTH && length <= USERNAME_MAX_LENGTH)
}
