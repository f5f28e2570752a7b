import type { Compilable, CompiledQuery } from 'kysely'
import type { Queryable } from './database.ts'

/**
 * A statement said on nearly every request: its SQL is built once a process, since building it takes longer than
 * sending it (docs/operations.md).
 * @param build writes the statement as ever; what it is given are stand-ins for the parameters, to be passed on as
 *   they are, so its shape cannot depend on a value
 * @returns says the statement with parameters; all its rows
 */
export function hotStatement<Parameters extends Record<string, unknown>, Row>(
  build: (db: Queryable, parameters: Parameters) => Compilable<Row>,
): (db: Queryable, parameters: Parameters) => Promise<Row[]> {
  let built: CompiledQuery<Row> | undefined
  return async (db, parameters) => {
    built ??= build(db, standIns as Parameters).compile()
    const values = built.parameters.map((value) =>
      value instanceof StandIn ? parameters[value.name] : value,
    )
    const { rows } = await db.executeQuery<Row>({ ...built, parameters: values })
    return rows
  }
}

/** Holds the place of a parameter while the statement is built. */
class StandIn {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

const standIns = new Proxy({}, { get: (_target, name) => new StandIn(String(name)) })
