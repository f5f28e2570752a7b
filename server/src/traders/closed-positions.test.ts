import { SUBSCRIPTION_STATUSES } from '@tradepost/contract/subscriptions'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { buildTestApp, TEST_NOW } from '../../test/build-test-app.ts'
import {
  call,
  close,
  makeTrader,
  moveSubscription,
  NOTES,
  open,
  readTables,
  subscribe,
  type Trader,
} from '../../test/factories.ts'
import { startQuoteServer } from '../../test/prices/quote-server.ts'
import { type SignedIn, signIn } from '../../test/sign-in/sign-in.ts'

const quotes = await startQuoteServer()
const testApp = await buildTestApp({ quotes, settings: { limitsOn: false } })
afterAll(async () => {
  await testApp.close()
  await quotes.close()
})
beforeEach(() => testApp.clock.set(TEST_NOW))

type Closed = {
  symbol: string
  percentageGain: number
  daysHeld: number
  notes?: { open: string; close?: string }
}
const pathOf = (trader: Trader, query = '') => `/v1/traders/${trader.username}/positions/closed${query}`

async function listOf(who: SignedIn, trader: Trader, query = '') {
  const { status, body } = await call(testApp, who, 'GET', pathOf(trader, query))
  expect(status).toBe(200)
  return body as unknown as { positions: Closed[]; next: string | null }
}

const symbolsOf = async (who: SignedIn, trader: Trader, query: string) =>
  (await listOf(who, trader, query)).positions.map(({ symbol }) => symbol)

/** Walks through all pages of a list. @returns the ids of each page */
async function walk(who: SignedIn, trader: Trader, query: string): Promise<string[][]> {
  const pages: string[][] = []
  let after = ''
  do {
    const { positions, next } = await listOf(who, trader, `?${query}${after}`)
    pages.push((positions as unknown as { id: string }[]).map(({ id }) => id))
    after = next === null ? '' : `&after=${next}`
  } while (after !== '')
  return pages
}

/** Closed positions straight in the table: gains of -3 % to 3 % and 1 to 5 days held, many of them equal. */
async function fill(trader: Trader, count: number): Promise<void> {
  await testApp.pool.query(
    `insert into positions (trader_id, id, symbol, hold_length, open_price, open_notes, opened_at, open_preview_id,
       close_price, close_notes, closed_at, close_preview_id, percentage_gain)
     select $1, gen_random_uuid(), 'S' || n % 4, 'one_to_three_weeks', 100, 'ten or more', at - (1 + n % 5) * interval '1 day',
       gen_random_uuid(), 100 + gain, 'ten or more', at, gen_random_uuid(), gain
     from (select n, $2::timestamptz - (n / 3) * interval '1 day' as at, (n % 7 - 3) as gain
       from generate_series(0, $3::int - 1) n) made`,
    [trader.userId, TEST_NOW, count],
  )
}

test('a closed position shows prices, instants, plan and real hold to everybody, and its notes to its trader', async () => {
  const [trader, visitor] = [await makeTrader(testApp), await signIn(testApp)]
  await open(testApp, quotes, trader, 'AAPL', 187.52)
  testApp.clock.set(new Date('2026-03-13T18:40:05.120Z'))
  await close(testApp, quotes, trader, 'AAPL', 201.1)
  await open(testApp, quotes, trader, 'SECRET', 1)
  const seen = {
    id: expect.any(String),
    symbol: 'AAPL',
    holdLength: 'one_to_three_weeks',
    openPrice: 187.52,
    closePrice: 201.1,
    opened: TEST_NOW.toISOString(),
    closed: '2026-03-13T18:40:05.120Z',
    percentageGain: 7.24,
    daysHeld: 9,
  }
  expect(await listOf(visitor, trader)).toEqual({ positions: [seen], next: null })
  expect(await listOf(trader, trader)).toEqual({
    positions: [{ ...seen, notes: { open: NOTES, close: NOTES } }],
    next: null,
  })
  expect(await call(testApp, null, 'GET', pathOf(trader))).toMatchObject({ status: 401 })
})

test('every order shows each position once, equal ones too, also while more are closed', async () => {
  const trader = await makeTrader(testApp)
  await fill(trader, 60)
  for (const sort of ['closed', 'gain', 'held']) {
    for (const order of ['desc', 'asc']) {
      const pages = await walk(trader, trader, `sort=${sort}&order=${order}`)
      expect(pages.map((page) => page.length)).toEqual([25, 25, 10])
      expect(new Set(pages.flat()).size).toBe(60)
    }
  }
  const first = await listOf(trader, trader, '?sort=gain')
  await fill(trader, 30)
  const second = await listOf(trader, trader, `?sort=gain&after=${first.next}`)
  const gains = [...first.positions, ...second.positions].map(({ percentageGain }) => percentageGain)
  expect(gains).toEqual(gains.toSorted((a, b) => b - a))
})

test('a list is in the order asked for, newest first unless asked, and of one ticker where one is named', async () => {
  const trader = await makeTrader(testApp)
  const trades = [
    ['LATE', 100, '2026-03-12T15:00:00Z'],
    ['BEST', 130, '2026-03-09T15:00:00Z'],
    ['LOSS', 90, '2026-03-11T15:00:00Z'],
  ] as const
  for (const [at, [symbol]] of trades.entries()) {
    testApp.clock.set(new Date(TEST_NOW.getTime() + at * 86_400_000))
    await open(testApp, quotes, trader, symbol, 100)
  }
  for (const [symbol, price, at] of trades.toSorted((a, b) => a[2].localeCompare(b[2]))) {
    testApp.clock.set(new Date(at))
    await close(testApp, quotes, trader, symbol, price)
  }
  expect(await symbolsOf(trader, trader, '')).toEqual(['LATE', 'LOSS', 'BEST'])
  expect(await symbolsOf(trader, trader, '?order=asc')).toEqual(['BEST', 'LOSS', 'LATE'])
  expect(await symbolsOf(trader, trader, '?sort=gain')).toEqual(['BEST', 'LATE', 'LOSS'])
  expect(await symbolsOf(trader, trader, '?sort=gain&order=asc')).toEqual(['LOSS', 'LATE', 'BEST'])
  expect(await symbolsOf(trader, trader, '?sort=held')).toEqual(['LATE', 'LOSS', 'BEST'])
  expect(await symbolsOf(trader, trader, '?symbol=%20loss')).toEqual(['LOSS'])
  expect(await symbolsOf(trader, trader, '?symbol=NONE')).toEqual([])
})

test('a month holds what was closed from its first instant of UTC to its last, in any order and a page at a time', async () => {
  const trader = await makeTrader(testApp)
  await testApp.pool.query(
    `insert into positions (trader_id, id, symbol, hold_length, open_price, open_notes, opened_at, open_preview_id,
       close_price, close_notes, closed_at, close_preview_id, percentage_gain)
     select $1, gen_random_uuid(), symbol, 'one_to_three_weeks', 100, 'ten or more', '2026-01-05T15:00:00Z', gen_random_uuid(),
       100 + gain, 'ten or more', closed_at::timestamptz, gen_random_uuid(), gain
     from (values ('BEFORE', 1, '2026-01-31T23:59:59.999Z'), ('FIRST', 2, '2026-02-01T00:00:00Z'), ('WORST', -3, '2026-02-10T15:00:00Z'),
       ('LAST', 4, '2026-02-28T23:59:59.999Z'), ('AFTER', 5, '2026-03-01T00:00:00Z')) closed (symbol, gain, closed_at)`,
    [trader.userId],
  )
  const reader = await signIn(testApp)
  expect(await symbolsOf(reader, trader, '?month=2026-02')).toEqual(['LAST', 'WORST', 'FIRST'])
  expect(await symbolsOf(reader, trader, '?month=2026-02&sort=gain')).toEqual(['LAST', 'FIRST', 'WORST'])
  expect(await symbolsOf(reader, trader, '?month=2026-01')).toEqual(['BEFORE'])
  expect(await symbolsOf(reader, trader, '?month=2026-02&symbol=AFTER')).toEqual([])
  expect(await symbolsOf(reader, trader, '?month=2025-12')).toEqual([])
  const many = await makeTrader(testApp)
  await testApp.pool.query(
    `insert into positions (trader_id, id, symbol, hold_length, open_price, open_notes, opened_at, open_preview_id,
       close_price, close_notes, closed_at, close_preview_id, percentage_gain)
     select $1, gen_random_uuid(), 'MANY', 'one_to_three_weeks', 100, 'ten or more', '2026-01-05T15:00:00Z', gen_random_uuid(),
       101, 'ten or more', '2026-01-20T00:00:00Z'::timestamptz + n * interval '12 hours', gen_random_uuid(), 1
     from generate_series(0, 99) n`,
    [many.userId],
  )
  expect((await walk(reader, many, 'month=2026-02')).map((page) => page.length)).toEqual([25, 25, 6])
})

test('what cannot be asked for is refused with a code and changes nothing', async () => {
  const trader = await makeTrader(testApp)
  await fill(trader, 30)
  const { next } = await listOf(trader, trader, '?sort=gain')
  const other = (text: string) => Buffer.from(text).toString('base64url')
  const id = '019aa1c2-1f0a-7d52-b6c1-0e7f3a9b4c21'
  const before = await readTables(testApp)
  const refused = [
    ['?sort=name', 400, 'bad_request'],
    ['?order=up', 400, 'bad_request'],
    ['?after=', 400, 'bad_request'],
    ['?after=nonsense', 400, 'bad_request'],
    [`?after=${next}`, 400, 'bad_request'],
    [`?sort=gain&order=asc&after=${next}`, 400, 'bad_request'],
    [`?sort=gain&after=${next}&after=${next}`, 400, 'bad_request'],
    [`?sort=gain&after=${other(`gain desc 1e9 ${id}`)}`, 400, 'bad_request'],
    [`?sort=gain&after=${other(`gain desc 1; ${id}`)}`, 400, 'bad_request'],
    [`?after=${other(`closed desc 2026-13-40T99:00:00.000000Z ${id}`)}`, 400, 'bad_request'],
    [`?after=${other(`closed desc 2026-02-31T10:00:00.000000Z ${id}`)}`, 400, 'bad_request'],
    [`?after=${'A'.repeat(501)}`, 400, 'bad_request'],
    ['?month=2026-13', 400, 'bad_request'],
    ['?month=0000-01', 400, 'bad_request'],
    ['?month=2026-3', 400, 'bad_request'],
    ['?month=', 400, 'bad_request'],
    ['?symbol=1%25', 422, 'symbol_invalid'],
  ] as const
  for (const [query, status, code] of refused) {
    const answer = await call(testApp, trader, 'GET', pathOf(trader, query))
    expect({ query, status: answer.status, code: answer.body.code }).toEqual({ query, status, code })
  }
  const nobody = await call(testApp, trader, 'GET', '/v1/traders/nobody-here/positions/closed')
  expect(nobody).toMatchObject({ status: 404, body: { code: 'user_not_found' } })
  expect(await readTables(testApp)).toEqual(before)
})

/** Which notes somebody sees of a position that was open from one day to another; `steps` are theirs, by day. */
async function seesNotes(
  steps: Partial<
    Record<'before' | 'during' | 'after', (trader: Trader, viewer: SignedIn) => Promise<unknown>>
  >,
): Promise<'none' | 'of the opening' | 'both'> {
  testApp.clock.set(TEST_NOW)
  const [trader, viewer] = [await makeTrader(testApp), await signIn(testApp)]
  await steps.before?.(trader, viewer)
  await open(testApp, quotes, trader, 'AAPL', 100)
  await steps.during?.(trader, viewer)
  testApp.clock.set(new Date('2026-03-05T15:00:00Z'))
  await close(testApp, quotes, trader, 'AAPL', 110)
  await steps.after?.(trader, viewer)
  const [position] = (await listOf(viewer, trader)).positions
  expect(position?.symbol).toBe('AAPL')
  if (!position?.notes) return 'none'
  expect(position.notes.open).toBe(NOTES)
  return 'close' in position.notes ? 'both' : 'of the opening'
}

const join = (trader: Trader, viewer: SignedIn) => subscribe(testApp, viewer, trader)
const subscriptionOf = async (viewer: SignedIn) =>
  (await testApp.pool.query('select id from subscriptions where subscriber_id = $1', [viewer.userId])).rows[0]
    .id
const moveTo = (status: (typeof SUBSCRIPTION_STATUSES)[number]) => async (trader: Trader, viewer: SignedIn) =>
  moveSubscription(testApp, trader, await subscriptionOf(viewer), status)
const leave = moveTo('canceled')

test('notes of the opening are for those who were entitled while it was open, those of the close for those who were at the close, whatever came later', async () => {
  const seen = {
    never: await seesNotes({}),
    'before, and left': await seesNotes({
      before: async (trader, viewer) => {
        await join(trader, viewer)
        await leave(trader, viewer)
      },
    }),
    'from before to after': await seesNotes({ before: join }),
    'from before, left while it was open': await seesNotes({ before: join, during: leave }),
    'came while it was open': await seesNotes({ during: join }),
    'came and left while it was open': await seesNotes({
      during: async (trader, viewer) => {
        await join(trader, viewer)
        await leave(trader, viewer)
      },
    }),
    'came after': await seesNotes({ after: join }),
    'ended after': await seesNotes({ before: join, after: leave }),
    'past due meanwhile': await seesNotes({ before: join, during: moveTo('past_due') }),
    'unpaid meanwhile, and back after': await seesNotes({
      before: async (trader, viewer) => {
        await join(trader, viewer)
        await moveTo('unpaid')(trader, viewer)
      },
      after: moveTo('active'),
    }),
    'lost while it was open, and back after': await seesNotes({
      before: join,
      during: moveTo('unpaid'),
      after: moveTo('active'),
    }),
  }
  expect(seen).toEqual({
    never: 'none',
    'before, and left': 'none',
    'from before to after': 'both',
    'from before, left while it was open': 'of the opening',
    'came while it was open': 'both',
    'came and left while it was open': 'of the opening',
    'came after': 'none',
    'ended after': 'both',
    'past due meanwhile': 'both',
    'unpaid meanwhile, and back after': 'none',
    'lost while it was open, and back after': 'of the opening',
  })
})

test.each(SUBSCRIPTION_STATUSES)(
  'a subscription that is %s meanwhile shows notes if it is entitled',
  async (status) => {
    const saw = await seesNotes({ before: (trader, viewer) => subscribe(testApp, viewer, trader, status) })
    expect(saw).toBe(['active', 'trialing', 'past_due'].includes(status) ? 'both' : 'none')
  },
)

test('suspended people see nothing, and no other trader’s list shows notes of one’s own followed trader', async () => {
  const [trader, other, viewer] = [
    await makeTrader(testApp),
    await makeTrader(testApp),
    await signIn(testApp),
  ]
  await subscribe(testApp, viewer, trader)
  await open(testApp, quotes, other, 'AAPL', 100)
  testApp.clock.set(new Date('2026-03-05T15:00:00Z'))
  await close(testApp, quotes, other, 'AAPL', 110)
  expect((await listOf(viewer, other)).positions[0]?.notes).toBeUndefined()
  expect((await listOf(trader, other)).positions[0]?.notes).toBeUndefined()
  await testApp.pool.query('update users set suspended_at = $2 where id = $1', [viewer.userId, TEST_NOW])
  expect(await call(testApp, viewer, 'GET', pathOf(other))).toMatchObject({
    status: 403,
    body: { code: 'account_suspended' },
  })
})
