import { expect, test, vi } from 'vitest'
import { TEST_NOW } from '../../../test/build-test-app.ts'
import { openTestDatabase } from '../../../test/database/database.ts'
import { addFollowers, makeCrowdTrader, publish } from '../../../test/followers.ts'
import { DatabaseClient } from '../../platform/database/database-client.ts'
import { findRecipients } from './audience.queries.ts'
import { RecipientPage } from './recipient-page.ts'

async function followed(count: number) {
  const database = await openTestDatabase()
  const trader = await makeCrowdTrader(database.pool, 'maria', TEST_NOW)
  await addFollowers(database.pool, trader, count, TEST_NOW)
  await publish(database.db, trader, { symbol: 'AAPL' }, TEST_NOW)
  const read = async (after: number, upTo: number) =>
    new RecipientPage(
      await findRecipients(database.db, { traderId: trader.traderId, eventNo: 1, after, upTo }, TEST_NOW),
    )
  return { database, read }
}

test('the recipients of a range are one statement and one row, found by indexes, and read in their order', async () => {
  using queries = vi.spyOn(DatabaseClient.prototype, 'query')
  const { database, read } = await followed(3000)
  await using _ = { [Symbol.asyncDispose]: () => database.close() }
  await database.pool.query('analyze')
  await read(0, 0)
  queries.mockClear()
  const page = await read(1000, 1250)
  expect(queries).toHaveBeenCalledTimes(1)
  const [asked] = queries.mock.calls[0] as unknown as [{ text: string; values: unknown[] }]
  const { rowCount } = await database.pool.query(asked.text, asked.values)
  expect(rowCount).toBe(1)
  const plan = await database.pool.query(`explain ${asked.text}`, asked.values)
  expect(JSON.stringify(plan.rows)).not.toMatch(/Seq Scan on (?:users|subscriptions)/)
  expect(page.count).toBe(250)
  const ids = page.userIds()
  expect(page.peek()?.mailNo).toBe(1001)
  const all = Array.from({ length: 250 }, () => page.next())
  expect(all.map((one) => one?.mailNo)).toEqual(Array.from({ length: 250 }, (_, place) => 1001 + place))
  expect(all.map((one) => one?.userId)).toEqual(ids)
  expect(all[0]).toMatchObject({ address: '1000@maria.example', refusedBefore: false, from: '' })
  expect(page.next()).toBeNull()
})

test('each recipient has their own token and sender, and what an address holds moves no other', async () => {
  const { database, read } = await followed(3)
  await using _ = { [Symbol.asyncDispose]: () => database.close() }
  const { rows } = await database.pool.query<{ id: string; token: string }>(
    'select subscriber_id as id, unsubscribe_token as token from subscriptions order by mail_no',
  )
  await database.pool.query('update users set email = $1 where id = $2', ['odd\none\t@x', rows[0]?.id])
  await database.pool.query(
    'insert into mail_refusals (user_id, trader_id, event_no, refused_at) select $1, trader_id, 1, $2 from subscriptions limit 1',
    [rows[1]?.id, TEST_NOW],
  )
  const page = await read(0, 3)
  page.senders = (place) => `sender-${place}`
  const all = [page.next(), page.next(), page.next()]
  expect(all.map((one) => one?.address)).toEqual(['odd one\t@x', '1@maria.example', '2@maria.example'])
  expect(all.map((one) => one?.unsubscribeToken)).toEqual(rows.map(({ token }) => token))
  expect(all.map((one) => one?.refusedBefore)).toEqual([false, true, false])
  expect(all.map((one) => one?.from)).toEqual(['sender-0', 'sender-1', 'sender-2'])
})

test('a range of nobody has no recipients', () => {
  const page = new RecipientPage('')
  expect(page.count).toBe(0)
  expect(page.userIds()).toEqual([])
  expect(page.next()).toBeNull()
})
