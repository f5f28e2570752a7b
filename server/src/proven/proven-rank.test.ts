import { expect, test } from 'vitest'
import { buildTestApp } from '../../test/build-test-app.ts'
import { call, makeTrader } from '../../test/factories.ts'
import { insertTraders } from '../../test/prices/proven-scenario.ts'
import { type SignedIn, signIn } from '../../test/sign-in/sign-in.ts'

test('on the Proven list too a trader sees the own entry and, beyond the best hundred, the exact place', async () => {
  await using testApp = await buildTestApp()
  const ids = await insertTraders(testApp, 110)
  const [listed, one, other] = [
    await makeTrader(testApp, 'listed'),
    await makeTrader(testApp, 'one'),
    await makeTrader(testApp, 'other'),
  ]
  await testApp.pool.query('insert into trader_stats (trader_id) select * from unnest($1::uuid[])', [
    [listed, one, other].map(({ userId }) => userId),
  ])
  // 110 that fall by one from 200 on, and one that leads; the last two are equal, and go by id.
  const lows = [...ids.map((_, nth) => 200 - nth), 500, 1.25, 1.25]
  await testApp.pool.query(`insert into score_runs values ('2026-03-03', 1, $1, 113)`, [testApp.clock.now()])
  await testApp.pool.query(
    `insert into trader_scores (as_of, trader_id, low, middle, high, reliability)
     select '2026-03-03', id, low, low + 1, low + 2, 0.9 from unnest($1::uuid[], $2::float8[]) given (id, low)`,
    [[...ids, listed.userId, one.userId, other.userId], lows],
  )
  const read = async (who: SignedIn) => {
    const { body } = await call(testApp, who, 'GET', '/v1/leaderboard/proven')
    const entries = body.entries as { username: string; isSelf?: boolean }[]
    expect(entries.length).toBe(100)
    return { selves: entries.flatMap(({ username, isSelf }) => (isSelf ? [username] : [])), own: body.own }
  }
  expect(await read(listed)).toEqual({ selves: ['listed'], own: undefined })
  expect(await read(await signIn(testApp))).toEqual({ selves: [], own: undefined })
  const [first, second] = one.userId < other.userId ? [one, other] : [other, one]
  for (const [who, rank] of [
    [first, 112],
    [second, 113],
  ] as const) {
    expect(await read(who)).toEqual({
      selves: [],
      own: {
        username: who.username,
        low: '1.25',
        middle: '2.25',
        high: '3.25',
        provisional: false,
        closed: 0,
        open: 0,
        overdue: 0,
        averageGain: null,
        isSelf: true,
        rank,
        ranked: 113,
      },
    })
  }
})
