import { afterAll, expect, test } from 'vitest'
import { TEST_NOW } from '../../../test/build-test-app.ts'
import { openTestDatabase } from '../../../test/database/database.ts'
import { newId } from '../ids.ts'
import { batchedLookup, withTransaction } from './queryable.ts'

const database = await openTestDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const { db } = database

const asked: number[] = []
const findCount = batchedLookup(async (on, keys: string[]) => {
  asked.push(keys.length)
  const rows = await on.selectFrom('rate_limits').select(['key', 'count']).where('key', 'in', keys).execute()
  return new Map(rows.map(({ key, count }) => [key, count]))
})

function setCount(on: typeof db, key: string, count: number) {
  return on
    .insertInto('rate_limits')
    .values({ key, count, window_start: TEST_NOW, expires_at: TEST_NOW })
    .onConflict((conflict) => conflict.columns(['key', 'window_start']).doUpdateSet({ count }))
    .execute()
}

test('keys that are asked for at once are one statement, and each caller gets its own answer', async () => {
  const keys = [newId(), newId(), newId()] as const
  await setCount(db, keys[0], 3)
  await setCount(db, keys[1], 7)
  asked.length = 0
  const answers = await Promise.all([...keys, keys[0]].map((key) => findCount(db, key)))
  expect(answers).toEqual([3, 7, undefined, 3])
  expect(asked).toEqual([3])
})

test('a look-up after a change is answered with it, also while another look-up is under way', async () => {
  const key = newId()
  for (let count = 1; count <= 50; count += 1) {
    const before = findCount(db, key)
    await setCount(db, key, count)
    expect(await findCount(db, key)).toBe(count)
    await before
  }
})

test('of very many who ask at once, 64 share a statement', async () => {
  const keys = Array.from({ length: 65 }, () => newId())
  await setCount(db, keys[64] ?? '', 9)
  asked.length = 0
  const answers = await Promise.all(keys.map((key) => findCount(db, key)))
  expect(answers.filter((answer) => answer !== undefined)).toEqual([9])
  expect(asked).toEqual([64, 1])
})

test('a transaction asks for itself, and sees what it has written', async () => {
  const key = newId()
  await withTransaction(db, async (tx) => {
    await setCount(tx, key, 5)
    expect(await Promise.all([findCount(tx, key), findCount(db, key)])).toEqual([5, undefined])
  })
})

test('a fault is that of all who asked together, and of nobody after them', async () => {
  let faulty = true
  const find = batchedLookup(async (_on, keys: string[]) => {
    if (faulty) throw new Error('the database is away')
    return new Map(keys.map((key) => [key, key]))
  })
  const outcomes = await Promise.allSettled([find(db, 'one'), find(db, 'two')])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  faulty = false
  expect(await find(db, 'three')).toBe('three')
})
