import { readAs, record } from '../shape/shape.ts'
import { deref, root, type Schema, type Schemas } from './schema.ts'

/**
 * The least object of a type: every required field there, null where the type allows it, else the first of its values.
 * The sandbox's objects are a skeleton plus what it knows, so a field that a later SDK requires is added automatically.
 */
export function skeleton(schemas: Schemas, name: string): Record<string, unknown> {
  return readAs(record, least(schemas, root(schemas, `object:${name}`), 0), `The least ${name}`)
}

function least(schemas: Schemas, given: Schema, depth: number): unknown {
  if (depth > 12) throw new Error('A type of the SDK requires itself.')
  const schema = deref(schemas, given)
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined) return schema.enum[0]
  if (schema.anyOf !== undefined) {
    if (schema.anyOf.some((one) => one.type === 'null')) return null
    const branch = schema.anyOf.find((one) => one.type === 'string') ?? schema.anyOf[0]
    return branch === undefined ? null : least(schemas, branch, depth + 1)
  }
  return leastOfType(schemas, schema, depth)
}

function leastOfType(schemas: Schemas, schema: Schema, depth: number): unknown {
  switch (schema.type) {
    case 'string':
      return schema.pattern === undefined ? '' : '0'
    case 'number':
      return 0
    case 'boolean':
      return false
    case 'array':
      return []
    case 'object': {
      const fields = (schema.required ?? []).map((name) => {
        const field = schema.properties?.[name]
        return [name, field === undefined ? null : least(schemas, field, depth + 1)]
      })
      return Object.fromEntries(fields)
    }
    default:
      return null
  }
}

/**
 * The least value of a field that the least object leaves out or null, such as the `card` of a payment method.
 * @param path field names from the object down, joined with dots
 */
export function skeletonAt(schemas: Schemas, name: string, path: string): Record<string, unknown> {
  let schema = objectBranch(schemas, root(schemas, `object:${name}`))
  for (const step of path.split('.')) {
    const field = schema.properties?.[step]
    if (field === undefined) throw new Error(`The SDK's ${name} has no ${path}.`)
    schema = objectBranch(schemas, field)
  }
  return readAs(record, least(schemas, schema, 0), `The least ${path} of ${name}`)
}

function objectBranch(schemas: Schemas, given: Schema): Schema {
  const schema = deref(schemas, given)
  const found = schema.anyOf?.map((one) => deref(schemas, one)).find((one) => one.type === 'object')
  return found ?? schema
}
