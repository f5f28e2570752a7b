import type { Queryable } from './queryable.ts'

/** Of rows that are found by key: nobody waits long for those of others. */
const MAX_KEYS = 64

/**
 * A look-up of nearly every request. The keys of one turn of the event loop are asked of the database in one statement:
 * under load many requests arrive in a turn, and a statement costs more than a row. The statement leaves after all of them have
 * asked, so that nobody is answered what was before their request.
 * @param lookUp answers what it finds by key
 * @param maxKeys of one statement; a call beyond them begins the next one
 * @returns looks one key up; undefined when it was not found
 */
export function batchedLookup<Key, Found>(
  lookUp: (db: Queryable, keys: Key[]) => Promise<Map<Key, Found>>,
  maxKeys = MAX_KEYS,
): (db: Queryable, key: Key) => Promise<Found | undefined> {
  const gathering = new WeakMap<Queryable, { keys: Set<Key>; found: Promise<Map<Key, Found>> }>()

  function gather(db: Queryable) {
    const keys = new Set<Key>()
    const { promise, resolve } = Promise.withResolvers<Map<Key, Found>>()
    const batch = { keys, found: promise }
    setImmediate(() => {
      if (gathering.get(db) === batch) gathering.delete(db)
      resolve(lookUp(db, [...keys]))
    })
    gathering.set(db, batch)
    return batch
  }

  return async (db, key) => {
    const current = gathering.get(db)
    const batch = current && current.keys.size < maxKeys ? current : gather(db)
    batch.keys.add(key)
    return (await batch.found).get(key)
  }
}
