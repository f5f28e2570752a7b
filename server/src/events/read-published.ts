import { findVersion, NEVER_RAISED } from '../platform/cache/read-versions.queries.ts'
import type { Queryable } from '../platform/database/queryable.ts'
import type { ReadsOfOthers } from '../platform/distribution/replica.ts'
import { findLastEvents } from './events.queries.ts'

/** Reads somebody's published data, all that the primary has now (ADR 0064). */
export async function readPublished<Found>(
  deps: { db: Queryable; others: ReadsOfOthers },
  traderId: string,
  read: (db: Queryable) => Promise<Found>,
): Promise<Found> {
  if (!deps.others.apart) return read(deps.db)
  return deps.others.read(await findLastEvents(deps.db, [traderId]), read)
}

/**
 * Reads a list of people without suspended ones, from data as new as the primary's: of suspensions, and of what one person
 * published.
 */
export async function readListed<Found>(
  deps: { db: Queryable; others: ReadsOfOthers },
  traderId: string,
  read: (db: Queryable) => Promise<Found>,
): Promise<Found> {
  if (!deps.others.apart) return read(deps.db)
  const seen = await findLastEvents(deps.db, [traderId])
  const suspensions = (await findVersion(deps.db, 'suspensions')) ?? NEVER_RAISED
  return deps.others.read(seen, read, new Map([['suspensions', suspensions]]))
}
