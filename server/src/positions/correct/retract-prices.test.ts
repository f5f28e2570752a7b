import { expect, test } from 'vitest'
import { readActivity } from '../../../test/activity.ts'
import { buildTestApp, TEST_NOW, type TestApp } from '../../../test/build-test-app.ts'
import { call, moveSubscription, readTables, subscribe } from '../../../test/factories.ts'
import { closedInIt, FROM, haveGlitch, openedInIt, REASON, retract, TO } from '../../../test/prices/glitch.ts'
import { insertTraders } from '../../../test/prices/proven-scenario.ts'
import { type PushScenario, startPushScenario } from '../../../test/pushes/push-scenario.ts'
import { runOperator } from '../../../test/run-operator.ts'
import { type SignedIn, signIn } from '../../../test/sign-in/sign-in.ts'
import { recountStatistics } from '../record/recount-statistics.ts'

const SYMBOL = 'GLCH'
const followed = (userId: string) => ({ userId }) as SignedIn

/** 280 closes and 20 openings of 40 traders, in a glitch. @returns ids of the traders */
async function haveCrowdInGlitch(testApp: TestApp): Promise<string[]> {
  const traders = await insertTraders(testApp, 40)
  const closes = traders.flatMap((id) => Array.from({ length: 7 }, () => closedInIt(id, SYMBOL)))
  const openings = traders.slice(0, 20).map((id) => openedInIt(id, SYMBOL))
  await haveGlitch(testApp, SYMBOL, { positions: [...closes, ...openings], close: 189.1 })
  return traders
}

/** Followers of the crowd, by the reason that keeps a mail from them, or none. */
async function haveFollowers({ testApp, turnOn }: PushScenario, traders: string[]) {
  const people: Record<string, SignedIn> = {}
  for (const name of ['of all', 'of one', 'without mails', 'ended', 'suspended', 'refused', 'stranger'])
    people[name] = await signIn(testApp)
  const person = (name: string) => people[name] as SignedIn
  for (const id of traders) await subscribe(testApp, person('of all'), followed(id))
  const first = followed(traders[0] ?? '')
  const subscriptions = new Map<string, string>()
  for (const name of ['of one', 'without mails', 'ended', 'suspended', 'refused'])
    subscriptions.set(name, await subscribe(testApp, person(name), first))
  await moveSubscription(testApp, first as never, subscriptions.get('ended') ?? '', 'canceled')
  const stop = `/v1/subscriptions/${subscriptions.get('without mails')}/mail`
  await call(testApp, person('without mails'), 'POST', stop, { enabled: false })
  const { pool } = testApp
  await pool.query('update users set suspended_at = now() where id = $1', [person('suspended').userId])
  await pool.query('insert into suppressions (user_id, created_at) values ($1, now())', [
    person('refused').userId,
  ])
  for (const name of ['of all', 'of one']) await turnOn(person(name))
  return person
}

async function bestOfBoard({ testApp }: PushScenario, viewer: SignedIn): Promise<string | undefined> {
  const { body } = await call(testApp, viewer, 'GET', '/v1/leaderboard')
  return (body.leaderboard as { averageGain: string }[])[0]?.averageGain
}

test('a glitch that hit 300 positions of 40 traders is taken back by one command, with one mail a person and none of an event', async () => {
  await using scenario = await startPushScenario()
  const { delivery, service, testApp } = scenario
  const traders = await haveCrowdInGlitch(testApp)
  const person = await haveFollowers(scenario, traders)
  expect(await bestOfBoard(scenario, person('stranger'))).toBe('9999899.00')
  const worker = await delivery.startWorker()

  const words = ['prices:retract', 'glch', FROM, TO, ...REASON.split(' ')]
  expect(await runOperator(testApp, ...words)).toBe(
    'Took back 300 prices of 300 positions of 40 traders; mailed: 42 people.\n',
  )
  // The command's clock goes on while that of the test stands still.
  await delivery.advance(600_000)
  await scenario.untilNothingIsLeft()
  const { sink } = delivery
  await sink.until(() => sink.total() >= 42)
  const addresses = traders.map((_, nth) => `p${nth + 1}@example.com`)
  const expected = [...addresses, person('of all').email, person('of one').email]
  expect([...sink.byRecipient].toSorted()).toEqual(expected.map((address) => [address, 1]).toSorted())
  expect(service.taken).toEqual([])
  expect(await delivery.countRanges('true')).toBe(0)

  expect(await recountStatistics(testApp.db)).toBe(0)
  expect(await bestOfBoard(scenario, person('stranger'))).toBe('89.10')
  const { items } = await readActivity(testApp, person('of one'))
  expect(items).toHaveLength(8)
  expect(items.map(({ correction, kind }) => [kind, correction?.price, correction?.reason])).toEqual(
    items.map(() => ['adjusted', 189.1, REASON]),
  )
  expect(items.filter(({ correction }) => correction?.end === 'open')).toHaveLength(1)
  expect((await readActivity(testApp, person('stranger'))).items).toEqual([])

  await worker.stop()
  const before = await readTables(testApp)
  expect(await runOperator(testApp, ...words)).toBe(
    'No price of a position was left to take back, and nobody to mail.\n',
  )
  expect(await readTables(testApp)).toEqual(before)
})

test('a run that was cut off is finished by the second one, at the price of the first, and nobody was mailed before', async () => {
  await using testApp = await buildTestApp()
  const { pool } = testApp
  const traders = await haveCrowdInGlitch(testApp)
  const failing = traders.toSorted()[20]
  await pool.query(`
    create function refuse() returns trigger language plpgsql as $$ begin raise exception 'cut off'; end $$;
    create trigger cut_off before insert on position_adjustments
      for each row when (new.trader_id = '${failing}') execute function refuse()`)
  await expect(runOperator(testApp, 'prices:retract', SYMBOL, FROM, TO, REASON)).rejects.toThrow('cut off')
  const before = await readCorrections(testApp)
  expect(new Set(before.map(({ trader }) => trader)).size).toBe(20)
  expect((await pool.query('select from outbox')).rowCount).toBe(0)
  expect(await recountStatistics(testApp.db)).toBe(0)

  await pool.query('drop trigger cut_off on position_adjustments')
  // No price is known any more, and another reason is given: those of the first run stay.
  await pool.query('delete from symbol_days')
  const left = 300 - before.length
  expect(await retract(testApp, { symbol: SYMBOL, reason: 'Another one.' })).toMatchObject({
    prices: left,
    positions: left,
    traders: 20,
    mailed: 40,
  })
  const after = await readCorrections(testApp)
  expect(after).toHaveLength(300)
  expect(new Set(after.map(({ position }) => position)).size).toBe(300)
  expect(new Set(after.map(({ correction }) => correction))).toEqual(new Set([`189.100000 ${REASON}`]))
  expect(await recountStatistics(testApp.db)).toBe(0)
})

async function readCorrections({ pool }: TestApp) {
  const { rows } = await pool.query<{ trader: string; position: string; correction: string }>(
    `select trader_id as trader, position_id as position, concat_ws(' ', price_after, explained) as correction
     from position_adjustments`,
  )
  return rows
}

test('what cannot be meant is refused with a sentence, and nothing changes', async () => {
  await using testApp = await buildTestApp()
  const [trader = ''] = await insertTraders(testApp, 1)
  await haveGlitch(testApp, SYMBOL, { positions: [closedInIt(trader, SYMBOL)], close: 189.1 })
  await testApp.pool.query(
    `insert into symbol_splits (symbol, day, shares, said_at) values ('SPLT', '2026-03-05', 2, $1)`,
    [TEST_NOW],
  )
  const instant = 'That is not an instant such as 2026-11-18T14:02:00Z.'
  const before = await readTables(testApp)
  for (const [given, sentence] of [
    [{ symbol: 'N O' }, 'That is not a ticker.'],
    [{ from: '2026-03-04' }, instant],
    [{ from: '2026-02-30T14:40:00Z' }, instant],
    [{ to: '2026-03-04T14:50:00' }, instant],
    [{ from: '2026-03-04T14:50:01Z' }, 'The second instant is before the first one.'],
    [{ to: '2026-03-04T22:00:00.001Z' }, 'The second instant is not over yet.'],
    [{ from: '2026-03-03T14:49:59Z' }, 'That is longer than a day. Say it in parts.'],
    [{ reason: ' ' }, 'Say why, in at most 500 characters'],
    [{ symbol: 'SPLT' }, 'SPLT was split since'],
  ] as const) {
    await expect(retract(testApp, { symbol: SYMBOL, ...given }), sentence).rejects.toThrow(sentence)
  }
  expect(await readTables(testApp)).toEqual(before)
  // A day is not too long, and a split of its first day has its shares.
  await testApp.pool.query("update symbol_splits set symbol = 'GLCH', day = '2026-03-03'")
  expect(await retract(testApp, { symbol: SYMBOL, from: '2026-03-03T14:50:00Z' })).toMatchObject({
    prices: 2,
    positions: 1,
    traders: 1,
    mailed: 1,
  })
})
