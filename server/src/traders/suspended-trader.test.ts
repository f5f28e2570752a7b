import { afterAll, expect, test } from 'vitest'
import type { TestApp } from '../../test/build-test-app.ts'
import { call, close, completePayouts, makeTrader, open, subscribe } from '../../test/factories.ts'
import { insertCloses, scoreAt } from '../../test/prices/proven-scenario.ts'
import { startTwoProcesses } from '../../test/processes/two-processes.ts'
import { runOperator } from '../../test/run-operator.ts'
import { type SignedIn, signIn } from '../../test/sign-in/sign-in.ts'

// Two API processes on one database: the operator's command is a third one.
const processes = await startTwoProcesses()
const { here, quotes, there } = processes
afterAll(() => processes.close())

const setTime = (instant: string) => {
  for (const app of [here, there]) app.clock.set(new Date(instant))
}

type Named = { username: string }

/** All answers of one process that mention traders to others. */
async function readAll(app: TestApp, who: SignedIn) {
  const read = (path: string) => call(app, who, 'GET', path)
  const list = async (path: string, name: string) => (await read(path)).body[name] as Named[]
  return {
    board: await list('/v1/leaderboard', 'leaderboard'),
    proven: await list('/v1/leaderboard/proven', 'entries'),
    byBeginning: await list('/v1/accounts/suggestions?username=che', 'traders'),
    near: await list('/v1/accounts/suggestions?username=chaeter', 'traders'),
    search: await read('/v1/accounts/search?username=cheater'),
    profile: await read('/v1/accounts/profile?username=cheater'),
    positions: (await read('/v1/positions')).body.positions,
  }
}

test('a suspended trader is on no list and in no search from the next request on, in every process; once restored all is back', async () => {
  const [cheater, honest] = [await makeTrader(here, 'Cheater'), await makeTrader(here, 'honest')]
  const [follower, stranger] = [await signIn(here), await signIn(here)]
  await completePayouts(here, cheater)
  await subscribe(here, follower, cheater)
  for (const symbol of ['GLITCH', 'OPEN']) await open(here, quotes, cheater, symbol, 100)
  await open(here, quotes, honest, 'AAPL', 100)
  setTime('2026-03-06T15:00:00Z')
  await close(here, quotes, cheater, 'GLITCH', 130)
  await close(here, quotes, honest, 'AAPL', 105)
  const days = ['2026-03-03', '2026-03-04', '2026-03-05', '2026-03-06', '2026-03-09']
  const symbols = ['SPY', 'GLITCH', 'AAPL']
  await insertCloses(
    here,
    days.flatMap((day) => symbols.map((symbol) => [symbol, day, 100] as const)),
  )
  await scoreAt(here, '2026-03-10T15:00:00Z')
  setTime('2026-03-10T15:00:00Z')

  const readers = [
    [here, stranger],
    [there, stranger],
    [here, follower],
    [there, follower],
  ] as const
  const before = await Promise.all(readers.map(([app, who]) => readAll(app, who)))
  const names = (list: Named[]) => list.map(({ username }) => username)
  for (const seen of before) {
    expect(names(seen.board)).toEqual(['Cheater', 'honest'])
    expect(names(seen.proven).toSorted()).toEqual(['Cheater', 'honest'])
    expect([seen.byBeginning, seen.near].map(names)).toEqual([['Cheater'], ['Cheater']])
    expect(seen.search).toMatchObject({ status: 200, body: { username: 'Cheater' } })
  }

  expect(await runOperator(here, 'suspend', '@cheater', 'Nobody', 'could', 'trade', 'there.')).toBe(
    'Suspended.\n',
  )
  for (const [at, [app, who]] of readers.entries()) {
    const [seen, was] = [await readAll(app, who), before[at]]
    const isHonest = ({ username }: Named) => username === 'honest'
    expect(seen).toEqual({
      board: was?.board.filter(isHonest),
      proven: was?.proven.filter(isHonest),
      byBeginning: [],
      near: [],
      search: {
        status: 404,
        body: {
          code: 'user_not_found',
          message: "That user doesn't seem to exist...",
          requestId: expect.any(String),
        },
      },
      profile: {
        status: 200,
        body: {
          username: 'Cheater',
          openPositions: 1,
          closedPositions: 1,
          averageProfit: 30,
          canSubscribe: false,
          isSubscribed: who === follower,
          isSelf: false,
          latestPositions: [
            {
              symbol: 'GLITCH',
              opened: '2026-03-04T15:00:00.000Z',
              closed: '2026-03-06T15:00:00.000Z',
              percentageGain: 30,
            },
          ],
          suspended: true,
        },
      },
      positions: was?.positions,
    })
  }
  expect(before[2]?.positions).toMatchObject([{ stock: 'OPEN', user: 'Cheater' }])
  for (const path of ['/v1/leaderboard', '/v1/accounts/profile?username=cheater', '/v1/positions']) {
    expect(await call(there, cheater, 'GET', path)).toMatchObject({
      status: 403,
      body: { code: 'account_suspended' },
    })
  }

  expect(await runOperator(here, 'restore', '@cheater', 'It', 'was', 'the', 'provider.')).toBe('Restored.\n')
  for (const [at, [app, who]] of readers.entries()) expect(await readAll(app, who)).toEqual(before[at])
  expect((await call(there, cheater, 'GET', '/v1/leaderboard')).status).toBe(200)
})
