import type { Listing } from '../provider/provider.ts'
import type { KeptSymbol } from './directory.queries.ts'

type NamedListing = Listing & { name: string }

/** A list that lacks more of the previous list's symbols than these is not whole: exchanges delist a few a day. */
const LOST_AT_MOST_PART = 0.05
const LOST_AT_MOST_COUNT = 5
/** A symbol that lists lack which are not whole is delisted on the third day. */
const MISSING_FOR_DAYS = 2
const DAY_MS = 86_400_000

/** The changes by a list. Each symbol is in one of them, or in none. */
export type ListChanges = {
  /** New, or back after it was missing, or written otherwise: nothing else changes. */
  noted: NamedListing[]
  /** The same company has another name. */
  renamed: NamedListing[]
  /** The ticker is another company's. */
  reused: NamedListing[]
  missing: string[]
  delisted: string[]
  isWhole: boolean
}

/**
 * Compares the provider's list with the kept one.
 * @param kept by symbol
 */
export function compareLists(
  kept: ReadonlyMap<string, KeptSymbol>,
  list: readonly Listing[],
  now: Date,
): ListChanges {
  const changes: ListChanges = {
    noted: [],
    renamed: [],
    reused: [],
    missing: [],
    delisted: [],
    isWhole: true,
  }
  const listings = new Map(list.map((listing) => [listing.symbol, listing]))
  for (const listing of listings.values()) {
    if (!isNamed(listing)) continue
    const change = changeOf(kept.get(listing.symbol), listing)
    if (change) changes[change].push(listing)
  }
  const lost = [...kept.values()].filter(
    ({ delistedAt, listed, missingSince, symbol }) =>
      (listed || (missingSince && !delistedAt)) && !listings.has(symbol),
  )
  const before = [...kept.values()].filter(({ listed }) => listed).length
  const lostNow = lost.filter(({ listed }) => listed).length
  changes.isWhole = lostNow <= Math.max(LOST_AT_MOST_COUNT, before * LOST_AT_MOST_PART)
  for (const { missingSince, symbol } of lost) {
    const isDelisted = missingSince ? daysBetween(missingSince, now) >= MISSING_FOR_DAYS : changes.isWhole
    changes[isDelisted ? 'delisted' : 'missing'].push(symbol)
  }
  return changes
}

/** A row without a name only shows that its ticker is listed, and changes nothing. */
function isNamed(listing: Listing): listing is NamedListing {
  return listing.name !== null
}

function changeOf(
  kept: KeptSymbol | undefined,
  listing: NamedListing,
): 'noted' | 'renamed' | 'reused' | null {
  if (!kept) return 'noted'
  const sameName = kept.name.toLowerCase() === listing.name.toLowerCase()
  const known = kept.figi !== null && listing.figi !== null
  if (known && kept.figi !== listing.figi) return 'reused'
  // Without identities, a ticker that was gone and comes back with another name is another company's.
  if (!known && kept.delistedAt && !sameName) return 'reused'
  if (!sameName) return 'renamed'
  const isSame = kept.listed && kept.name === listing.name && (listing.figi === null || known)
  return isSame ? null : 'noted'
}

function daysBetween(earlier: Date, later: Date): number {
  return Math.floor(later.getTime() / DAY_MS) - Math.floor(earlier.getTime() / DAY_MS)
}
