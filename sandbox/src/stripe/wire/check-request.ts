import { deref, root, type Schema, type Schemas } from '../gate/schema.ts'
import { ApiError, invalid } from '../refusals/errors.ts'
import { isPlainObject } from '../shape/plain-object.ts'

/** Parameters after the check: of the SDK's types, texts of a form turned into numbers and booleans. */
export type Params = Record<string, unknown>

/** Numbers that may have a fraction; Stripe refuses one everywhere else. */
const FRACTIONS = new Set(['application_fee_percent', 'amount_percent', 'percentage', 'percent_off'])

type Place = { schemas: Schemas; form: boolean }

/**
 * Checks the parameters of one endpoint against the SDK's type for them.
 * @param form true for v1: every value arrived as text
 * @throws ApiError in Stripe's words, naming the parameter as the form does: `line_items[0][price]`
 */
export function checkRequest(schemas: Schemas, endpoint: string, given: Params, form: boolean): Params {
  const place = { schemas, form }
  return object(place, deref(schemas, root(schemas, `request:${endpoint}`)), given, '')
}

function convert(place: Place, given: Schema, value: unknown, path: string): unknown {
  const schema = deref(place.schemas, given)
  if (schema.anyOf !== undefined) return choose(place, schema.anyOf, value, path)
  if (schema.const !== undefined) return fixed(schema.const, value, path)
  if (schema.enum !== undefined) return word(schema.enum, value, path)
  switch (schema.type) {
    case 'object':
      if (!isPlainObject(value)) throw invalid(`Invalid object`, path)
      return object(place, schema, value, path)
    case 'array':
      return list(place, schema.items ?? {}, value, path)
    case 'number':
      return number(place, value, path)
    case 'boolean':
      return boolean(place, value, path)
    case 'null':
      if (value === null || (place.form && value === '')) return null
      throw invalid(`Invalid value for ${path}`, path)
    case 'string':
      return text(place, schema, value, path)
    default:
      return value
  }
}

function object(place: Place, schema: Schema, value: Record<string, unknown>, path: string): Params {
  const properties = schema.properties ?? {}
  const result: Params = {}
  for (const [name, field] of Object.entries(value)) {
    const at = join(path, name)
    const own = Object.hasOwn(properties, name) ? properties[name] : undefined
    const expected = own ?? schema.additionalProperties
    if (expected === undefined || expected === false)
      throw invalid(`Received unknown parameter: ${at}`, at, 'parameter_unknown')
    result[name] = convert(place, expected, field, at)
  }
  for (const name of schema.required ?? []) {
    if (value[name] === undefined)
      throw invalid(`Missing required param: ${join(path, name)}.`, join(path, name), 'parameter_missing')
  }
  return result
}

/** The first branch that takes the value; else the complaint of the branch that came furthest. */
function choose(place: Place, branches: Schema[], value: unknown, path: string): unknown {
  let complaint: ApiError | null = null
  for (const branch of ordered(place, branches)) {
    try {
      return convert(place, branch, value, path)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      if (complaint === null || (error.body.param ?? '').length > (complaint.body.param ?? '').length)
        complaint = error
    }
  }
  throw complaint ?? invalid(`Invalid value for ${path}`, path)
}

/** Strict types first: any text is a string, so that branch comes last. */
function ordered(place: Place, branches: Schema[]): Schema[] {
  const weight = (branch: Schema) => {
    const schema = deref(place.schemas, branch)
    if (schema.type === 'string' && schema.enum === undefined) return 2
    return schema.const === '' ? 3 : schema.type === 'null' ? 1 : 0
  }
  return [...branches].sort((left, right) => weight(left) - weight(right))
}

function list(place: Place, items: Schema, value: unknown, path: string): unknown[] {
  const entries = place.form && isPlainObject(value) ? Object.values(value) : value
  if (!Array.isArray(entries)) throw invalid('Invalid array', path)
  return entries.map((one, index) => convert(place, items, one, `${path}[${index}]`))
}

function number(place: Place, value: unknown, path: string): number {
  const read =
    place.form && typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value
  const name = path.replace(/.*\[(.*)\]$/, '$1')
  const whole = !FRACTIONS.has(name)
  if (typeof read !== 'number' || (whole && !Number.isSafeInteger(read))) {
    const kind = whole ? 'integer' : 'decimal'
    throw invalid(`Invalid ${kind}: ${shown(value)}`, path, `parameter_invalid_${kind}`)
  }
  return read
}

function boolean(place: Place, value: unknown, path: string): boolean {
  if (typeof value === 'boolean') return value
  if (place.form && (value === 'true' || value === 'false')) return value === 'true'
  throw invalid(`Invalid boolean: ${shown(value)}`, path)
}

function text(place: Place, schema: Schema, value: unknown, path: string): string {
  if (typeof value === 'number' && !place.form) throw invalid(`Invalid string: ${value}`, path)
  if (typeof value !== 'string') throw invalid(`Invalid string: ${shown(value)}`, path)
  if (schema.pattern !== undefined && !new RegExp(schema.pattern).test(value))
    throw invalid(`Invalid decimal: ${value}`, path)
  if (value.length > 5000)
    throw invalid(`Invalid string: must be at most 5000 characters`, path, 'parameter_invalid_string')
  if (value === '' && place.form && !path.startsWith('metadata') && !path.includes('[metadata]'))
    throw invalid(
      `You passed an empty string for '${path}'. We assume empty values are an attempt to unset a parameter; however '${path}' cannot be unset. You should remove '${path}' from your request or supply a non-empty value.`,
      path,
      'parameter_invalid_empty',
    )
  return value
}

function word(words: string[], value: unknown, path: string): string {
  if (typeof value === 'string' && words.includes(value)) return value
  const all = words.filter((one) => one !== '')
  const choices = all.length > 1 ? `${all.slice(0, -1).join(', ')}, or ${all.at(-1)}` : all.join('')
  throw invalid(`Invalid ${path}: must be one of ${choices}`, path)
}

function fixed(expected: unknown, value: unknown, path: string): unknown {
  if (value === expected || value === String(expected)) return expected
  throw invalid(`Invalid ${path}: must be ${String(expected)}`, path)
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}[${name}]`
}
