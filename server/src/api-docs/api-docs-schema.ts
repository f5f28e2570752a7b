import MarkdownIt from 'markdown-it'

/** The part of JSON Schema that the contract's schemas use. */
export type Schema = {
  type?: string | string[]
  description?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  enum?: unknown[]
  const?: unknown
  format?: string
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
}

const { escapeHtml } = new MarkdownIt().utils

/** The fields below a schema as a list in HTML, each with its kind and its own fields; empty where there are none. */
export function fieldsOf(schema: Schema): string {
  const variants = schema.oneOf ?? schema.anyOf
  if (variants) {
    const lists = variants.map(fieldsOf).filter((list) => list !== '')
    return lists.length > 1
      ? `<p>One of:</p><ol>${lists.map((list) => `<li>${list}</li>`).join('')}</ol>`
      : lists.join('')
  }
  if (schema.items) return fieldsOf(schema.items)
  const fields = Object.entries(schema.properties ?? {})
  return fields.length === 0
    ? ''
    : `<ul>${fields.map(([name, field]) => fieldHtml(name, field, schema.required?.includes(name) ?? false)).join('\n')}</ul>`
}

function fieldHtml(name: string, schema: Schema, isRequired: boolean): string {
  const kind = isRequired ? kindOf(schema) : `optional, ${kindOf(schema)}`
  const about = schema.description ? ` ${escapeHtml(schema.description)}` : ''
  return `<li><code translate="no">${escapeHtml(name)}</code> <span>${kind}</span>${about}${fieldsOf(schema)}</li>`
}

/** A value's kind and limits in words, as HTML: `string, 3 to 15 characters, as ^[a-z]+$`. */
export function kindOf(schema: Schema): string {
  const variants = schema.oneOf ?? schema.anyOf
  if (variants) return [...new Set(variants.map(kindOf))].join(' or ')
  if (schema.const !== undefined) return valueHtml(schema.const)
  if (schema.enum) return `one of ${schema.enum.map(valueHtml).join(', ')}`
  if (schema.items) return `array of ${kindOf(schema.items)}`
  const kind = schema.format ?? [schema.type ?? 'value'].flat().join(' or ')
  return [kind, ...limitsOf(schema)].join(', ')
}

/** None where a format implies them. The bounds of safe integers are the bounds of every JSON number. */
function limitsOf({ format, pattern, minLength, maxLength, minimum, maximum }: Schema): string[] {
  if (format) return []
  return [
    spanOf(minLength, maxLength, ' characters'),
    spanOf(isSafeBound(minimum) ? undefined : minimum, isSafeBound(maximum) ? undefined : maximum, ''),
    pattern ? `as ${valueHtml(pattern)}` : '',
  ].filter((text) => text !== '')
}

function spanOf(least: number | undefined, most: number | undefined, unit: string): string {
  if (least !== undefined && least === most) return `${least}${unit}`
  if (least !== undefined && most !== undefined) return `${least} to ${most}${unit}`
  if (least !== undefined) return `at least ${least}${unit}`
  return most === undefined ? '' : `at most ${most}${unit}`
}

function isSafeBound(bound: number | undefined): boolean {
  return Math.abs(bound ?? 0) === Number.MAX_SAFE_INTEGER
}

function valueHtml(value: unknown): string {
  return `<code translate="no">${escapeHtml(String(value))}</code>`
}
