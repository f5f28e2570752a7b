import { expect, test } from 'vitest'
import { loadSchemas } from '../gate/load.ts'
import { deref, root, type Schema } from '../gate/schema.ts'
import { ROUTES } from '../stripe.ts'

const schemas = loadSchemas()

/** Values of every branch of a schema: what the check of requests may let through. */
function samples(given: Schema, depth = 0): unknown[] {
  const schema = deref(schemas, given)
  if (schema.anyOf !== undefined) return schema.anyOf.flatMap((one) => samples(one, depth))
  if (schema.const !== undefined) return [schema.const]
  if (schema.enum !== undefined) return schema.enum
  switch (schema.type) {
    case 'string':
      return ['a text']
    case 'number':
      return [0, 1.5]
    case 'boolean':
      return [true, false]
    case 'array':
      return [[], ...(depth > 3 ? [] : samples(schema.items ?? {}, depth + 1).map((one) => [one]))]
    case 'object':
      return objects(schema, depth)
    default:
      return [null]
  }
}

/** The object with what it must have, and with each of its other fields beside. */
function objects(schema: Schema, depth: number): unknown[] {
  const properties = Object.entries(schema.properties ?? {})
  const least = Object.fromEntries(
    properties
      .filter(([name]) => schema.required?.includes(name))
      .map(([name, field]) => [name, samples(field, depth + 1)[0]]),
  )
  if (depth > 3) return [least]
  const variants = properties.flatMap(([name, field]) =>
    samples(field, depth + 1).map((value) => ({ ...least, [name]: value })),
  )
  return [least, ...variants]
}

test.each(ROUTES)('$endpoint takes every value that the SDK’s types let through', ({ endpoint, takes }) => {
  const { properties = {} } = deref(schemas, root(schemas, `request:${endpoint}`))
  const refused = Object.entries(takes).flatMap(([name, shape]) => {
    // The cursor of v2 is none of the SDK's parameters.
    if (name === 'page' && endpoint.includes('/v2/')) return []
    const schema = properties[name]
    if (schema === undefined) return [`${name} is no parameter`]
    return samples(schema)
      .filter((value) => !shape.is(value))
      .map((value) => `${name}: ${JSON.stringify(value)}`)
  })
  expect(refused).toEqual([])
})
