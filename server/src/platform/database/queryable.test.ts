import { afterAll, expect, test } from 'vitest'
import { TEST_NOW } from '../../../test/build-test-app.ts'
import { openTestDatabase } from '../../../test/database/database.ts'
import { newId } from '../ids.ts'
import { compiledQuery, withTransaction } from './queryable.ts'

const database = await openTestDatabase()
afterAll(() => database[Symbol.asyncDispose]())

let built = 0
const findCounts = compiledQuery((db, { key, atLeast }: { key: string; atLeast: number }) => {
  built += 1
  return db
    .selectFrom('rate_limits')
    .select(['key', 'count'])
    .where('count', '>=', atLeast)
    .where('key', '=', key)
    .where('count', '<', 100)
})

function insertCount(db: typeof database.db, key: string, count: number) {
  const row = { key, count, window_start: TEST_NOW, expires_at: TEST_NOW }
  return db.insertInto('rate_limits').values(row).execute()
}

test('a statement is built once and sent with the parameters of each call', async () => {
  const [first, second] = [newId(), newId()]
  await insertCount(database.db, first, 3)
  await insertCount(database.db, second, 7)
  expect(await findCounts(database.db, { key: first, atLeast: 1 })).toEqual([{ key: first, count: 3 }])
  expect(await findCounts(database.pipelined, { key: second, atLeast: 1 })).toEqual([
    { key: second, count: 7 },
  ])
  expect(await findCounts(database.pipelined, { key: second, atLeast: 8 })).toEqual([])
  expect(built).toBe(1)
})

test('in a transaction a statement sees what that has written', async () => {
  const key = newId()
  await withTransaction(database.db, async (tx) => {
    await insertCount(tx, key, 5)
    expect(await findCounts(tx, { key, atLeast: 5 })).toEqual([{ key, count: 5 }])
    expect(await findCounts(database.db, { key, atLeast: 5 })).toEqual([])
  })
})

test('a statement that takes the rest of its parameters, whose names are not known, is refused', async () => {
  const findAny = compiledQuery((db, { key, ...rest }: { key: string; atLeast: number }) =>
    db.selectFrom('rate_limits').select('key').where('key', '=', key).where('count', '>=', rest.atLeast),
  )
  await expect(findAny(database.db, { key: newId(), atLeast: 1 })).rejects.toThrow('names each')
})
