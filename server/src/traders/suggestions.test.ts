import { Kysely, PostgresDialect } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { buildTestApp, type TestApp } from '../../test/build-test-app.ts'
import { call, makeTrader } from '../../test/factories.ts'
import { type SignedIn, signIn } from '../../test/sign-in/sign-in.ts'
import type { DB } from '../platform/database/schema.ts'
import { namesNear } from './suggest-traders.ts'
import { listByBeginning, listByName } from './suggestions.queries.ts'

const testApp = await buildTestApp({ settings: { limitsOn: false } })
afterAll(() => testApp.close())

async function makeKnown(username: string, closed = 1, app: TestApp = testApp): Promise<void> {
  const trader = await makeTrader(app, username)
  await app.pool.query(
    'insert into trader_stats (trader_id, closed_count, open_count, gain_sum) values ($1, $2, 1, 12.345 * $2::int)',
    [trader.userId, closed],
  )
}
const suggest = (who: SignedIn, typed: string, app: TestApp = testApp) =>
  call(app, who, 'GET', `/v1/accounts/suggestions?username=${encodeURIComponent(typed)}`)

await makeKnown('Maria')
await makeKnown('mari_2')
await makeKnown('marigold')
await makeKnown('sofia', 3)
await makeKnown('sofie', 9)
await makeKnown('maroon-unclosed', 0)
await makeTrader(testApp, 'marvin')
const reader = await signIn(testApp)

test('traders are offered by the beginning of their name, with what the leaderboard shows of them and nothing else', {
  tags: ['SEARCH-16', 'SEARCH-18'],
}, async () => {
  expect(await suggest(reader, ' MAR ')).toEqual({
    status: 200,
    body: {
      match: 'beginning',
      traders: [
        { username: 'mari_2', averageGain: '12.35' },
        { username: 'Maria', averageGain: '12.35' },
        { username: 'marigold', averageGain: '12.35' },
      ],
    },
  })
  expect((await suggest(reader, 's')).body).toMatchObject({
    match: 'beginning',
    traders: [{ username: 'sofia' }, { username: 'sofie' }],
  })
})

test.each([
  ['a letter is missing', 'mria'],
  ['a letter is too much', 'mariaa'],
  ['a letter is another', 'mar1a'],
  ['two letters changed places', 'amria'],
])(
  'where nobody’s name begins so, a name is offered of which %s',
  { tags: ['SEARCH-17'] },
  async (_how, typed) => {
    expect((await suggest(reader, typed)).body).toEqual({
      match: 'near',
      traders: [{ username: 'Maria', averageGain: '12.35' }],
    })
  },
)

test('a single name that begins so is offered as such, and near names from three letters on', async () => {
  expect((await suggest(reader, 'marig')).body).toMatchObject({
    match: 'beginning',
    traders: [{ username: 'marigold' }],
  })
  await makeKnown('kim')
  expect((await suggest(reader, 'kin')).body).toMatchObject({ match: 'near', traders: [{ username: 'kim' }] })
  expect((await suggest(reader, 'kn')).body).toEqual({ match: 'beginning', traders: [] })
})

test('of several near names the one that closed more comes first', async () => {
  const { body } = await suggest(reader, 'sofi3')
  expect(body).toMatchObject({ match: 'near', traders: [{ username: 'sofie' }, { username: 'sofia' }] })
})

test.each([
  '',
  '   ',
  '_',
  '%',
  'ma%',
  "m' or 1=1--",
  'mar\u0000',
  'x'.repeat(300),
  'marvin',
  'maroon',
  'mq',
  'zzzzzz',
])('%j offers nobody', async (typed) => {
  expect(await suggest(reader, typed)).toMatchObject({ status: 200, body: { traders: [] } })
})

test('a person may ask sixty times a minute', { tags: ['SEARCH-19'] }, async () => {
  await using limited = await buildTestApp({ settings: { limitsOn: true } })
  const [person, another] = [await signIn(limited), await signIn(limited)]
  for (let asked = 0; asked < 60; asked += 1) {
    expect((await suggest(person, 'mar', limited)).status).toBe(200)
  }
  expect(await suggest(person, 'mar', limited)).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
  expect((await suggest(another, 'mar', limited)).status).toBe(200)
  limited.clock.advance(60_000)
  expect((await suggest(person, 'mar', limited)).status).toBe(200)
})

test('six traders are offered at most, and the database reads them from its indexes, however many there are', async () => {
  await using big = await buildTestApp()
  const { pool } = big
  await pool.query(`insert into users (id, email, created_at, updated_at)
    select gen_random_uuid(), 'p' || n || '@example.com', now(), now() from generate_series(1, 5000) n`)
  await pool.query(`insert into accounts (user_id, username, username_set_at, created_at)
    select id, 'p-' || left(id::text, 8), now(), now() from users on conflict do nothing`)
  await pool.query(`insert into trader_stats (trader_id, closed_count, gain_sum)
    select user_id, 1, 5 from accounts`)
  await pool.query('analyze trader_stats, accounts')
  const asked: { sql: string; parameters: readonly unknown[] }[] = []
  const db = new Kysely<DB>({
    dialect: new PostgresDialect({ pool }),
    log: ({ query }) => void asked.push(query),
  })
  expect((await listByBeginning(db, 'p-', 6)).length).toBe(6)
  await listByName(db, namesNear('p-0123456789a'), 6)
  const plans = await Promise.all(
    asked.map(({ sql, parameters }) => pool.query(`explain (format json) ${sql}`, [...parameters])),
  )
  const [beginning = '', near = ''] = plans.map(({ rows }) => JSON.stringify(rows))
  expect(beginning).toContain('"accounts_username"')
  expect(near).toContain('"accounts_username"')
  expect([beginning, near].map((plan) => plan.includes('Seq Scan'))).toEqual([false, false])
})

test('the names near another are those within one slip, of the lengths that a name can have', () => {
  const near = namesNear('abc')
  expect(new Set(near).size).toBe(near.length)
  for (const name of ['abcd', 'xabc', 'abx', 'bac', 'acb']) expect(near).toContain(name)
  for (const name of ['abc', 'ab', 'cba', 'abcde']) expect(near).not.toContain(name)
  expect(Math.max(...namesNear('a'.repeat(15)).map(({ length }) => length))).toBe(15)
  expect(namesNear('abcdefghijklmn').length).toBeLessThanOrEqual(1200)
})
