import { readFileSync } from 'node:fs'

/** The part of an OpenAPI schema that defines which fields an object must have. */
type Schema = {
  $ref?: string
  anyOf?: Schema[]
  items?: Schema
  nullable?: boolean
  properties?: Record<string, Schema>
  additionalProperties?: Schema | boolean
  required?: string[]
  enum?: unknown[]
}

type Operation = { responses: Record<string, { content?: { 'application/json'?: { schema: Schema } } }> }

/** Stripe's own OpenAPI description, as a version of stripe-mock carries it. */
export type Specification = {
  info: { version: string }
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

export type Operations = {
  /** The method and path as the specification writes them, such as `GET /v1/invoices/{invoice}`; null when it has none. */
  find(method: string, path: string): string | null
}

/** @param file the specification as JSON */
export function readSpecification(file: string): Specification {
  return JSON.parse(readFileSync(file, 'utf8')) as Specification
}

export function operationsOf(specification: Specification): Operations {
  const patterns = Object.keys(specification.paths)
    // A fixed word comes before a parameter: /v1/invoices/create_preview is no invoice.
    .sort((left, right) => left.split('{').length - right.split('{').length)
    .map((path) => ({ path, pattern: new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`) }))
  return {
    find(method, path) {
      const found = patterns.find(
        (one) =>
          one.pattern.test(path) && specification.paths[one.path]?.[method.toLowerCase()] !== undefined,
      )
      return found === undefined ? null : `${method} ${found.path}`
    },
  }
}

/**
 * The fields that the specification requires of an operation's answer and that this answer lacks, or has as null where
 * the specification does not allow it. The object of an event is judged by its own `object`.
 * @returns one line for each, such as `invoice.amount_paid_off_stripe is missing`; empty when all are there
 */
export function lacksOf(specification: Specification, operation: string, answer: unknown): string[] {
  const [method = '', path = ''] = operation.split(' ')
  const { responses } = specification.paths[path]?.[method.toLowerCase()] ?? { responses: {} }
  const schema = responses['200']?.content?.['application/json']?.schema
  if (schema === undefined) throw new Error(`The specification says nothing of the answer of ${operation}.`)
  const lacks = new Set<string>()
  look(specification, schema, answer, operation, lacks)
  return [...lacks]
}

function look(
  specification: Specification,
  given: Schema,
  value: unknown,
  place: string,
  lacks: Set<string>,
): void {
  if (value === null) {
    if (!allowsNull(specification, given)) lacks.add(`${place} is null`)
    return
  }
  if (typeof value !== 'object') return
  const [schema, named] = choose(specification, given, value)
  const here = named ?? place
  if (Array.isArray(value)) {
    for (const item of value) look(specification, schema.items ?? {}, item, `${here}[]`, lacks)
    return
  }
  const fields = value as Record<string, unknown>
  for (const name of schema.required ?? []) {
    if (fields[name] === undefined) lacks.add(`${here}.${name} is missing`)
  }
  for (const [name, field] of Object.entries(fields)) {
    const own = schema.properties?.[name]
    if (own !== undefined) look(specification, own, field, `${here}.${name}`, lacks)
    else if (typeof schema.additionalProperties === 'object')
      look(specification, schema.additionalProperties, field, `${here}.*`, lacks)
  }
  // The specification calls it any object.
  if (fields.object === 'event') lookAtSubject(specification, fields, lacks)
}

function lookAtSubject(
  specification: Specification,
  event: Record<string, unknown>,
  lacks: Set<string>,
): void {
  const subject = (event.data as { object?: Record<string, unknown> } | undefined)?.object
  const word = String(subject?.object)
  const schema = specification.components.schemas[word]
  if (schema === undefined) lacks.add(`event.data.object is a ${word}, which the specification does not know`)
  else look(specification, schema, subject, word, lacks)
}

/** The branch that an object is of, by its `object` and `deleted`, and its name where it has one. */
function choose(specification: Specification, given: Schema, value: object): [Schema, string | null] {
  if (given.$ref !== undefined) {
    const name = given.$ref.slice('#/components/schemas/'.length)
    const [schema, inner] = choose(specification, specification.components.schemas[name] ?? {}, value)
    return [schema, inner ?? name]
  }
  if (given.anyOf === undefined) return [given, null]
  const branches = given.anyOf.map((branch) => choose(specification, branch, value))
  const objects = branches.filter(([schema]) => schema.properties !== undefined)
  return objects.find(([schema]) => isOf(schema, value)) ?? objects[0] ?? [{}, null]
}

function isOf(schema: Schema, value: object): boolean {
  const { object, deleted } = value as { object?: string; deleted?: boolean }
  const words = schema.properties?.object?.enum
  const isDeletion = schema.properties?.deleted !== undefined
  return (words === undefined || words.includes(object)) && isDeletion === (deleted === true)
}

function allowsNull(specification: Specification, given: Schema): boolean {
  if (given.nullable === true || Object.keys(given).length === 0) return true
  if (given.$ref === undefined)
    return given.anyOf?.some((branch) => allowsNull(specification, branch)) ?? false
  const name = given.$ref.slice('#/components/schemas/'.length)
  return allowsNull(specification, specification.components.schemas[name] ?? {})
}
