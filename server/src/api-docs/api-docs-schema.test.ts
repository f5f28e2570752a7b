import { expect, test } from 'vitest'
import { fieldsOf, kindOf, type Schema } from './api-docs-schema.ts'

test('a kind of value and its limits are described in words', () => {
  const described: [schema: Schema, words: string][] = [
    [{ type: 'boolean' }, 'boolean'],
    [{}, 'value'],
    [{ type: ['string', 'null'] }, 'string or null'],
    [{ type: 'string', minLength: 3, maxLength: 15 }, 'string, 3 to 15 characters'],
    [{ type: 'string', minLength: 43, maxLength: 43 }, 'string, 43 characters'],
    [{ type: 'string', maxLength: 40 }, 'string, at most 40 characters'],
    [{ type: 'string', minLength: 2 }, 'string, at least 2 characters'],
    [{ type: 'string', pattern: '^a<$' }, 'string, as <code translate="no">^a&lt;$</code>'],
    [{ type: 'string', format: 'uuid', pattern: '^x$', minLength: 36, maxLength: 36 }, 'uuid'],
    [{ type: 'integer', minimum: 1, maximum: 100 }, 'integer, 1 to 100'],
    [{ type: 'integer', minimum: 0, maximum: 9007199254740991 }, 'integer, at least 0'],
    [{ type: 'integer', minimum: -9007199254740991, maximum: 9007199254740991 }, 'integer'],
    [{ type: 'boolean', const: false }, '<code translate="no">false</code>'],
    [{ enum: ['asc', 'desc'] }, 'one of <code translate="no">asc</code>, <code translate="no">desc</code>'],
    [{ type: 'array', items: { type: 'string', maxLength: 5 } }, 'array of string, at most 5 characters'],
    [{ anyOf: [{ type: 'number' }, { type: 'null' }, { type: 'number' }] }, 'number or null'],
  ]
  expect(described.map(([schema]) => kindOf(schema))).toEqual(described.map(([, words]) => words))
})

test('fields are listed with their own fields, those of lists and of what may be null too', () => {
  const inner: Schema = { type: 'object', properties: { b: { type: 'number' } }, required: ['b'] }
  const list = '<ul><li><code translate="no">b</code> <span>number</span></li></ul>'
  expect(fieldsOf(inner)).toBe(list)
  expect(fieldsOf({ type: 'array', items: inner })).toBe(list)
  expect(fieldsOf({ anyOf: [inner, { type: 'null' }] })).toBe(list)
  expect(fieldsOf({ properties: { a: { ...inner, description: 'Of <it>.' } } })).toBe(
    `<ul><li><code translate="no">a</code> <span>optional, object</span> Of &lt;it&gt;.${list}</li></ul>`,
  )
  expect(fieldsOf({ oneOf: [inner, inner] })).toBe(`<p>One of:</p><ol><li>${list}</li><li>${list}</li></ol>`)
  expect(fieldsOf({ type: 'string' })).toBe('')
})
