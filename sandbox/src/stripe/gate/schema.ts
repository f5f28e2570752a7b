/** The part of JSON Schema (draft-07) that the SDK's types need. */
export type Schema = {
  $ref?: string
  type?: 'string' | 'number' | 'boolean' | 'null' | 'array' | 'object'
  const?: string | number | boolean
  enum?: string[]
  pattern?: string
  anyOf?: Schema[]
  allOf?: Schema[]
  not?: Schema
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: Schema | false
}

/**
 * The SDK's types of the wire, as schemas. Roots: `object:customer`, `deleted:customer`, `event:invoice.paid`,
 * `thin:v2.core.account.updated`, `request:POST /v1/customers`.
 */
export type Schemas = {
  sdk: string
  apiVersion: string
  roots: Record<string, Schema>
  $defs: Record<string, Schema>
}

/** Follows a reference into the definitions. */
export function deref(schemas: Schemas, schema: Schema): Schema {
  if (schema.$ref === undefined) return schema
  const found = schemas.$defs[schema.$ref.slice('#/$defs/'.length)]
  if (found === undefined) throw new Error(`The schema refers to ${schema.$ref}, which it does not hold.`)
  return found
}

/** @throws when the SDK has no such type, or the sandbox forgot to list it */
export function root(schemas: Schemas, name: string): Schema {
  const found = schemas.roots[name]
  if (found === undefined) throw new Error(`No schema was generated for ${name}.`)
  return found
}
