import { expect, test } from 'vitest'
import { buildTestApp, type TestApp } from '../../test/build-test-app.ts'
import { call, makeTrader, raiseEventNumber, setMark, subscribe, type Trader } from '../../test/factories.ts'
import { insertCloses, insertPositions, scoreAt } from '../../test/prices/proven-scenario.ts'
import { startQuoteServer } from '../../test/prices/quote-server.ts'
import { type Listed, listOn } from '../../test/prices/symbol-list.ts'
import { runOperator } from '../../test/run-operator.ts'
import { type SignedIn, signIn } from '../../test/sign-in/sign-in.ts'

const OPENED = '2026-03-03T15:00:00.000Z'
/** Less than a week is over by a day. */
const DAY_BEFORE = '2026-03-11T14:59:59.999Z'
const PUBLIC = '2026-03-11T15:00:00.000Z'
const WEEK = [
  '2026-03-02',
  '2026-03-03',
  '2026-03-04',
  '2026-03-05',
  '2026-03-06',
  '2026-03-09',
  '2026-03-10',
]

async function setStage(testApp: TestApp): Promise<Trader> {
  testApp.clock.set(new Date('2026-03-01T00:00:00Z'))
  const trader = await makeTrader(testApp)
  await testApp.pool.query('insert into trader_stats (trader_id) values ($1)', [trader.userId])
  return trader
}

/** Positions of a week at most that were opened on the 3rd; the given fields make others of them. */
async function hold(testApp: TestApp, trader: Trader, symbols: string[], given: object = {}): Promise<void> {
  await insertPositions(
    testApp,
    symbols.map((symbol) => ({
      traderId: trader.userId,
      symbol,
      openedAt: OPENED,
      openPrice: 77.77,
      holdLength: 'less_than_one_week',
      ...given,
    })),
  )
  await raiseEventNumber(testApp, trader)
}

async function profileOf(testApp: TestApp, who: SignedIn, { username }: Trader) {
  const { body, status } = await call(testApp, who, 'GET', `/v1/accounts/profile?username=${username}`)
  expect(status).toBe(200)
  return body as {
    pastPlan: { symbol: string }[]
    morePastPlan: number
    record: { plansKept: object | null }
  }
}

const symbolsOf = async (testApp: TestApp, who: SignedIn, trader: Trader) =>
  (await profileOf(testApp, who, trader)).pastPlan.map(({ symbol }) => symbol)

/** Everything that somebody is answered about a trader without following them, and the figures that a plan's end changes. */
async function lookAt(testApp: TestApp, who: SignedIn, trader: Trader) {
  const { username } = trader
  const paths = [
    `/v1/accounts/search?username=${username}`,
    `/v1/accounts/suggestions?username=${username}`,
    `/v1/accounts/profile?username=${username}`,
    '/v1/leaderboard',
    '/v1/leaderboard/proven',
    `/v1/traders/${username}/positions/closed`,
    `/v1/traders/${username}/track-record?range=all`,
    '/v1/positions',
    '/v1/marks',
    '/v1/activity',
  ]
  const answers: object[] = []
  for (const path of paths) answers.push((await call(testApp, who, 'GET', path)).body)
  const [, , profile, , proven, , track] = answers as [
    object,
    object,
    { pastPlan: { symbol: string }[]; record: { plansKept: { of: number } | null } },
    object,
    { entries: { overdue: number; middle: string }[] },
    object,
    { days: { level: number }[]; allIn: { open: number; mean: number } | null },
  ]
  return {
    text: JSON.stringify(answers),
    figures: {
      card: profile.pastPlan.map(({ symbol }) => symbol),
      plansKept: profile.record.plansKept?.of ?? null,
      overdue: proven.entries.map(({ overdue }) => overdue),
      allIn: track.allIn,
      level: track.days.at(-1)?.level,
    },
    middle: Number(proven.entries[0]?.middle),
  }
}

test('the day before a position is public a stranger finds nothing of it anywhere, on its day all of it by one clock', async () => {
  await using testApp = await buildTestApp()
  const trader = await setStage(testApp)
  const closes = { SPY: 100, KO: 10, V: 10, HIDDEN: 77.77 }
  await insertCloses(
    testApp,
    Object.entries(closes).flatMap(([symbol, close]) =>
      WEEK.map((day, nth) => [symbol, day, symbol === 'HIDDEN' ? close - 7 * nth : close] as const),
    ),
  )
  await hold(testApp, trader, ['KO', 'V'], {
    openPrice: 10,
    closedAt: '2026-03-05T15:00:00Z',
    closePrice: 11,
  })
  await scoreAt(testApp, DAY_BEFORE)
  const stranger = await signIn(testApp)
  const without = await lookAt(testApp, stranger, trader)
  await hold(testApp, trader, ['HIDDEN'])
  await setMark(testApp, 'HIDDEN', 70)

  await scoreAt(testApp, DAY_BEFORE)
  const before = await lookAt(testApp, stranger, trader)
  expect(before.text).not.toMatch(/HIDDEN|77\.77/)
  // Everybody sees how many are open, and nothing else has changed.
  expect(before.text.replaceAll(/"(openPositions|open)":1/g, '"$1":0')).toBe(without.text)
  expect(before.figures).toMatchObject({
    card: [],
    plansKept: null,
    overdue: [0],
    allIn: { open: 0, mean: 10 },
  })

  testApp.clock.set(new Date(PUBLIC))
  const onItsDay = await lookAt(testApp, stranger, trader)
  expect(onItsDay.figures).toMatchObject({
    card: ['HIDDEN'],
    plansKept: 3,
    overdue: [1],
    allIn: { open: 1 },
    level: before.figures.level,
  })
  // Days and scores follow with the night.
  await scoreAt(testApp, PUBLIC)
  const after = await lookAt(testApp, stranger, trader)
  expect(after.figures.level).toBeLessThan(Number(before.figures.level))
  expect(after.middle).toBeLessThan(before.middle)
})

test('everybody is shown the same bytes of it: ticker, opening day and price, and the gain by the last price that is known', async () => {
  await using testApp = await buildTestApp()
  const trader = await setStage(testApp)
  await hold(testApp, trader, ['AAPL'])
  testApp.clock.set(new Date('2026-03-11T16:00:44.999Z'))
  await setMark(testApp, 'AAPL', 70)
  const follower = await signIn(testApp)
  await subscribe(testApp, follower, trader)
  const texts = []
  for (const who of [await signIn(testApp), follower, trader]) {
    const { morePastPlan, pastPlan } = await profileOf(testApp, who, trader)
    texts.push(JSON.stringify([pastPlan, morePastPlan]))
  }
  expect(new Set(texts).size).toBe(1)
  expect(JSON.parse(texts[0] ?? '')).toEqual([
    [
      {
        symbol: 'AAPL',
        opened: OPENED,
        openPrice: 77.77,
        gain: -9.99,
        at: '2026-03-11T16:00:30.000Z',
        publicAt: PUBLIC,
      },
    ],
    0,
  ])
})

test('without a price of after the opening there is no gain, and for a ticker of before the last close of before counts', async () => {
  await using testApp = await buildTestApp()
  const trader = await setStage(testApp)
  await hold(testApp, trader, ['NONE', 'OLD', 'LOST'])
  await setMark(testApp, 'OLD', 70)
  testApp.clock.set(new Date('2026-03-11T16:00:00Z'))
  await setMark(testApp, 'LOST', 1000)
  await insertCloses(testApp, [
    ['LOST', '2026-03-05', 84],
    ['LOST', '2026-03-06', 1000],
  ])
  await testApp.pool.query("update positions set ticker_lost_on = '2026-03-06' where symbol = 'LOST'")
  await raiseEventNumber(testApp, trader)
  const { pastPlan } = await profileOf(testApp, trader, trader)
  const shown = { opened: OPENED, openPrice: 77.77, at: null, publicAt: PUBLIC }
  expect(pastPlan).toEqual([
    { symbol: 'LOST', gain: 8.01, ...shown },
    { symbol: 'NONE', gain: null, ...shown },
    { symbol: 'OLD', gain: null, ...shown },
  ])
})

test('the one that became public last comes first, struck and closed ones are left out, and of very many fifty are shown', async () => {
  await using testApp = await buildTestApp()
  const trader = await setStage(testApp)
  await hold(testApp, trader, ['MONTHS'], {
    openedAt: '2025-12-01T15:00:00Z',
    holdLength: 'one_to_three_months',
  })
  await hold(testApp, trader, ['WEEK', 'STRUCK'])
  await hold(testApp, trader, ['CLOSED'], { closedAt: '2026-03-20T15:00:00Z', closePrice: 70 })
  await hold(testApp, trader, ['WAITS'], {
    closedAt: '2026-03-20T15:00:00Z',
    closePrice: 70,
    unsettled: true,
  })
  testApp.clock.set(new Date('2026-03-20T16:00:00Z'))
  const { rows } = await testApp.pool.query("select id from positions where symbol = 'STRUCK'")
  await runOperator(testApp, 'positions:strike', rows[0].id, 'A glitch.')
  expect(await symbolsOf(testApp, trader, trader)).toEqual(['WEEK', 'MONTHS'])
  await hold(
    testApp,
    trader,
    Array.from({ length: 51 }, (_, nth) => `S${nth}`),
    { openedAt: '2026-03-04T15:00:00Z' },
  )
  const many = await profileOf(testApp, trader, trader)
  expect([many.pastPlan.length, many.morePastPlan]).toEqual([50, 3])
})

test('six months and more are public after 366 days, not after 365', async () => {
  await using testApp = await buildTestApp()
  const trader = await setStage(testApp)
  await hold(testApp, trader, ['YEAR'], { holdLength: 'more_than_six_months' })
  testApp.clock.set(new Date('2027-03-03T15:00:00.000Z'))
  expect(await symbolsOf(testApp, await signIn(testApp), trader)).toEqual([])
  testApp.clock.set(new Date('2027-03-04T15:00:00.000Z'))
  expect(await symbolsOf(testApp, await signIn(testApp), trader)).toEqual(['YEAR'])
})

test('a position that is public later than by the rule is nowhere until then', async () => {
  await using testApp = await buildTestApp()
  const trader = await setStage(testApp)
  await insertCloses(testApp, [
    ...WEEK.map((day) => ['SPY', day, 100] as const),
    ...WEEK.map((day, nth) => ['LATE', day, 77.77 - nth] as const),
  ])
  await hold(testApp, trader, ['LATE'])
  const later = new Date('2026-03-18T15:00:00Z')
  await testApp.pool.query('update positions set public_at = $1', [later])
  await raiseEventNumber(testApp, trader)
  await scoreAt(testApp, '2026-03-18T14:59:59.999Z')
  const stranger = await signIn(testApp)
  const before = await lookAt(testApp, stranger, trader)
  expect(before.figures).toEqual({ card: [], plansKept: null, overdue: [], allIn: null, level: undefined })
  expect((await call(testApp, trader, 'GET', '/v1/positions')).body.positions).toMatchObject([
    { stock: 'LATE', publicAt: '2026-03-18T15:00:00.000Z' },
  ])
  await scoreAt(testApp, later.toISOString())
  expect((await lookAt(testApp, await signIn(testApp), trader)).figures).toMatchObject({
    card: ['LATE'],
    overdue: [1],
    allIn: { open: 1 },
    level: -7.72,
  })
})

test('a profile that was looked at keeps the gain of a ticker that becomes another company’s', async () => {
  const quotes = await startQuoteServer()
  await using testApp = await buildTestApp({ quotes })
  const trader = await setStage(testApp)
  // Enough that a few that go are the few of every day.
  const others = Array.from({ length: 60 }, (_, nth): Listed => [`ZZ${nth}`, `OTHER ${nth}`, `BBGZ${nth}`])
  await listOn(testApp, quotes, '2026-03-02T10:00:00Z', [...others, ['LOST', 'OLD MINES', 'BBG1']])
  await hold(testApp, trader, ['LOST'])
  await insertCloses(testApp, [['LOST', '2026-03-10', 84]])
  await listOn(testApp, quotes, '2026-03-11T16:00:00Z', [...others, ['LOST', 'OLD MINES', 'BBG1']])
  await setMark(testApp, 'LOST', 84)
  expect((await profileOf(testApp, trader, trader)).pastPlan).toMatchObject([{ symbol: 'LOST', gain: 8.01 }])
  await listOn(testApp, quotes, '2026-03-12T16:00:00Z', [...others, ['LOST', 'NEW SOFTWARE', 'BBG2']])
  await setMark(testApp, 'LOST', 1000)
  expect((await profileOf(testApp, trader, trader)).pastPlan).toMatchObject([{ symbol: 'LOST', gain: 8.01 }])
  await quotes.close()
})
