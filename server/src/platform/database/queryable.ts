import type { CompiledQuery, Kysely, Transaction } from 'kysely'
import type { DB } from './schema.ts'

/** The database or a transaction on it; the first argument of every query function, so the caller decides which. */
export type Queryable = Kysely<DB>

/** Runs `work` in one transaction; it commits when the promise resolves and rolls back when it rejects. */
export function withTransaction<T>(db: Queryable, work: (tx: Transaction<DB>) => Promise<T>): Promise<T> {
  return db.transaction().execute(work)
}

/**
 * A query of a read that people wait for. Its SQL is built once a process, since building it takes longer than sending it
 * (docs/measurements.md).
 * @param build writes the query, with the query builder or as SQL. It gets placeholders instead of values and passes each on
 *   by its name and unchanged, so the shape of the query cannot depend on a value
 * @returns runs the query with values; answers all its rows
 */
export function compiledQuery<Parameters extends Record<string, unknown>, Row>(
  build: (db: Queryable, parameters: Parameters) => { compile(db: Queryable): CompiledQuery<Row> },
): (db: Queryable, parameters: Parameters) => Promise<Row[]> {
  let built: CompiledQuery<Row> | undefined
  return async (db, parameters) => {
    built ??= build(db, placeholders as Parameters).compile(db)
    const values = built.parameters.map((value) =>
      value instanceof Placeholder ? parameters[value.name] : value,
    )
    const { rows } = await db.executeQuery<Row>({ ...built, parameters: values })
    return rows
  }
}

/** Stands for the value of a parameter while the query is built. */
class Placeholder {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

const placeholders = new Proxy(
  {},
  {
    get: (_target, name) => new Placeholder(String(name)),
    ownKeys: () => {
      throw new Error('A compiled query names each of its parameters: the rest of them is not known.')
    },
  },
)

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
