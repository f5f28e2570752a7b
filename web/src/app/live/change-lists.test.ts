import { QueryClient } from '@tanstack/react-query'
import type { FeedMessage } from '@tradepost/contract/feed'
import type { Mark } from '@tradepost/contract/marks'
import type { Position } from '@tradepost/contract/positions'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { accountQuery } from '../../features/account/account.api.ts'
import { unreadQuery } from '../../features/activity/unread.api.ts'
import { marksQuery, positionsQuery } from '../../features/positions/positions.api.ts'
import { askEverything, askUnnumbered, catchUp, changeBy, changeMarks, changeOwn } from './change-lists.ts'

const NOW = new Date('2026-11-18T15:00:00.000Z')

beforeEach(() => {
  vi.useFakeTimers({ now: NOW, toFake: ['Date', 'setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const POSITION: Position = {
  id: 'p1',
  active: true,
  stock: 'AAPL',
  holdLength: 'one_to_three_weeks',
  openNotes: 'n',
  openPrice: 100,
  openedAt: NOW.toISOString(),
  user: 'maria',
}
const at = NOW.toISOString()
const opened = (part: Partial<Position> = {}) =>
  ({ type: 'opened', at, position: { ...POSITION, ...part } }) satisfies FeedMessage
const closed = (part: Partial<Position> = {}) =>
  ({
    type: 'closed',
    at,
    position: { ...POSITION, active: false, ...part },
    closePrice: 110,
    percentageGain: 10,
  }) satisfies FeedMessage

/** A cache in which these have been answered, and which of them have been made stale since. */
function cacheOf(answers: readonly (readonly [key: readonly unknown[], data: unknown])[]) {
  const client = new QueryClient()
  for (const [key, data] of answers) client.setQueryData(key, data)
  return {
    client,
    listed: () => client.getQueryData(positionsQuery.queryKey)?.map(({ id, openPrice }) => [id, openPrice]),
    async stale() {
      await vi.advanceTimersByTimeAsync(2000)
      const stale = client.getQueryCache().findAll({ predicate: ({ state }) => state.isInvalidated })
      return stale.map(({ queryKey }) => queryKey.join(' ')).toSorted()
    },
  }
}

const LIST = positionsQuery.queryKey
const COUNTED: [readonly unknown[], unknown][] = [
  [['positions', 'leaderboard'], {}],
  [['positions', 'proven'], {}],
  [['positions', 'profile', 'maria'], {}],
  [['positions', 'profile', 'jonas'], {}],
  [['positions', 'track-record', 'maria', 'all'], {}],
  [['activity', 'list'], {}],
  [['account'], { username: 'fan' }],
]

test('an open is put into the list, and what it counts in is asked again, but no list and nothing of others', async () => {
  const { client, listed, stale } = cacheOf([[LIST, [{ ...POSITION, id: 'p0' }]], ...COUNTED])
  expect(await changeBy(client, opened())).toBe(true)
  expect(listed()).toEqual([
    ['p1', 100],
    ['p0', 100],
  ])
  expect(await stale()).toEqual([
    'activity list',
    'positions profile maria',
    'positions track-record maria all',
  ])
})

test('a close is taken out of the list and makes the rankings stale, a split changes the price', async () => {
  const { client, listed, stale } = cacheOf([[LIST, [POSITION, { ...POSITION, id: 'p2' }]], ...COUNTED])
  expect(await changeBy(client, { ...opened({ id: 'p2', openPrice: 25 }), type: 'adjusted' })).toBe(true)
  expect(await changeBy(client, closed())).toBe(true)
  expect(listed()).toEqual([['p2', 25]])
  expect(await stale()).toEqual([
    'activity list',
    'positions leaderboard',
    'positions profile maria',
    'positions proven',
    'positions track-record maria all',
  ])
})

test('the same event twice, or one of a position that was closed since, changes nothing more', async () => {
  const { client, listed } = cacheOf([[LIST, []]])
  await changeBy(client, opened())
  await changeBy(client, opened())
  expect(listed()).toEqual([['p1', 100]])
  await changeBy(client, closed())
  await changeBy(client, opened({ active: false }))
  expect(listed()).toEqual([])
})

test('the page’s own action makes nothing stale; an own action elsewhere changes the list, and neither is news', async () => {
  const own = opened({ user: 'fan' })
  const here = cacheOf([[LIST, [own.position]], ...COUNTED])
  expect(await changeBy(here.client, own)).toBe(false)
  expect(await here.stale()).toEqual([])
  const elsewhere = cacheOf([[LIST, []], ...COUNTED])
  expect(await changeBy(elsewhere.client, own)).toBe(false)
  expect(elsewhere.listed()).toEqual([['p1', 100]])
})

test('that one of one’s own positions was struck changes the list', async () => {
  const { position } = opened({ user: 'fan' })
  const { client } = cacheOf([[LIST, [position]], ...COUNTED])
  const strike = { struck: true, struckReason: 'A glitch.' } as const
  await changeBy(client, { ...opened({ user: 'fan', ...strike }), type: 'adjusted' })
  expect(client.getQueryData(LIST)).toEqual([{ ...position, ...strike }])
})

test('that one of one’s own positions has another ticker changes the list', async () => {
  const { position } = opened({ user: 'fan' })
  const { client } = cacheOf([[LIST, [position]], ...COUNTED])
  await changeBy(client, { ...opened({ user: 'fan', stock: 'META' }), type: 'adjusted' })
  expect(client.getQueryData(LIST)).toEqual([{ ...position, stock: 'META' }])
})

test('a list keeps its age when an event changes it, so that it is asked again in its time', async () => {
  const { client } = cacheOf([[LIST, []]])
  vi.setSystemTime(NOW.getTime() + 60_000)
  await changeBy(client, opened())
  expect(client.getQueryState(LIST)?.dataUpdatedAt).toBe(NOW.getTime())
})

test('an answer that was on its way when the event came is given up, or let in where it is the first, and asked again', async () => {
  for (const before of [undefined, [POSITION]]) {
    const client = new QueryClient()
    if (before) client.setQueryData(LIST, before)
    const answers = [Promise.withResolvers<Position[]>(), Promise.withResolvers<Position[]>()]
    let asked = 0
    const ask = () => {
      asked += 1
      return answers[asked - 1]?.promise ?? []
    }
    const observer = client.fetchQuery({ queryKey: LIST, queryFn: ask, staleTime: 0 }).catch(() => undefined)
    expect(asked).toBe(1)
    await changeBy(client, opened({ id: 'new' }))
    answers[0]?.resolve([])
    await observer
    await vi.advanceTimersByTimeAsync(2000)
    expect(client.getQueryData(LIST)?.map(({ id }) => id)).toEqual(before ? ['new', 'p1'] : [])
    expect(client.getQueryState(LIST)?.isInvalidated).toBe(true)
  }
})

test('a change of the viewer’s subscriptions or payouts makes what they decide stale', async () => {
  const answers: [readonly unknown[], unknown][] = [
    [LIST, []],
    [['subscriptions', 'list'], []],
    [['payout-status'], {}],
    [['payouts'], {}],
    [['desk'], {}],
    [accountQuery.queryKey, { username: 'fan' }],
  ]
  const subscriptions = cacheOf(answers)
  changeOwn(subscriptions.client, { type: 'changed', what: 'subscriptions' })
  expect(await subscriptions.stale()).toEqual(['positions list', 'subscriptions list'])
  const payouts = cacheOf(answers)
  changeOwn(payouts.client, { type: 'changed', what: 'payouts' })
  expect(await payouts.stale()).toEqual(['desk', 'payout-status', 'payouts'])
  const read = cacheOf([
    [['activity', 'unread'], { unread: 2 }],
    [['activity', 'list', null], {}],
  ])
  changeOwn(read.client, { type: 'changed', what: 'activity' })
  expect(await read.stale()).toEqual(['activity unread'])
  const gap = cacheOf([...answers, [marksQuery.queryKey, []]])
  askUnnumbered(gap.client)
  expect(await gap.stale()).toEqual(['payout-status', 'positions marks', 'subscriptions list'])
})

test('a mark takes the place of the one before, and none is added that the page did not ask for', () => {
  const mark = (symbol: string, price: string) => ({ symbol, price, at, state: 'current' as const })
  const { client } = cacheOf([[marksQuery.queryKey, [mark('AAPL', '1'), mark('MSFT', '2')]]])
  changeMarks(client, [mark('MSFT', '3'), mark('NVDA', '4')])
  expect(client.getQueryData(marksQuery.queryKey)).toEqual([mark('AAPL', '1'), mark('MSFT', '3')])
  const empty = new QueryClient()
  changeMarks(empty, [mark('MSFT', '3')])
  expect(empty.getQueryData(marksQuery.queryKey)).toBeUndefined()
})

const MARKS = marksQuery.queryKey
const markOf = (symbol: string, price: string, part: Partial<Mark> = {}): Mark => ({
  symbol,
  price,
  at: '2026-11-18T14:30:00.000Z',
  state: 'aged',
  ...part,
})
const AAPL_NOW = { symbol: 'AAPL', price: '100', at, state: 'current' }

test('an opening is the mark of its symbol, and neither it nor a close has marks asked again', async () => {
  for (const [known, shown] of [
    [[markOf('MSFT', '2')], [markOf('MSFT', '2'), AAPL_NOW]],
    [[markOf('AAPL', '90')], [AAPL_NOW]],
    // One that is newer, of an event that is sent again.
    [
      [markOf('AAPL', '90', { at: '2026-11-18T15:00:30.000Z' })],
      [markOf('AAPL', '90', { at: '2026-11-18T15:00:30.000Z' })],
    ],
  ]) {
    const { client, stale } = cacheOf([
      [LIST, []],
      [MARKS, known],
    ])
    const loadedAt = Date.now()
    vi.setSystemTime(loadedAt + 1000)
    await changeBy(client, opened())
    expect(client.getQueryData(MARKS)).toEqual(shown)
    expect(client.getQueryState(MARKS)?.dataUpdatedAt).toBe(loadedAt)
    await changeBy(client, closed())
    expect(await stale()).toEqual([])
  }
})

test('marks that were answered well after an opening stay as they are', async () => {
  vi.setSystemTime(NOW.getTime() + 20_001)
  const { client, stale } = cacheOf([
    [LIST, []],
    [MARKS, [markOf('AAPL', '90')]],
  ])
  await changeBy(client, opened())
  expect(client.getQueryData(MARKS)).toEqual([markOf('AAPL', '90')])
  expect(await stale()).toEqual([])
})

test('marks are asked again where an opening alone does not contain them, and after a change of prices', async () => {
  for (const known of [markOf('AAPL', '90', { unpriced: true }), markOf('AAPL', '90', { state: 'gone' })]) {
    const { client, stale } = cacheOf([
      [LIST, []],
      [MARKS, [known]],
    ])
    await changeBy(client, opened())
    expect(client.getQueryData(MARKS)).toEqual([known])
    expect(await stale()).toEqual(['positions marks'])
  }
  const adjusted = cacheOf([
    [LIST, []],
    [MARKS, []],
  ])
  await changeBy(adjusted.client, { ...opened(), type: 'adjusted' })
  expect(adjusted.client.getQueryData(MARKS)).toEqual([])
  expect(await adjusted.stale()).toEqual(['positions marks'])
  // An answer on its way was perhaps read before the event.
  const { client, stale } = cacheOf([
    [LIST, []],
    [MARKS, []],
  ])
  const answer = Promise.withResolvers<Mark[]>()
  void client
    .fetchQuery({ queryKey: MARKS, queryFn: () => answer.promise, staleTime: 0 })
    .catch(() => undefined)
  await changeBy(client, opened())
  expect(client.getQueryData(MARKS)).toEqual([])
  expect(await stale()).toEqual(['positions marks'])
})

test('an answer loaded less than twenty seconds after the last change, or before it, is asked again; a page that has received the feed since asks nothing', async () => {
  /** Both in ms after the list was loaded. */
  const staleAfter = async (changed: number | null, received: number) => {
    const { client, stale } = cacheOf([
      [LIST, []],
      [['account'], {}],
    ])
    const loaded = Date.now()
    catchUp(client, changed === null ? null : loaded + changed, loaded + received)
    return stale()
  }
  const never = -Date.now()
  expect(await staleAfter(null, never)).toEqual([])
  expect(await staleAfter(-20_001, never)).toEqual([])
  expect(await staleAfter(-19_999, never)).toEqual(['positions list'])
  expect(await staleAfter(5000, never)).toEqual(['positions list'])
  expect(await staleAfter(5000, 25_001)).toEqual([])
  expect(await staleAfter(5000, 24_999)).toEqual(['positions list'])
})

test('a first answer on its way is let in, and asked for again less than twenty seconds after the last change', async () => {
  for (const [changed, isAskedAgain] of [
    [-20_000, false],
    [-19_999, true],
    [1, true],
  ] as const) {
    const client = new QueryClient()
    const answer = Promise.withResolvers<Position[]>()
    const asking = client.fetchQuery({ queryKey: LIST, queryFn: () => answer.promise }).catch(() => undefined)
    catchUp(client, Date.now() + changed, 0)
    answer.resolve([])
    await asking
    await vi.advanceTimersByTimeAsync(0)
    expect(client.getQueryData(LIST), `${changed} ms`).toEqual([])
    expect(client.getQueryState(LIST)?.isInvalidated, `${changed} ms`).toBe(isAskedAgain)
  }
})

/** A cache in which the list has just failed. */
async function cacheThatFailed() {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  const fail = () => Promise.reject(new Error('refused'))
  await client.fetchQuery({ queryKey: LIST, queryFn: fail }).catch(() => undefined)
  const isAsked = () => client.getQueryState(LIST)?.errorUpdatedAt === 0
  return { client, isAsked, failedAt: Date.now() }
}

test('a question that failed counts as asked: only a change after it asks again', async () => {
  for (const [changed, asked] of [
    [-60_000, false],
    [-1, false],
    [1, true],
  ] as const) {
    const { client, isAsked, failedAt } = await cacheThatFailed()
    catchUp(client, failedAt + changed, 0)
    await vi.advanceTimersByTimeAsync(0)
    expect(isAsked(), `by the first message, ${changed} ms`).toBe(asked)
  }
  for (const [published, asked] of [
    [-20_000, false],
    [-19_999, true],
    [1, true],
  ] as const) {
    const { client, isAsked, failedAt } = await cacheThatFailed()
    await changeBy(client, { ...opened(), at: new Date(failedAt + published).toISOString() })
    expect(isAsked(), `by an event, ${published} ms`).toBe(asked)
  }
})

test('a page that receives nothing asks again what failed once it knows of a change, and not before', async () => {
  const { client, isAsked } = await cacheThatFailed()
  askEverything(client, false)
  await vi.advanceTimersByTimeAsync(0)
  expect(isAsked()).toBe(false)
  askEverything(client, true)
  await vi.advanceTimersByTimeAsync(0)
  expect(isAsked()).toBe(true)
})

const UNREAD = unreadQuery.queryKey
const SECOND = 1000
const sentAt = (seconds: number) => new Date(NOW.getTime() + seconds * SECOND).toISOString()

test('unread items are counted with the event and not asked for, up to a hundred, and one’s own is not counted', async () => {
  const { client, stale } = cacheOf([
    [UNREAD, { unread: 98 }],
    [['account'], { username: 'fan' }],
  ])
  for (const [seconds, unread] of [
    [21, 99],
    [22, 100],
    [50, 100],
  ] as const) {
    await changeBy(client, { ...opened({ id: `p${seconds}` }), at: sentAt(seconds) })
    expect(client.getQueryData(UNREAD)).toEqual({ unread })
  }
  // Another device's, or one of before the answer that is sent again after a gap.
  client.setQueryData(UNREAD, { unread: 5 }, { updatedAt: NOW.getTime() })
  await changeBy(client, { ...opened({ user: 'fan' }), at: sentAt(30) })
  await changeBy(client, { ...opened(), at: sentAt(-21) })
  expect(client.getQueryData(UNREAD)).toEqual({ unread: 5 })
  expect(await stale()).toEqual([])
})

test('the unread count is asked for where the answer may be of before the event or of after it', async () => {
  const account = [['account'], { username: 'fan' }] as const
  for (const seconds of [-20, 0, 20]) {
    const { client, stale } = cacheOf([[UNREAD, { unread: 5 }], account])
    await changeBy(client, { ...opened(), at: sentAt(seconds) })
    expect(client.getQueryData(UNREAD)).toEqual({ unread: 5 })
    expect(await stale()).toEqual(['activity unread'])
  }
  const unknown = cacheOf([[UNREAD, { unread: 5 }]])
  await changeBy(unknown.client, { ...opened(), at: sentAt(30) })
  expect(await unknown.stale()).toEqual(['activity unread'])
  const asking = cacheOf([[UNREAD, { unread: 5 }], account])
  void asking.client
    .fetchQuery({ queryKey: UNREAD, queryFn: () => new Promise<never>(() => undefined) })
    .catch(() => undefined)
  await changeBy(asking.client, { ...opened(), at: sentAt(30) })
  expect(asking.client.getQueryData(UNREAD)).toEqual({ unread: 5 })
  expect(await asking.stale()).toEqual(['activity unread'])
})
