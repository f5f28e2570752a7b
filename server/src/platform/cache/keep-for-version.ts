import type { Queryable } from '../database/queryable.ts'
import { findVersion, NEVER_RAISED, type Versioned } from './read-versions.queries.ts'

/**
 * Keeps what everybody may read for as long as nobody has changed it (decision 0059). Each call asks for the version first, after it
 * was made; what is kept was read after its version, so nobody is given anything older than what was committed before they asked.
 * @param read what is kept, of the database at that version or later; it is called once a version, however many wait
 */
export function versionedValue<Kept>(
  name: Versioned,
  deps: { db: Queryable; pipelined: Queryable },
  read: (db: Queryable, version: string) => Promise<Kept>,
): () => Promise<Kept> {
  let current: { version: string; kept: Promise<Kept> } | null = null
  return async () => {
    const version = (await findVersion(deps.pipelined, name)) ?? NEVER_RAISED
    if (current?.version === version) return current.kept
    const reading = { version, kept: read(deps.db, version) }
    current = reading
    reading.kept.catch(() => {
      if (current === reading) current = null
    })
    return reading.kept
  }
}
