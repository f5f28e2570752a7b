import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { makeTestClock, TEST_NOW } from '../../test/build-test-app.ts'
import { openTestDatabase } from '../../test/database/database.ts'
import { endWorkerSessions } from '../../test/database/end-worker-sessions.ts'
import { type DueTable, leaseDue, makeDue } from './due-rows.queries.ts'
import { dueWork } from './due-rows.ts'
import { runWork } from './run-work.ts'
import { openWorkSession } from './work-session.ts'

const SECOND_MS = 1000
const HOUR_MS = 3_600_000

/** Chores of houses; several of a house are one piece of work. */
const CHORES = {
  name: 'chores',
  key: { house: 'text' },
  dueAt: 'due_at',
} as const satisfies DueTable
const GROWING: DueTable<'house'> = { ...CHORES, longestPauseMs: 60 * SECOND_MS }

type Handle = (house: string) => Promise<void>

/** A table of rows that are due, and workers that run the test's handler on them. */
async function startScene(table: DueTable<'house'> = CHORES) {
  const database = await openTestDatabase()
  onTestFinished(() => database[Symbol.asyncDispose]())
  const { db, pool, url } = database
  await pool.query(`create table chores (id int primary key generated always as identity, house text not null, due_at timestamptz,
    tries int not null default 0, lease_owner int, leased_at timestamptz)`)
  const clock = makeTestClock(TEST_NOW)
  const given: string[] = []
  const lines: string[] = []
  const wakes: (() => void)[] = []
  const log = pino({ level: 'error' }, { write: (line: string) => lines.push(line) })
  return {
    clock,
    database,
    given,
    logged: () => lines.map((line) => JSON.parse(line) as object),
    start(handle: Handle, { atOnce = 4, pauseMs = 20 * SECOND_MS } = {}) {
      const deps = { ...database, databaseUrl: url, clock, log }
      const session = openWorkSession(deps)
      const work = dueWork(deps, {
        table,
        atOnce,
        pauseMs,
        async handle({ house }) {
          given.push(house)
          await handle(house)
        },
      })
      const running = runWork({ ...deps, session }, work)
      wakes.push(running.wake)
      onTestFinished(async () => {
        await running.stop()
        await session.end()
      })
    },
    async add(...houses: string[]) {
      const due = 'insert into chores (house, due_at) select unnest($1::text[]), $2'
      await pool.query(due, [houses, clock.now()])
      await pool.query("select pg_notify('work', 'chores')")
    },
    /** The worker looks for what is due every two seconds by itself. */
    pass(ms: number) {
      clock.advance(ms)
      for (const wake of wakes) wake()
    },
    askFor: (house: string) => makeDue(db, table, [house], clock.now()),
    /** Ends the work of a row, as a handler does that has nothing more to do. */
    end: async (house: string) => {
      await pool.query('update chores set due_at = null where house = $1', [house])
    },
    async rows() {
      const { rows } = await pool.query(
        'select house, due_at as "dueAt", tries, lease_owner as owner from chores order by id',
      )
      return rows as { house: string; dueAt: Date | null; tries: number; owner: number | null }[]
    },
  }
}

const after = (ms: number, from = TEST_NOW) => new Date(from.getTime() + ms)

test('a row whose worker died with it is free at once, and one in living hands is left there until these hang', async () => {
  const { add, database, end, given, pass, rows, start } = await startScene()
  const { pool } = database
  const living = await pool.connect()
  onTestFinished(() => living.release(true))
  await living.query('select pg_advisory_lock(7238, 1000001)')
  await add('dead', 'living')
  await pool.query(
    // The lease of the dead worker is from a clock that has been set back since.
    `update chores set lease_owner = case house when 'dead' then 1000000 else 1000001 end,
       leased_at = due_at + case house when 'dead' then interval '1 h' else interval '0' end`,
  )
  start(end)
  await expect.poll(rows).toMatchObject([{ dueAt: null, owner: null }, { owner: 1000001 }])
  await add('later')
  await expect.poll(async () => (await rows())[2]).toMatchObject({ dueAt: null })
  expect(given).toEqual(['dead', 'later'])
  pass(10 * SECOND_MS + 1)
  await expect.poll(async () => (await rows())[1]).toMatchObject({ dueAt: null, owner: null })
})

/** A worker has the house `slow` in hand until `over` is resolved. */
async function haveInHand({ add, end, given, start }: Awaited<ReturnType<typeof startScene>>) {
  const over = Promise.withResolvers<void>()
  const handle = async (house: string) => {
    if (house === 'slow') await over.promise
    await end(house)
  }
  start(handle)
  await add('slow')
  await expect.poll(() => given).toEqual(['slow'])
  return { handle, over }
}

test('a row in hand is given to nobody else, and not a second time to who has it', async () => {
  const scene = await startScene()
  const { add, clock, database, given, rows, start } = scene
  const renewedAt = async () =>
    (await database.pool.query("select leased_at from chores where house = 'slow'")).rows[0]?.leased_at
  const { handle, over } = await haveInHand(scene)
  // The lease has not been renewed at this time yet.
  clock.advance(10 * SECOND_MS + 1)
  await add('early')
  await expect.poll(async () => (await rows()).at(-1)).toMatchObject({ dueAt: null, owner: null })
  await expect.poll(renewedAt).toEqual(clock.now())
  start(handle)
  for (const house of ['one', 'two', 'three']) {
    await add(house)
    await expect.poll(async () => (await rows()).at(-1)).toMatchObject({ dueAt: null, owner: null })
  }
  expect(given).toEqual(['slow', 'early', 'one', 'two', 'three'])
  over.resolve()
  await expect.poll(async () => (await rows())[0]).toMatchObject({ dueAt: null, owner: null })
})

test('a row whose handler fails comes again after its pause, holds up no other, and is logged without what it is about', async () => {
  const { add, clock, end, given, logged, pass, rows, start } = await startScene()
  start(
    async (house) => {
      if (house === 'burnt') throw new Error('no water for maria@people.example')
      await end(house)
    },
    { atOnce: 1 },
  )
  await add('burnt', 'whole')
  await expect.poll(rows).toMatchObject([{ dueAt: after(20 * SECOND_MS), owner: null }, { dueAt: null }])
  expect(logged()).toMatchObject([
    {
      level: 50,
      work: 'chores',
      reason: expect.stringContaining('Error: no water for …: at '),
      msg: 'work failed',
    },
  ])
  expect(JSON.stringify(logged())).not.toContain('burnt')
  clock.advance(20 * SECOND_MS - 1)
  await add('next')
  await expect.poll(async () => (await rows())[2]).toMatchObject({ dueAt: null })
  expect(given.toSorted()).toEqual(['burnt', 'next', 'whole'])
  pass(1)
  await expect
    .poll(async () => (await rows())[0])
    .toMatchObject({ dueAt: after(20 * SECOND_MS, clock.now()), owner: null, tries: 0 })
})

test('a row that a handler leaves due comes again after the pause of its kind, sooner where the handler failed, and not before the time that it wrote', async () => {
  const { add, database, end, rows, start } = await startScene()
  const tomorrow = after(24 * HOUR_MS)
  start(
    async (house) => {
      if (house === 'burnt') throw new Error('no water')
      if (house === 'done') await end(house)
      if (house === 'later')
        await database.pool.query('update chores set due_at = $1 where house = $2', [tomorrow, house])
    },
    { pauseMs: HOUR_MS },
  )
  await add('open', 'burnt', 'done', 'later')
  const free = { owner: null, tries: 0 }
  await expect.poll(rows).toMatchObject([
    { ...free, dueAt: after(HOUR_MS) },
    { ...free, dueAt: after(300 * SECOND_MS) },
    { ...free, dueAt: null },
    { ...free, dueAt: tomorrow },
  ])
})

test('where tries are counted each pause is twice as long as the one before, up to the longest', async () => {
  const { add, askFor, clock, pass, rows, start } = await startScene(GROWING)
  start(async () => {
    throw new Error('no water')
  })
  await add('burnt')
  for (const [tries, seconds] of [
    [1, 20],
    [2, 40],
    [3, 60],
    [4, 60],
  ] as const) {
    const dueAt = after(seconds * SECOND_MS, clock.now())
    await expect.poll(rows).toMatchObject([{ dueAt, tries, owner: null }])
    pass(seconds * SECOND_MS)
  }
  await expect.poll(rows).toMatchObject([{ tries: 5, owner: null }])
  await askFor('burnt')
  await expect
    .poll(rows)
    .toMatchObject([{ tries: 1, owner: null, dueAt: after(20 * SECOND_MS, clock.now()) }])
})

test('a row that is asked for again while it is in hand is handled again at once, however that ends', async () => {
  for (const fails of [false, true]) {
    const { add, askFor, clock, end, given, rows, start } = await startScene(GROWING)
    const over = Promise.withResolvers<void>()
    start(async (house) => {
      await over.promise
      if (given.length > 1) await end(house)
      else if (fails) throw new Error('no water')
    })
    await add('busy')
    await expect.poll(() => given).toEqual(['busy'])
    clock.advance(1)
    await askFor('busy')
    over.resolve()
    await expect.poll(rows).toMatchObject([{ dueAt: null, owner: null, tries: 0 }])
    expect(given).toEqual(['busy', 'busy'])
    // Nothing is to be done with it any more.
    await askFor('busy')
    expect(await rows()).toMatchObject([{ dueAt: null }])
  }
})

test('a row in hand that is asked for by a clock that is behind, or in the same millisecond, is handled again all the same', async () => {
  for (const behind of [0, SECOND_MS]) {
    const { add, clock, database, end, given, pass, rows, start } = await startScene()
    const over = Promise.withResolvers<void>()
    start(
      async (house) => {
        await over.promise
        if (given.length > 1) await end(house)
      },
      { pauseMs: HOUR_MS },
    )
    await add('busy')
    await expect.poll(() => given).toEqual(['busy'])
    await makeDue(database.db, CHORES, ['busy'], after(-behind, clock.now()))
    over.resolve()
    await expect.poll(async () => (await rows())[0]?.owner).toBeNull()
    pass(1)
    await expect.poll(rows).toMatchObject([{ dueAt: null, owner: null }])
    expect(given).toEqual(['busy', 'busy'])
  }
})

test('rows of one key are one piece of work; one that becomes due while it is in hand waits, whichever worker has room', async () => {
  const { add, clock, database, end, given, rows, start } = await startScene()
  const over = Promise.withResolvers<void>()
  const handle = async (house: string) => {
    if (house === 'villa' && given.length === 1) await over.promise
    await end(house)
  }
  start(handle)
  const tomorrow = after(24 * HOUR_MS)
  await database.pool.query("insert into chores (house, due_at) values ('villa', $1)", [tomorrow])
  await add('villa', 'villa')
  await expect.poll(() => given).toEqual(['villa'])
  const [later, ...owners] = (await rows()).map(({ owner }) => owner)
  expect(later).toBeNull()
  expect(owners[0]).not.toBeNull()
  expect(owners[1]).toBe(owners[0])
  start(handle)
  clock.advance(1)
  await add('villa', 'hut')
  await expect.poll(async () => (await rows())[4]).toMatchObject({ dueAt: null })
  await add('shed')
  await expect.poll(async () => (await rows())[5]).toMatchObject({ dueAt: null })
  expect(given).toEqual(['villa', 'hut', 'shed'])
  expect((await rows())[3]).toMatchObject({ owner: null, dueAt: clock.now() })
  over.resolve()
  const done = { dueAt: null, owner: null }
  await expect.poll(rows).toMatchObject([done, done, done, done, done, done])
})

test('of several rows of one key those that are left due come again together, after the pause', async () => {
  const { add, database, given, rows, start } = await startScene()
  start(async () => undefined)
  await database.pool.query("insert into chores (house, due_at) values ('villa', $1), ('villa', $2)", [
    after(-SECOND_MS),
    after(-2 * SECOND_MS),
  ])
  await add('hut')
  const again = { dueAt: after(20 * SECOND_MS), owner: null }
  await expect.poll(rows).toMatchObject([again, again, again])
  expect(given.toSorted()).toEqual(['hut', 'villa'])
})

test('workers that look at the same moment are each given other rows', async () => {
  const { clock, database } = await startScene()
  // So many that one is leased by somebody else between the look at it and its lock.
  await database.pool.query(
    "insert into chores (house, due_at) select 'house ' || nth, $1 from generate_series(1, 20000) nth",
    [clock.now()],
  )
  const leaseSome = async (number: number) => {
    const client = await database.pool.connect()
    onTestFinished(() => client.release(true))
    await client.query('select pg_advisory_lock(7238, $1)', [number])
    const terms = { number, now: clock.now(), staleBefore: after(-10 * SECOND_MS) }
    const taken: string[] = []
    for (let look = 0; look < 8; look += 1)
      taken.push(...(await leaseDue(client, CHORES, terms, 3)).flatMap(({ key }) => key))
    return taken
  }
  const taken = (await Promise.all([1000001, 1000002, 1000003, 1000004].map(leaseSome))).flat()
  expect(taken).toHaveLength(new Set(taken).size)
})

test('a row that somebody else has locked is not waited for, and of a key the first one shows that it is taken', async () => {
  const { add, database, end, given, rows, start } = await startScene()
  await add('locked', 'villa', 'villa', 'mill', 'mill', 'hut')
  const locking = await database.pool.connect()
  onTestFinished(() => locking.release(true))
  await locking.query('begin; select from chores where id in (1, 3, 4) for update')
  start(async (house) => {
    if (house === 'hut') await end(house)
  })
  const waiting = { dueAt: TEST_NOW, owner: null }
  const givenBack = { dueAt: after(20 * SECOND_MS), owner: null }
  await expect
    .poll(rows)
    .toMatchObject([waiting, givenBack, waiting, waiting, waiting, { dueAt: null, owner: null }])
  expect(given.toSorted()).toEqual(['hut', 'villa'])
})

test('workers are notified of a row that is made due when that is committed, under the name of its table', async () => {
  const { add, askFor, database } = await startScene()
  const listening = await database.pool.connect()
  onTestFinished(() => listening.release(true))
  const payloads: (string | undefined)[] = []
  listening.on('notification', ({ payload }) => payloads.push(payload))
  await add('busy')
  await listening.query('listen work')
  await askFor('busy')
  await askFor('unknown')
  await listening.query("select pg_notify('work', 'last')")
  await expect.poll(() => payloads).toEqual(['chores', 'last'])
  const work = dueWork(
    { clock: makeTestClock(TEST_NOW), log: pino({ level: 'silent' }) },
    { table: CHORES, atOnce: 1, pauseMs: 1, handle: async () => undefined },
  )
  expect(payloads.map((payload) => work.isFor?.(payload ?? ''))).toEqual([true, false])
})

test('where others go by the times these stay, and what is left due rests all the same', async () => {
  const { add, given, pass, rows, start } = await startScene({ ...CHORES, keepsTimes: true })
  start(async () => undefined)
  await add('open')
  const left = { dueAt: TEST_NOW, owner: null }
  await expect.poll(rows).toMatchObject([left])
  await expect.poll(() => given).toEqual(['open'])
  await add('other')
  await expect.poll(() => given).toEqual(['open', 'other'])
  await expect.poll(rows).toMatchObject([left, left])
  pass(20 * SECOND_MS - 1)
  await add('next')
  await expect.poll(() => given).toEqual(['open', 'other', 'next'])
  pass(1)
  await expect.poll(() => given.toSorted()).toEqual(['next', 'open', 'open', 'other', 'other'])
})

test('work in hand goes on after its worker has lost the session, under the next number', async () => {
  const scene = await startScene()
  const { add, database, given, rows, start } = scene
  const { handle, over } = await haveInHand(scene)
  const before = (await rows())[0]?.owner ?? 0
  await endWorkerSessions(database.pool, before)
  await expect.poll(async () => (await rows())[0]?.owner).toBeGreaterThan(before)
  start(handle)
  await add('next')
  await expect.poll(async () => (await rows())[1]).toMatchObject({ dueAt: null })
  over.resolve()
  await expect.poll(rows).toMatchObject([{ dueAt: null, owner: null }, { owner: null }])
  expect(given).toEqual(['slow', 'next'])
})
