import type { CompiledQuery } from 'kysely'
import type { Queryable } from './queryable.ts'

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
