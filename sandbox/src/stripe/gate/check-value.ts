import { isPlainObject } from '../shape/plain-object.ts'
import { deref, type Schema, type Schemas } from './schema.ts'

/** One way in which a value differs from its type; `path` is empty at the top. */
export type Problem = { path: string; kind: 'missing' | 'unknown' | 'type'; expected: string }

/**
 * Checks a value of the wire against a schema, strictly: no field too many, none too few, none of another type.
 * Of a choice of types it reports the problems of the one that fits best.
 */
export function checkValue(schemas: Schemas, schema: Schema, value: unknown, path = ''): Problem[] {
  const known = deref(schemas, schema)
  if (known.anyOf !== undefined) return choice(schemas, known.anyOf, value, path)
  if (known.allOf !== undefined) return known.allOf.flatMap((part) => checkValue(schemas, part, value, path))
  if (known.not !== undefined) return [{ path, kind: 'type', expected: 'nothing' }]
  if (known.const !== undefined) return value === known.const ? [] : wrongType(path, String(known.const))
  if (known.enum !== undefined)
    return typeof value === 'string' && known.enum.includes(value)
      ? []
      : wrongType(path, `one of ${known.enum}`)
  return ofType(schemas, known, value, path)
}

function ofType(schemas: Schemas, schema: Schema, value: unknown, path: string): Problem[] {
  switch (schema.type) {
    case undefined:
      return []
    case 'null':
      return value === null ? [] : wrongType(path, 'null')
    case 'array':
      if (!Array.isArray(value)) return wrongType(path, 'array')
      return value.flatMap((one, index) => checkValue(schemas, schema.items ?? {}, one, `${path}[${index}]`))
    case 'object':
      return isPlainObject(value) ? fields(schemas, schema, value, path) : wrongType(path, 'object')
    case 'number':
      return typeof value === 'number' && Number.isFinite(value) ? [] : wrongType(path, 'number')
    case 'boolean':
      return typeof value === 'boolean' ? [] : wrongType(path, 'boolean')
    case 'string':
      return typeof value === 'string' && matches(schema, value) ? [] : wrongType(path, 'string')
    default:
      return []
  }
}

function fields(schemas: Schemas, schema: Schema, value: Record<string, unknown>, path: string): Problem[] {
  const problems: Problem[] = []
  const properties = schema.properties ?? {}
  for (const name of schema.required ?? []) {
    if (value[name] === undefined)
      problems.push({ path: join(path, name), kind: 'missing', expected: 'a value' })
  }
  for (const [name, field] of Object.entries(value)) {
    if (field === undefined) continue
    const own = Object.hasOwn(properties, name) ? properties[name] : undefined
    const expected = own ?? schema.additionalProperties
    if (expected === undefined || expected === false)
      problems.push({ path: join(path, name), kind: 'unknown', expected: 'no such field' })
    else problems.push(...checkValue(schemas, expected, field, join(path, name)))
  }
  return problems
}

function choice(schemas: Schemas, branches: Schema[], value: unknown, path: string): Problem[] {
  let best: Problem[] | null = null
  for (const branch of branches) {
    if (!comparable(schemas, branch, value)) continue
    const problems = checkValue(schemas, branch, value, path)
    if (problems.length === 0) return problems
    if (best === null || problems.length < best.length) best = problems
  }
  return (
    best ??
    wrongType(path, branches.map((one) => one.type ?? deref(schemas, one).type ?? 'value').join(' or '))
  )
}

/** Whether a branch is worth looking into: same kind of value and, for objects, the same `object` or `type` word. */
function comparable(schemas: Schemas, branch: Schema, value: unknown): boolean {
  const schema = deref(schemas, branch)
  if (schema.type !== 'object') return !isPlainObject(value)
  if (!isPlainObject(value)) return false
  const word = schema.properties?.object?.const
  return word === undefined || value.object === word
}

function matches(schema: Schema, value: string): boolean {
  return schema.pattern === undefined || new RegExp(schema.pattern).test(value)
}

function wrongType(path: string, expected: string): Problem[] {
  return [{ path, kind: 'type', expected }]
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}
