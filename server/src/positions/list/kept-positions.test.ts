import { afterAll, beforeEach, expect, test } from 'vitest'
import { TEST_NOW, type TestApp } from '../../../test/build-test-app.ts'
import { statementsOf } from '../../../test/database/query-log.ts'
import { call, close, makeTrader, moveSubscription, open, subscribe } from '../../../test/factories.ts'
import { startTwoProcesses } from '../../../test/processes/two-processes.ts'
import { bearer, type SignedIn, signIn, tokenOf } from '../../../test/sign-in/sign-in.ts'
import { adjustForSplit } from '../correct/adjust-positions.ts'

// Two API processes on one database: the other process keeps positions that the first one changes.
const processes = await startTwoProcesses()
const { database, here, quotes, there } = processes
afterAll(() => processes.close())

const at = (instant: Date) => {
  for (const app of [here, there]) app.clock.set(instant)
}
beforeEach(() => at(TEST_NOW))

type Listed = { stock: string; openPrice: number; user: string; companyName?: string }

async function list(app: TestApp, who: SignedIn): Promise<Listed[]> {
  const { status, body } = await call(app, who, 'GET', '/v1/positions')
  expect(status).toBe(200)
  return body.positions as Listed[]
}

const stocks = async (app: TestApp, who: SignedIn) => (await list(app, who)).map(({ stock }) => stock)

/** How often positions are read while people list theirs, all at once. */
async function readings(app: TestApp, people: readonly SignedIn[]): Promise<number> {
  const texts = await statementsOf(app, () => Promise.all(people.map((who) => list(app, who))))
  return texts.filter((text) => /from positions\b/.test(text)).length
}

test('after an open, a split and a close the next list shows it, to the trader and to who follows, in every process', async () => {
  const [trader, follower] = [await makeTrader(here), await signIn(here)]
  await subscribe(here, follower, trader)
  const seen = async () => {
    const lists = []
    for (const app of [here, there]) for (const who of [trader, follower]) lists.push(await list(app, who))
    const texts = lists.map((positions) =>
      positions.map(({ openPrice, stock }) => `${stock} ${openPrice}`).join(),
    )
    expect(new Set(texts).size, texts.join(' | ')).toBe(1)
    return texts[0]
  }
  expect(await seen()).toBe('')
  for (const [nth, app] of [here, there].entries()) {
    expect((await open(app, quotes, trader, `SHOWN${nth}`, 100)).status).toBe(201)
    for (const app of [here, there]) app.clock.advance(1000)
    expect(await seen()).toBe(['SHOWN0 100', 'SHOWN1 100,SHOWN0 100'][nth])
  }
  at(new Date('2026-03-06T15:00:00Z'))
  await adjustForSplit(database.db, { symbol: 'SHOWN0', ratio: '8:1', day: '2026-03-05' }, here.clock.now())
  expect(await seen()).toBe('SHOWN1 100,SHOWN0 12.5')
  expect((await close(there, quotes, trader, 'SHOWN1', 110)).status).toBe(200)
  expect(await seen()).toBe('SHOWN0 12.5')
  expect((await close(here, quotes, trader, 'SHOWN0', 110)).status).toBe(200)
  expect(await seen()).toBe('')
})

test('positions are read once for each event of their trader, however many list them, and nobody else’s with them', async () => {
  const [busy, quiet] = [await makeTrader(here), await makeTrader(here)]
  for (const trader of [busy, quiet]) await open(here, quotes, trader, 'READ', 100)
  const followers = await Promise.all(Array.from({ length: 5 }, () => signIn(here)))
  for (const who of followers) for (const trader of [busy, quiet]) await subscribe(here, who, trader)
  const people = [busy, quiet, ...followers]
  await readings(here, people)
  expect(await readings(here, people)).toBe(0)
  await open(there, quotes, busy, 'MORE', 100)
  const texts = await statementsOf(here, () => Promise.all(followers.map((who) => stocks(here, who))))
  expect(texts.filter((text) => /from positions\b/.test(text))).toEqual([
    expect.stringMatching(/where trader_id = \$1 and closed_at is null/),
  ])
  expect(await readings(here, people)).toBe(0)
  expect((await stocks(here, followers[0] as SignedIn)).sort()).toEqual(['MORE', 'READ', 'READ'])
})

test('the name of a company shows in a list that was kept without it', async () => {
  const trader = await makeTrader(here)
  quotes.setSearch((response) => void response.writeHead(500).end())
  for (const symbol of ['NAMELESS', 'LATER']) await open(here, quotes, trader, symbol, 100)
  const names = async () =>
    Object.fromEntries((await list(here, trader)).map(({ companyName, stock }) => [stock, companyName]))
  expect(await names()).toEqual({ NAMELESS: undefined, LATER: undefined })
  const result = [{ symbol: 'LATER', description: 'Later "L" Inc' }]
  quotes.setSearch((response) => void response.end(JSON.stringify({ count: 1, result })))
  await call(here, trader, 'POST', '/v1/positions/preview', { symbol: 'LATER' })
  for (let round = 0; round < 2; round += 1) {
    expect(await names()).toEqual({ NAMELESS: undefined, LATER: 'Later "L" Inc' })
    const headers = bearer(await tokenOf(here, trader))
    const { body } = await here.app.inject({ url: '/v1/positions', headers })
    expect(body.match(/companyName/g), 'it is written once').toHaveLength(1)
  }
  expect(await readings(here, [trader])).toBe(0)
})

test('what is kept is shown to nobody who is not entitled to it now', async () => {
  const trader = await makeTrader(here)
  await open(here, quotes, trader, 'PAID', 100)
  const [staying, leaving, stranger] = [await signIn(here), await signIn(here), await signIn(here)]
  await subscribe(here, staying, trader)
  const id = await subscribe(here, leaving, trader)
  const seen = () => Promise.all([staying, leaving, stranger].map((who) => stocks(here, who)))
  expect(await seen()).toEqual([['PAID'], ['PAID'], []])
  await moveSubscription(here, trader, id, 'canceled')
  expect(await seen()).toEqual([['PAID'], [], []])
  expect(await readings(here, [staying, leaving, stranger])).toBe(0)
})

test('of two traders with more positions than one list shows, everybody’s list is whole for who follows them alone', async () => {
  const [older, newer] = [await makeTrader(here), await makeTrader(here)]
  for (const [trader, day, count] of [
    [older, 1, 501],
    [newer, 2, 600],
  ] as const)
    await database.pool.query(
      `insert into positions (trader_id, id, symbol, hold_length, open_price, open_notes, opened_at, open_preview_id)
       select $1, gen_random_uuid(), 'S' || n, 'less_than_one_week', 1, 'ten or more',
         timestamptz '2026-03-01' + $2::int * interval '1 day' + n * interval '1 minute', gen_random_uuid()
       from generate_series(1, $3::int) n`,
      [trader.userId, day, count],
    )
  const [both, one] = [await signIn(here), await signIn(here)]
  for (const trader of [older, newer]) await subscribe(here, both, trader)
  await subscribe(here, one, older)
  expect(new Set((await list(here, both)).map(({ user }) => user))).toEqual(new Set([newer.username]))
  const listed = await list(here, one)
  expect([listed.length, listed[0]?.stock, listed.at(-1)?.stock]).toEqual([500, 'S501', 'S2'])
  expect(await readings(here, [both, one])).toBe(0)
  expect((await list(here, newer)).length).toBe(600)
})
