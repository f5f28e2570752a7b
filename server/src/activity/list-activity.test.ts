import { SUBSCRIPTION_STATUSES } from '@tradepost/contract/subscriptions'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { inShort, markRead, readActivity } from '../../test/activity.ts'
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
} from '../../test/factories.ts'
import { publish } from '../../test/followers.ts'
import { startQuoteServer } from '../../test/prices/quote-server.ts'
import { signIn } from '../../test/sign-in/sign-in.ts'
import { adjustForSplit } from '../positions/correct/adjust-positions.ts'

const quotes = await startQuoteServer()
const testApp = await buildTestApp({ quotes, settings: { limitsOn: false } })
afterAll(async () => {
  await testApp.close()
  await quotes.close()
})
beforeEach(() => testApp.clock.set(TEST_NOW))

const NEXT_DAY = new Date('2026-03-05T15:00:00.000Z')
const second = (nth: number) => new Date(TEST_NOW.getTime() + nth * 1000)

test('everybody sees exactly what was published while they were entitled to it, in any state of a subscription', {
  tags: ['ACT-01'],
}, async () => {
  const trader = await makeTrader(testApp)
  const names = [
    'never',
    'from the beginning',
    'came between',
    'ended between',
    'ended and came back',
    'unpaid meanwhile',
    'mails switched off',
    'address suppressed',
    'restored after a suspension',
  ] as const
  const people = new Map<string, Awaited<ReturnType<typeof signIn>>>()
  for (const name of names) people.set(name, await signIn(testApp))
  const personOf = (name: (typeof names)[number]) => {
    const person = people.get(name)
    if (!person) throw new Error(`nobody is called ${name}`)
    return person
  }
  const ids = new Map<string, string>()
  for (const name of names.filter((each) => each !== 'never' && each !== 'came between'))
    ids.set(name, await subscribe(testApp, personOf(name), trader))
  const move = (name: string, status: 'canceled' | 'unpaid' | 'active') =>
    moveSubscription(testApp, trader, ids.get(name) ?? '', status)
  const suppressed = personOf('address suppressed').userId
  const suspended = personOf('restored after a suspension').userId
  await testApp.pool.query('update subscriptions set mail_muted_at = $2 where id = $1', [
    ids.get('mails switched off'),
    TEST_NOW,
  ])
  await testApp.pool.query('insert into suppressions (user_id, smtp_code, created_at) values ($1, 550, $2)', [
    suppressed,
    TEST_NOW,
  ])

  await open(testApp, quotes, trader, 'AAPL', 100)
  await subscribe(testApp, personOf('came between'), trader)
  await move('ended between', 'canceled')
  await move('ended and came back', 'canceled')
  await move('unpaid meanwhile', 'unpaid')
  await testApp.pool.query('update users set suspended_at = $2 where id = $1', [suspended, TEST_NOW])
  expect(await call(testApp, personOf('restored after a suspension'), 'GET', '/v1/activity')).toMatchObject({
    status: 403,
    body: { code: 'account_suspended' },
  })
  testApp.clock.set(second(1))
  await open(testApp, quotes, trader, 'MSFT', 100)
  await subscribe(testApp, personOf('ended and came back'), trader)
  await move('unpaid meanwhile', 'active')
  await testApp.pool.query('update users set suspended_at = null where id = $1', [suspended])
  testApp.clock.set(second(2))
  await open(testApp, quotes, trader, 'NVDA', 100)

  const all = ['opened NVDA', 'opened MSFT', 'opened AAPL']
  const seen: Record<string, string[]> = { 'the trader': inShort(await readActivity(testApp, trader)) }
  for (const [name, person] of people) seen[name] = inShort(await readActivity(testApp, person))
  expect(seen).toEqual({
    'the trader': all,
    never: [],
    'from the beginning': all,
    'came between': ['opened NVDA', 'opened MSFT'],
    'ended between': ['opened AAPL'],
    'ended and came back': ['opened NVDA', 'opened AAPL'],
    'unpaid meanwhile': ['opened NVDA', 'opened AAPL'],
    'mails switched off': all,
    'address suppressed': all,
    'restored after a suspension': all,
  })
})

test.each(SUBSCRIPTION_STATUSES)(
  'a subscription that is %s shows an event if it is entitled',
  async (status) => {
    const trader = await makeTrader(testApp)
    const person = await signIn(testApp)
    await subscribe(testApp, person, trader, status)
    await open(testApp, quotes, trader, 'AAPL', 100)
    const entitled = ['active', 'trialing', 'past_due'].includes(status)
    expect(inShort(await readActivity(testApp, person))).toEqual(entitled ? ['opened AAPL'] : [])
  },
)

test('an item shows what happened with both notes, and shows a close only to readers who were entitled at it', async () => {
  const trader = await makeTrader(testApp)
  const [follower, leaver] = [await signIn(testApp), await signIn(testApp)]
  await subscribe(testApp, follower, trader)
  const left = await subscribe(testApp, leaver, trader)
  const opened = await open(testApp, quotes, trader, 'SPLT', 100)
  testApp.clock.set(NEXT_DAY)
  await adjustForSplit(testApp.db, { symbol: 'SPLT', ratio: '10:1', day: '2026-03-05' }, testApp.clock.now())
  await moveSubscription(testApp, trader, left, 'canceled')
  testApp.clock.set(new Date(NEXT_DAY.getTime() + 1000))
  await close(testApp, quotes, trader, 'SPLT', 11)

  const id = (opened.body.position as { id: string }).id
  const shared = {
    trader: trader.username,
    own: false,
    unread: true,
    positionId: id,
    symbol: 'SPLT',
    holdLength: 'one_to_three_weeks',
    openPrice: 10,
    openedAt: TEST_NOW.toISOString(),
    openNotes: NOTES,
  }
  const items = [
    {
      ...shared,
      id: `${trader.username}.3`,
      kind: 'closed',
      at: '2026-03-05T15:00:01.000Z',
      close: { price: 11, percentageGain: 10, notes: NOTES },
    },
    {
      ...shared,
      id: `${trader.username}.2`,
      kind: 'adjusted',
      at: NEXT_DAY.toISOString(),
      split: { newShares: 10, oldShares: 1, openPriceBefore: 100, openPrice: 10 },
    },
    { ...shared, id: `${trader.username}.1`, kind: 'opened', at: TEST_NOW.toISOString() },
  ]
  expect((await readActivity(testApp, follower)).items).toEqual(items)
  expect((await readActivity(testApp, leaver)).items).toEqual(items.slice(1))
  expect((await readActivity(testApp, trader)).items).toMatchObject(
    items.map((item) => ({ ...item, own: true, unread: false })),
  )
})

test('pages follow each other without a gap or a repetition, whatever is published meanwhile', async () => {
  const [maria, jonas] = [await makeTrader(testApp), await makeTrader(testApp)]
  const person = await signIn(testApp)
  for (const trader of [maria, jonas]) await subscribe(testApp, person, trader)
  const crowds = [maria, jonas].map(({ userId, username }) => ({ traderId: userId, username }))
  // Each instant holds an event of both, so that the order of equal instants matters too.
  for (let nth = 0; nth < 30; nth += 1)
    for (const [index, crowd] of crowds.entries())
      await publish(testApp.db, crowd, { symbol: `S${index}X${nth}` }, second(nth))

  const first = await readActivity(testApp, person)
  expect([first.items.length, first.newer]).toEqual([25, false])
  for (const crowd of crowds) await publish(testApp.db, crowd, { symbol: 'NEW' }, second(100))
  const next = await readActivity(testApp, person, `?after=${first.next}`)
  const last = await readActivity(testApp, person, `?after=${next.next}`)
  expect([next.newer, last.items.length, last.next]).toEqual([true, 10, null])
  const items = [first, next, last].flatMap((page) => page.items)
  expect(new Set(items.map(({ id }) => id)).size).toBe(60)
  const instants = items.map(({ at }) => at)
  expect(instants).toEqual(instants.toSorted().toReversed())
  expect(items.map(({ symbol }) => symbol)).not.toContain('NEW')
})

test('a list of one trader has that trader’s events alone, page after page, and marks no others as read', {
  tags: ['ACT-09'],
}, async () => {
  const [maria, jonas, left] = [
    await makeTrader(testApp),
    await makeTrader(testApp),
    await makeTrader(testApp),
  ]
  const person = await signIn(testApp)
  for (const trader of [maria, jonas]) await subscribe(testApp, person, trader)
  const ended = await subscribe(testApp, person, left)
  const crowds = [maria, jonas].map(({ userId, username }) => ({ traderId: userId, username }))
  for (let nth = 0; nth < 60; nth += 1)
    for (const [index, crowd] of crowds.entries())
      await publish(testApp.db, crowd, { symbol: `S${index}X${nth}` }, second(nth))
  await open(testApp, quotes, left, 'AAPL', 100)
  await moveSubscription(testApp, left, ended, 'canceled')
  await open(testApp, quotes, left, 'MSFT', 100)
  const ask = (trader: string, rest = '') => readActivity(testApp, person, `?trader=${trader}${rest}`)

  const first = await ask(maria.username.toUpperCase())
  const next = await ask(maria.username, `&after=${first.next}`)
  const last = await ask(maria.username, `&after=${next.next}`)
  expect([first.newer, next.newer, last.next]).toEqual([false, true, null])
  const symbols = [first, next, last].flatMap(({ items }) => items.map(({ symbol }) => symbol))
  expect(symbols).toEqual(Array.from({ length: 60 }, (_, nth) => `S0X${59 - nth}`))
  // Of a former trader, what one was entitled to; of somebody else, and of oneself, as much as there is.
  expect(inShort(await ask(left.username))).toEqual(['opened AAPL'])
  const stranger = await makeTrader(testApp)
  await open(testApp, quotes, stranger, 'NVDA', 100)
  for (const name of [stranger.username, 'nobody-here', '%00', 'x'.repeat(200), ''])
    expect(await ask(name), name).toEqual({ items: [], next: null, newer: false, seen: null })
  expect(inShort(await readActivity(testApp, stranger, `?trader=@${stranger.username}`))).toEqual([
    'opened NVDA',
  ])

  await markRead(testApp, person, first.seen)
  expect((await ask(maria.username)).items.some(({ unread }) => unread)).toBe(false)
  expect((await ask(jonas.username)).items.every(({ unread }) => unread)).toBe(true)
})

test('a page can begin with an item, unless that is among the newest', async () => {
  const trader = await makeTrader(testApp)
  const person = await signIn(testApp)
  await subscribe(testApp, person, trader)
  const crowd = { traderId: trader.userId, username: trader.username }
  for (let nth = 1; nth <= 40; nth += 1) await publish(testApp.db, crowd, { symbol: `S${nth}` }, second(nth))

  const among = await readActivity(testApp, person, `?item=${trader.username.toUpperCase()}.39`)
  expect([among.items[0]?.symbol, among.items.length, among.newer]).toEqual(['S40', 25, false])
  const older = await readActivity(testApp, person, `?item=${trader.username}.10`)
  expect(inShort(older)).toEqual(Array.from({ length: 10 }, (_, index) => `opened S${10 - index}`))
  expect([older.newer, older.next]).toEqual([true, null])
})

test('an item that one may not see is answered as one that there is not', async () => {
  const [trader, other] = [await makeTrader(testApp), await makeTrader(testApp)]
  const [person, stranger] = [await signIn(testApp), await signIn(testApp)]
  await open(testApp, quotes, trader, 'AAPL', 100)
  await subscribe(testApp, person, trader)
  await open(testApp, quotes, trader, 'MSFT', 100)
  const before = await readTables(testApp)
  const { username } = trader
  const asked = [
    [person, `${username}.1`],
    [person, `${username}.3`],
    [stranger, `${username}.2`],
    [other, `${username}.2`],
    [person, 'nobody-here.1'],
    [person, `${username}.0`],
    [person, `${username}.2.2`],
    [person, `${username}.999999999999999`],
    [person, '%00.1'],
    [person, 'https://elsewhere.example'],
    [person, ''],
  ] as const
  for (const [who, item] of asked) {
    const { status, body } = await call(testApp, who, 'GET', `/v1/activity?item=${item}`)
    expect({ item, status, code: body.code }).toEqual({ item, status: 404, code: 'activity_not_found' })
  }
  expect(await readTables(testApp)).toEqual(before)
  expect((await readActivity(testApp, person, `?item=${username}.2`)).items).toHaveLength(1)
})

test('a cursor that no page was answered with is refused', async () => {
  const person = await signIn(testApp)
  const uuid = '019aa1c2-1f0a-7d52-b6c1-0e7f3a9b4c21'
  const written = (text: string) => Buffer.from(text).toString('base64url')
  for (const after of [
    '',
    'nonsense',
    written(`2026-02-31T10:00:00.000000Z ${uuid} 1`),
    written(`2026-02-28T10:00:00.000000Z ${uuid} -1`),
    written(`2026-02-28T10:00:00.000000Z ${uuid} 1; select 1`),
    written(`2026-02-28T10:00:00.000000Z nobody 1`),
  ]) {
    const { status, body } = await call(testApp, person, 'GET', `/v1/activity?after=${after}`)
    expect({ after, status, code: body.code }).toEqual({ after, status: 400, code: 'bad_request' })
  }
  const good = written(`2026-02-28T10:00:00.000000Z ${uuid} 1`)
  expect((await call(testApp, person, 'GET', `/v1/activity?after=${good}`)).status).toBe(200)
  expect((await call(testApp, person, 'GET', `/v1/activity?after=${good}&item=maria.1`)).status).toBe(200)
})
