import { expect, test } from 'vitest'
import { arrayOf, either, fields, nullable, number, oneOf, optional, readAs, text, whole } from './shape.ts'

const shape = fields({
  id: text,
  at: nullable(number),
  kind: oneOf('one', 'two'),
  lines: arrayOf(fields({ amount: number })),
  note: optional(text),
  owner: fields({ name: text }),
})

const good = { id: 'a', at: null, kind: 'one', lines: [{ amount: 1 }], owner: { name: 'b' }, more: true }

test('a value that fits is answered itself, with fields that nobody named', () => {
  expect(readAs(shape, good, 'It')).toBe(good)
  expect(readAs(shape, { ...good, at: 5, note: 'c', lines: [] }, 'It')).toMatchObject({ note: 'c' })
})

test.each([
  ['id', { ...good, id: 1 }],
  ['at', { ...good, at: undefined }],
  ['kind', { ...good, kind: 'three' }],
  ['lines', { ...good, lines: [{ amount: '1' }] }],
  ['note', { ...good, note: null }],
  ['owner.name', { ...good, owner: {} }],
  ['the whole of it', [good]],
])('a value that does not fit is refused by the name of its field: %s', (path, value) => {
  expect(() => readAs(shape, value, 'It')).toThrow(`It is not as it should be: ${path}`)
})

test('a list, a choice and what may be null or lacking have the fields inside; the whole of something has none', () => {
  const inside = { amount: number }
  expect(arrayOf(fields(inside)).inside).toBe(inside)
  expect(optional(nullable(either(fields(inside), oneOf('')))).inside).toBe(inside)
  expect(whole(fields(inside)).inside).toBeUndefined()
})
