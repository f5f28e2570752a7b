import { LRUCache } from 'lru-cache'
import type { Queryable } from '../database/queryable.ts'
import { findVersion, NEVER_RAISED, type Versioned } from './read-versions.queries.ts'

/** A value above this part of the bound is not kept: a few of them would leave no room for anybody else's. */
const LARGEST_PART = 16

/** By key, the number of the state that is asked for. */
type Versions = ReadonlyMap<string, number>

/** Finds values by key and version; `read` is asked for those that are not kept, all of them at once, and answers each. */
export type FindKept<Value> = (
  asked: Versions,
  read: (missing: Versions) => Promise<ReadonlyMap<string, Value>>,
) => Promise<ReadonlyMap<string, Value>>

/**
 * Keeps values of many keys, each for as long as its version is the one that is asked for (ADR 0070). The caller reads the version
 * first and passes a `read` that sees everything that the version counts, so nobody is given anything older than what was committed
 * before they asked. Two who miss the same value at once wait for one reading; a value of an older version never replaces one of a newer.
 * @param maxSize of all values together, in the unit of `sizeOf`; who was asked for longest ago goes first
 */
export function versionedCache<Value extends object>(options: {
  maxSize: number
  sizeOf: (value: Value) => number
}): FindKept<Value> {
  const { maxSize, sizeOf } = options
  const kept = new LRUCache<string, { version: number; value: Value }>({
    maxSize,
    maxEntrySize: Math.floor(maxSize / LARGEST_PART),
    sizeCalculation: ({ value }, key) => sizeOf(value) + key.length,
  })
  const underWay = new Map<string, { version: number; values: Promise<ReadonlyMap<string, Value>> }>()

  function keep(key: string, version: number, value: Value | undefined): void {
    const there = kept.peek(key)
    if (value && (there === undefined || there.version < version)) kept.set(key, { version, value })
  }

  async function readMissing(
    missing: Versions,
    read: (missing: Versions) => Promise<ReadonlyMap<string, Value>>,
  ): Promise<ReadonlyMap<string, Value>> {
    const values = read(missing)
    for (const [key, version] of missing) underWay.set(key, { version, values })
    try {
      const found = await values
      for (const [key, version] of missing) keep(key, version, found.get(key))
      return found
    } finally {
      for (const key of missing.keys()) if (underWay.get(key)?.values === values) underWay.delete(key)
    }
  }

  return async (asked, read) => {
    const found = new Map<string, Value>()
    const missing = new Map<string, number>()
    const waiting: [key: string, values: Promise<ReadonlyMap<string, Value>>][] = []
    for (const [key, version] of asked) {
      const there = kept.get(key)
      const reading = underWay.get(key)
      if (there?.version === version) found.set(key, there.value)
      else if (reading?.version === version) waiting.push([key, reading.values])
      else missing.set(key, version)
    }
    if (missing.size > 0) for (const [key, value] of await readMissing(missing, read)) found.set(key, value)
    for (const [key, values] of waiting) {
      const value = (await values).get(key)
      if (value) found.set(key, value)
    }
    return found
  }
}

/**
 * Keeps what everybody may read for as long as nobody has changed it (ADR 0059). Each call asks for the version first, after it
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
