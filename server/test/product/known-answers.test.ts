import type { Endpoint } from '@tradepost/contract/endpoint'
import { endpoints } from '@tradepost/contract/endpoints'
import { Kysely, PostgresDialect } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { makeSecretKey } from '../../src/auth/keys/secret-key.ts'
import { addCloses } from '../../src/marks/record-closes.ts'
import type { DB } from '../../src/platform/database/schema.ts'
import { adjustForSplit } from '../../src/positions/correct/adjust-positions.ts'
import { renameSymbol } from '../../src/positions/correct/rename-symbol.ts'
import { retractPrices } from '../../src/positions/correct/retract-prices.ts'
import { buildTestApp, TEST_NOW, type TestApp } from '../build-test-app.ts'
import { statementsOf } from '../database/query-log.ts'
import { call, close, makeTrader, moveSubscription, open, subscribe, type Trader } from '../factories.ts'
import {
  insertCloses as givenCloses,
  letNightsRun,
  scoreAt,
  stopNightsAfter,
} from '../prices/proven-scenario.ts'
import { startTwoProcesses } from '../processes/two-processes.ts'
import { RACE_TIMEOUT_MS } from '../rounds.ts'
import { bearer, type SignedIn, signIn, tokenOf } from '../sign-in/sign-in.ts'

vi.setConfig({ testTimeout: RACE_TIMEOUT_MS })

// Two API processes on one database, which keep what they have read: what one of them changes the other has to notice.
const processes = await startTwoProcesses()
const { database, here, quotes, there } = processes
afterAll(() => processes.close())

const reads = Object.entries<Endpoint>(endpoints).filter(
  ([, { asksProvider, method, streams }]) => method === 'GET' && !asksProvider && !streams,
)

let trader: Trader
let follower: SignedIn
let people: Record<string, SignedIn>
let position = ''

const at = (instant: string) => {
  for (const app of [here, there]) app.clock.set(new Date(instant))
}

beforeAll(async () => {
  at('2026-03-02T15:00:00Z')
  trader = await makeTrader(here, 'Publisher')
  follower = await signIn(here)
  people = { trader, follower, stranger: await makeTrader(here, 'Stranger') }
  const { body } = await open(here, quotes, trader, 'AAPL', 100)
  position = (body.position as { id: string }).id
  at(TEST_NOW.toISOString())
})

function urlOf({ path, query }: Endpoint): string {
  const filled = path
    .replace(':username', trader.username)
    .replace('/positions/:id', `/positions/${position}`)
  return `${filled.replace(':id', trader.username)}${query ? `?username=${trader.username}&query=apple&symbol=` : ''}`
}

type Seen = { status: number; tag: string; text: string }

async function ask(app: TestApp, who: SignedIn, url: string, known?: string): Promise<Seen> {
  const headers = { ...bearer(await tokenOf(app, who)), ...(known && { 'if-none-match': known }) }
  const answer = await app.app.inject({ url, headers })
  // A refusal has the id of its request.
  const text = answer.statusCode === 200 ? answer.body : ''
  return { status: answer.statusCode, tag: String(answer.headers.etag), text }
}

/** By read and person, what each process has answered last. */
const held = new Map<string, Seen>()

/**
 * Asks for every read as everybody in both processes, with the tag of what each was answered before, and asks a process that has kept
 * nothing too: its answer is the current one. @returns the reads whose answer has changed for somebody
 */
async function lookAtAll(): Promise<string[]> {
  const fresh = await buildTestApp({ database, quotes, clock: here.clock, settings: { limitsOn: false } })
  // A session is noted as seen by the first request of a while; of the others none changes anything.
  for (const who of Object.values(people)) await ask(here, who, '/v1/accounts/configuration')
  const changed = await Promise.all(reads.map(async (read) => ((await lookAt(fresh, read)) ? [read[0]] : [])))
  await fresh.close()
  return changed.flat().sort()
}

/** @returns whether the answer has changed for somebody */
async function lookAt(fresh: TestApp, [name, endpoint]: (typeof reads)[number]): Promise<boolean> {
  let isChanged = false
  for (const [person, who] of Object.entries(people)) {
    const url = urlOf(endpoint)
    const truth = await ask(fresh, who, url)
    if (truth.status === 200)
      expect(JSON.stringify(endpoint.answer.parse(JSON.parse(truth.text))), name).toBe(truth.text)
    for (const [process, app] of Object.entries({ here, there })) {
      const key = `${name} of ${person}, ${process}`
      const before = held.get(key)
      const seen = await ask(app, who, url, before?.tag)
      if (seen.status === 304) expect(before?.text, `304 of ${key}`).toBe(truth.text)
      else {
        expect([seen.status, seen.text], key).toEqual([truth.status, truth.text])
        held.set(key, seen)
      }
      isChanged ||= before !== undefined && before.text !== truth.text
    }
  }
  return isChanged
}

const LATE = { late: true, sharesOf: null }
const secret = makeSecretKey(here.settings.authSecret)
const GLITCH = {
  symbol: 'MSFT',
  from: '2026-03-05T14:59:59Z',
  to: '2026-03-05T15:00:00Z',
  reason: 'The provider was wrong.',
}

const sql = (text: string, values: unknown[] = []) => database.pool.query(text, values)

async function passNight(app: TestApp, instant: string): Promise<void> {
  at(instant)
  await scoreAt(app, instant)
}

let subscription = ''

/** Everything that changes an answer, in the order in which it happens, done by the one or the other process. */
const CHANGES: readonly [what: string, change: () => Promise<unknown>][] = [
  ['nothing', async () => undefined],
  [
    'somebody follows',
    async () => {
      subscription = await subscribe(here, follower, trader)
    },
  ],
  [
    'an opening',
    async () => {
      await open(here, quotes, people.stranger as SignedIn, 'OLD', 100)
      await open(there, quotes, trader, 'MSFT', 100)
    },
  ],
  [
    'a mark of everybody’s',
    () =>
      sql(
        "update symbol_marks set price = 104, for_opened_before = '2026-03-04T16:00Z' where symbol = 'MSFT'",
      ),
  ],
  ['half a minute', async () => at('2026-03-04T15:01:30Z')],
  [
    'closes of the days before, and a night',
    async () => {
      await givenCloses(here, [
        ...['2026-02-27', '2026-03-02', '2026-03-03'].map((day, nth) => ['SPY', day, 500 + nth] as const),
        ['AAPL', '2026-03-02', 100],
        ['AAPL', '2026-03-03', 102],
      ])
      await passNight(here, '2026-03-04T16:00:00Z')
    },
  ],
  ['a close', () => close(here, quotes, trader, 'AAPL', 110)],
  [
    'another night',
    async () => {
      await givenCloses(here, [
        ['SPY', '2026-03-04', 504],
        ['MSFT', '2026-03-04', 105],
      ])
      await passNight(there, '2026-03-05T04:41:00Z')
      at('2026-03-05T15:00:00Z')
    },
  ],
  ['a second opening', () => open(here, quotes, trader, 'KO', 50)],
  [
    'mails that are switched off',
    () => call(there, follower, 'POST', `/v1/subscriptions/${subscription}/mail`, { enabled: false }),
  ],
  [
    'mails that are switched on again',
    () => call(here, follower, 'POST', `/v1/subscriptions/${subscription}/mail`, { enabled: true }),
  ],
  [
    'a close of the index that arrives late',
    async () => {
      await sql(`delete from symbol_days where symbol = 'SPY' and day = '2026-03-03'`)
      await addCloses(there.product.db, 'SPY', [{ day: '2026-03-03', close: '490' }], LATE, there.clock.now())
    },
  ],
  [
    'a close of a held share that arrives late',
    async () => {
      await sql(`delete from symbol_days where symbol = 'MSFT'`)
      await addCloses(here.product.db, 'MSFT', [{ day: '2026-03-04', close: '120' }], LATE, here.clock.now())
    },
  ],
  [
    'closes that are taken back',
    async () => {
      at('2026-03-05T15:00:10Z')
      quotes.set('MSFT', { price: 100, at: there.clock.now() })
      await retractPrices(
        { db: there.product.db, secret, provider: there.provider },
        GLITCH,
        there.clock.now(),
      )
    },
  ],
  [
    'another ticker that becomes that of a held share',
    async () => {
      await sql(
        `insert into symbol_days (symbol, day, close, late, known_at) values ('OLD', '2026-03-04', 90, false, $1)`,
        [TEST_NOW],
      )
      const renaming = { from: 'OLD', to: 'MSFT', day: '2026-03-05' }
      await renameSymbol({ db: here.product.db, secret }, renaming, here.clock.now())
    },
  ],
  [
    'a split',
    () =>
      adjustForSplit(
        there.product.db,
        { symbol: 'MSFT', ratio: '2:1', day: '2026-03-05' },
        there.clock.now(),
      ),
  ],
  [
    'a name of a company',
    async () => {
      await sql(`insert into symbols (symbol, name, listed, version) values ('AAPL', 'Apple Inc', true, 1000)
        on conflict (symbol) do update set name = excluded.name, version = 1000`)
      await sql('update symbol_directory set version = 1000')
      at('2026-03-05T15:02:00Z')
    },
  ],
  ['the end of a subscription', () => moveSubscription(here, trader, subscription, 'canceled')],
  ['the end of a plan', async () => at('2026-03-27T15:00:00Z')],
  [
    'closes of days that no night has computed',
    () =>
      givenCloses(here, [
        ['SPY', '2026-03-05', 505],
        ['SPY', '2026-03-06', 506],
      ]),
  ],
  [
    'a night that is cut off after its second page',
    async () => {
      await stopNightsAfter(here, 2)
      await expect(passNight(there, '2026-03-28T04:41:00Z')).rejects.toThrow('killed')
      await letNightsRun(here)
    },
  ],
  ['the night after it', () => passNight(there, '2026-03-28T04:41:00Z')],
  [
    'a run that is taken back',
    () => sql('delete from score_runs where as_of = (select max(as_of) from score_runs)'),
  ],
  [
    'mails that come back',
    () =>
      sql(
        `insert into suppressions (user_id, smtp_code, cause, created_at) values ($1, 550, 'refused', $2)`,
        [follower.userId, here.clock.now()],
      ),
  ],
  [
    'a suspension',
    () => sql('update users set suspended_at = $2 where id = $1', [trader.userId, here.clock.now()]),
  ],
  ['its end', () => sql('update users set suspended_at = null where id = $1', [trader.userId])],
]

test('after anything that changes an answer nobody is answered 304, in any process, and each gets the current answer', async () => {
  await lookAtAll()
  const changes = new Map<string, string[]>()
  for (const [what, change] of CHANGES) {
    await change()
    for (const read of await lookAtAll()) changes.set(read, [...(changes.get(read) ?? []), what])
  }
  // Of what is kept, or put together of what is: each of these has ended it, for somebody.
  const everybody = ['a suspension', 'its end']
  const kept = ['positions', 'marks', 'closedPositions', 'trackRecord', 'proven', 'subscriptions']
  expect(Object.fromEntries(kept.map((read) => [read, changes.get(read)]))).toEqual({
    positions: [
      'somebody follows',
      'an opening',
      'a close',
      'a second opening',
      'another ticker that becomes that of a held share',
      'a split',
      'the end of a subscription',
      ...everybody,
    ],
    marks: [
      'somebody follows',
      'an opening',
      'a mark of everybody’s',
      'half a minute',
      'a close',
      'a second opening',
      'another ticker that becomes that of a held share',
      'a split',
      'a name of a company',
      'the end of a subscription',
      ...everybody,
    ],
    closedPositions: ['a close', 'a name of a company', ...everybody],
    trackRecord: [
      'somebody follows',
      'closes of the days before, and a night',
      'a close',
      'another night',
      'a close of the index that arrives late',
      'a close of a held share that arrives late',
      'closes that are taken back',
      'another ticker that becomes that of a held share',
      'the end of a subscription',
      'the end of a plan',
      'a night that is cut off after its second page',
      'the night after it',
      'a run that is taken back',
      ...everybody,
    ],
    proven: [
      'closes of the days before, and a night',
      'another night',
      'a second opening',
      'the end of a plan',
      'the night after it',
      'a run that is taken back',
      ...everybody,
    ],
    subscriptions: [
      'somebody follows',
      'mails that are switched off',
      'mails that are switched on again',
      'the end of a subscription',
      'mails that come back',
      ...everybody,
    ],
  })
})

/** Of the reads that are kept, how many statements one costs at most whose answer is there, with the look at the session. */
const STATEMENTS: Readonly<Record<string, number>> = {
  positions: 2,
  marks: 3,
  closedPositions: 3,
  trackRecord: 3,
  leaderboard: 2,
  proven: 2,
  subscriptions: 2,
}

test('a kept answer costs no look at positions, days or scores, and no more statements than its versions', async () => {
  const statements: string[] = []
  const { product: _, ...ways } = database
  const listening = new Kysely<DB>({
    dialect: new PostgresDialect({ pool: database.pool }),
    log: ({ query }) => void statements.push(query.sql),
  })
  const app = await buildTestApp({
    database: { ...ways, db: listening, pipelined: listening },
    quotes,
    clock: here.clock,
    settings: { limitsOn: false },
  })
  for (const [name, count] of Object.entries(STATEMENTS)) {
    const url = urlOf((endpoints as Record<string, Endpoint>)[name] as Endpoint)
    for (const [person, who] of Object.entries(people)) {
      const { tag } = await ask(app, who, url)
      for (const [known, status] of [
        [tag, 304],
        [undefined, 200],
      ] as const) {
        statements.splice(0)
        expect((await ask(app, who, url, known)).status).toBe(status)
        const texts = statements.join('\n')
        expect(statements.length, `${status} of ${name} to ${person}: ${texts}`).toBeLessThanOrEqual(count)
        expect(texts).not.toMatch(/\b(positions|position_events|trader_days|trader_scores|symbol_days)\b/)
      }
    }
  }
  await app.close()
})

test('of many who ask at once for what is not kept, one has it read', async () => {
  const strangers = await Promise.all(Array.from({ length: 5 }, () => signIn(here)))
  for (const name of ['trackRecord', 'closedPositions', 'proven'] as const) {
    const fresh = await buildTestApp({ database, quotes, clock: here.clock, settings: { limitsOn: false } })
    const texts = await statementsOf(fresh, () =>
      Promise.all(strangers.map((who) => ask(fresh, who, urlOf(endpoints[name])))),
    )
    const ofRead = {
      trackRecord: 'from trader_days',
      closedPositions: 'with page as',
      proven: 'with best as',
    }
    expect(texts.filter((text) => text.includes(ofRead[name])).length, name).toBe(1)
    await fresh.close()
  }
})

test('a fault while an answer is read is no answer that may be kept, and the next one is what is there', async () => {
  const fresh = await buildTestApp({ database, quotes, clock: here.clock, settings: { limitsOn: false } })
  const url = urlOf(endpoints.trackRecord)
  await sql('alter table trader_days rename to away')
  const headers = bearer(await tokenOf(fresh, follower))
  const failed = await fresh.app.inject({ url, headers })
  await sql('alter table away rename to trader_days')
  expect([failed.statusCode, failed.headers['cache-control'], failed.headers.etag]).toEqual([
    500,
    'no-store',
    undefined,
  ])
  expect(await ask(fresh, follower, url)).toEqual(await ask(here, follower, url))
  await fresh.close()
})

test('a close of the day itself, which no night has computed, ends no curve that is kept; one of before does', async () => {
  const version = async () =>
    (await sql(`select sum(raised)::int as version from read_versions where name = 'days'`)).rows[0].version
  const before = await version()
  const insertClose = (day: string) =>
    addCloses(database.db, 'KO', [{ day, close: '51' }], LATE, new Date('2026-03-28T23:00:00Z'))
  await insertClose('2026-03-28')
  expect(await version()).toBe(before)
  await insertClose('2026-03-27')
  expect(await version()).toBe(before + 1)
  await insertClose('2026-03-27')
  expect(await version(), 'it was known').toBe(before + 1)
  const split = { symbol: 'NOBODYS', ratio: '2:1', day: '2026-03-27' }
  await adjustForSplit(database.db, split, new Date('2026-03-28T23:00:00Z'))
  expect(await version(), 'a split, of whatever').toBe(before + 2)
})
