import type { Random } from './random.ts'

/** Somebody's time with a trader, an index; `until` is null for one who still follows. */
export type SeedFollowing = { trader: number; since: Date; until: Date | null }

const DAY_MS = 86_400_000
/** Share of a person's further followings that they gave up again, after some whole months. */
const LEFT = 0.6
const MOST_MONTHS = 4
/** Most follow for fewer days than this is of a trader's time: a service that grows. */
const GROWTH = 1.4

/**
 * One person's followings, each of another trader: a few traders have most of the followers, as everywhere.
 * @param joined when each trader came
 */
export function makeFollowings(random: Random, joined: readonly Date[], now: Date): SeedFollowing[] {
  const traders = new Set<number>()
  const wanted = random.between(1, 3)
  while (traders.size < Math.min(wanted, joined.length))
    traders.add(Math.floor(joined.length * random.next() ** 2))
  return [...traders].map((trader, nth) => {
    const span = now.getTime() - (joined[trader]?.getTime() ?? 0) - 2 * DAY_MS
    const drawn = new Date(now.getTime() - DAY_MS - Math.max(0, span) * random.next() ** GROWTH)
    const until = addMonths(drawn, random.between(1, MOST_MONTHS))
    // Somebody who left everybody would be no follower any more.
    const left = nth > 0 && random.next() < LEFT && until < now
    return { trader, since: left ? drawn : payingNow(drawn, now), until: left ? until : null }
  })
}

/** The first day after `drawn` from which monthly payments lead to one of now: this month's is made at Stripe as the world is. */
function payingNow(drawn: Date, now: Date): Date {
  for (let months = 1; ; months += 1)
    if (addMonths(now, -months) < drawn)
      return months === 1 ? new Date(now.getTime() - DAY_MS) : addMonths(now, 1 - months)
}

/** The same day of a later month (UTC), or its last one. */
export function addMonths(from: Date, months: number): Date {
  const to = new Date(from)
  to.setUTCMonth(to.getUTCMonth() + months, 1)
  const days = new Date(Date.UTC(to.getUTCFullYear(), to.getUTCMonth() + 1, 0)).getUTCDate()
  to.setUTCDate(Math.min(from.getUTCDate(), days))
  return to
}
