import type { SQLInputValue } from 'node:sqlite'

export type Filter = {
  /** Equal values, by path inside the object: `customer`, `recurring.interval`; an undefined value sets no condition. */
  equal?: Record<string, string | number | boolean | undefined>
  /** Equal texts, whatever their capitals. */
  alike?: Record<string, string | undefined>
  /** Paths at which there is no value. */
  empty?: string[]
  /** One of these values. */
  among?: Record<string, readonly string[]>
  /** The object that the sandbox filed this one under. */
  parent?: string | undefined
  created?: Bounds | undefined
}

/** Bounds of a time, in seconds. */
export type Bounds = {
  gt?: number | undefined
  gte?: number | undefined
  lt?: number | undefined
  lte?: number | undefined
}

/** The conditions of a statement, and the values of their question marks. */
export function conditions(type: string, filter: Filter): { where: string[]; values: SQLInputValue[] } {
  const where = ['type = ?']
  const values: SQLInputValue[] = [type]
  for (const [path, value] of Object.entries(filter.equal ?? {})) {
    if (value === undefined) continue
    where.push(`json_extract(data, '${jsonPath(path)}') = ?`)
    values.push(typeof value === 'boolean' ? Number(value) : value)
  }
  for (const [path, value] of Object.entries(filter.alike ?? {})) {
    if (value === undefined) continue
    where.push(`json_extract(data, '${jsonPath(path)}') = ? COLLATE NOCASE`)
    values.push(value)
  }
  for (const path of filter.empty ?? []) where.push(`json_extract(data, '${jsonPath(path)}') IS NULL`)
  for (const [path, choices] of Object.entries(filter.among ?? {})) {
    where.push(`json_extract(data, '${jsonPath(path)}') IN (${choices.map(() => '?').join(', ')})`)
    values.push(...choices)
  }
  if (filter.parent !== undefined) {
    where.push(`json_extract(hidden, '$.parent') = ?`)
    values.push(filter.parent)
  }
  const bounds = filter.created ?? {}
  for (const [operator, bound] of [
    ['>', bounds.gt],
    ['>=', bounds.gte],
    ['<', bounds.lt],
    ['<=', bounds.lte],
  ] as const) {
    if (bound === undefined) continue
    where.push(`created ${operator} ?`)
    values.push(bound)
  }
  return { where, values }
}

/** Paths come from this program only; checked all the same, since they stand inside the statement. */
function jsonPath(path: string): string {
  if (!/^[a-z_]+(\.[a-z_]+)*$/.test(path)) throw new Error(`${path} is no path of an object.`)
  return `$.${path}`
}
