import { expect, test } from 'vitest'
import { fields, number } from '../shape/shape.ts'
import { openDatabase } from './database.ts'
import { makeObjects } from './objects.ts'

const PRODUCT = { id: 'prod_1', object: 'product', name: 'Tea', active: true, metadata: {} } as const

const createdRow = fields({ created: number })

function openStore() {
  const db = openDatabase(null)
  return { db, objects: makeObjects(db) }
}

test('an object is found by its kind and id, and under no other kind', () => {
  const { objects } = openStore()
  objects.insert(PRODUCT, 1, {})
  expect(objects.find('product', 'prod_1')).toEqual(PRODUCT)
  expect(objects.find('price', 'prod_1')).toBeNull()
  expect(objects.find('product', 'prod_2')).toBeNull()
})

test('a deleted object is neither found nor listed nor counted, and can be looked at', () => {
  const { objects } = openStore()
  objects.insert(PRODUCT, 1, {})
  expect(objects.bury('product', 'prod_1')).toEqual({ id: 'prod_1', object: 'product', deleted: true })
  expect(objects.find('product', 'prod_1')).toBeNull()
  expect(objects.list('product', {}, { limit: 10 })).toEqual([])
  expect(objects.count('product')).toBe(0)
  expect(objects.look('prod_1')).toEqual({ id: 'prod_1', object: 'product', deleted: true })
})

test('a stored object that is not of its kind is an error that names it and the field', () => {
  const { db, objects } = openStore()
  objects.insert(PRODUCT, 1, {})
  db.run('UPDATE objects SET data = ?', JSON.stringify({ ...PRODUCT, name: 5 }))
  expect(() => objects.find('product', 'prod_1')).toThrow(
    'The stored product prod_1 is not as it should be: name',
  )
  expect(() => objects.list('product', {}, { limit: 1 })).toThrow('A stored product')
})

test('notes are kept beside the object and its parent, changed one by one, and checked', () => {
  const { db, objects } = openStore()
  const method = { id: 'pm_1', object: 'payment_method' } as const
  objects.insert(method, 1, { parent: 'cus_1', notes: { number: '4242' } })
  objects.note('payment_method', 'pm_1', { approvedBefore: true })
  expect(objects.notes('payment_method', 'pm_1')).toMatchObject({ number: '4242', approvedBefore: true })
  objects.note('payment_method', 'pm_1', { approvedBefore: undefined })
  expect(objects.notes('payment_method', 'pm_1')).not.toHaveProperty('approvedBefore')
  expect(objects.parentOf('pm_1')).toBe('cus_1')
  expect(() => objects.notes('payment_method', 'pm_2')).toThrow('What is noted of the payment_method pm_2')
  db.run("UPDATE objects SET hidden = '{}'")
  expect(() => objects.notes('payment_method', 'pm_1')).toThrow('number')
})

test('a row that lacks a column it is read for is an error that names the column', () => {
  const { db, objects } = openStore()
  objects.insert(PRODUCT, 1, {})
  expect(db.get(createdRow, 'SELECT created FROM objects')).toEqual({ created: 1 })
  expect(() => db.get(createdRow, 'SELECT id FROM objects')).toThrow('created')
})
