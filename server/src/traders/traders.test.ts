import { SUBSCRIPTION_STATUSES } from '@tradepost/contract/subscriptions'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { buildTestApp, TEST_NOW } from '../../test/build-test-app.ts'
import {
  call,
  close,
  completePayouts,
  makeTrader,
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

const search = (who: SignedIn, username: string) =>
  call(testApp, who, 'GET', `/v1/accounts/search?username=${encodeURIComponent(username)}`)
const profile = (who: SignedIn, username: string) =>
  call(testApp, who, 'GET', `/v1/accounts/profile?username=${encodeURIComponent(username)}`)

/** Opens at 100 on one day and closes at the given prices on the next. */
async function trade(trader: Trader, closePrices: number[]): Promise<void> {
  testApp.clock.set(TEST_NOW)
  for (const at of closePrices.keys()) await open(testApp, quotes, trader, `T${at}`, 100)
  testApp.clock.set(new Date('2026-03-05T15:00:00Z'))
  for (const [at, price] of closePrices.entries()) {
    testApp.clock.advance(1000)
    await close(testApp, quotes, trader, `T${at}`, price)
  }
}

test('a trader is found by the lower-case name, with exactly these fields', {
  tags: ['SEARCH-14', 'SEARCH-15', 'API-12'],
}, async () => {
  const trader = await makeTrader(testApp, 'TraderOne')
  await completePayouts(testApp, trader)
  await trade(trader, [112, 105])
  await open(testApp, quotes, trader, 'SECRET', 1)
  expect(await search(await signIn(testApp), 'traderone')).toEqual({
    status: 200,
    body: {
      username: 'TraderOne',
      openPositions: 1,
      closedPositions: 2,
      averageProfit: 8.5,
      isSelf: false,
      canSubscribe: true,
      isSubscribed: false,
      since: '2026-03-04',
      priceCents: 1000,
      currency: 'usd',
    },
  })
  expect((await search(trader, ' TRADERONE ')).body).toMatchObject({ isSelf: true, canSubscribe: false })
})

test('without closed positions there is no average', async () => {
  const trader = await makeTrader(testApp)
  expect((await search(trader, trader.username)).body.averageProfit).toBeNull()
  await open(testApp, quotes, trader, 'AAPL', 1)
  expect((await search(trader, trader.username)).body).toMatchObject({
    openPositions: 1,
    averageProfit: null,
  })
})

test.each([
  ['', 422, 'query_too_short'],
  ['ab', 422, 'query_too_short'],
  ['  ab  ', 422, 'query_too_short'],
  ['nobodyhere', 404, 'user_not_found'],
  ['a'.repeat(16), 404, 'user_not_found'],
  ['%%%', 404, 'user_not_found'],
  ['___', 404, 'user_not_found'],
  ["a' or 1=1--", 404, 'user_not_found'],
  ['admin', 404, 'user_not_found'],
  ['abc\u0000', 404, 'user_not_found'],
])('searching %j is refused', async (query, status, code) => {
  const person = await signIn(testApp)
  const before = await readTables(testApp)
  expect(await search(person, query)).toMatchObject({ status, body: { code } })
  expect(await readTables(testApp)).toEqual(before)
})

test('only the whole name finds somebody', async () => {
  await makeTrader(testApp, 'Wholename')
  const person = await signIn(testApp)
  for (const part of ['wholenam', 'holename', 'who%', 'wholen_me']) {
    expect(await search(person, part)).toMatchObject({
      status: 404,
      body: { message: "That user doesn't seem to exist..." },
    })
  }
})

test('without a query, or with two, the answer is 400', async () => {
  const person = await signIn(testApp)
  for (const path of ['search', 'profile']) {
    for (const query of ['', '?username=abc&username=def']) {
      const answer = await call(testApp, person, 'GET', `/v1/accounts/${path}${query}`)
      expect(answer).toMatchObject({ status: 400, body: { message: expect.any(String) } })
    }
  }
})

test('a profile has exactly these fields, closed positions newest first', {
  tags: ['PROF-10', 'API-14'],
}, async () => {
  const trader = await makeTrader(testApp)
  await completePayouts(testApp, trader)
  await trade(trader, [105, 90])
  await open(testApp, quotes, trader, 'SECRET', 1)
  const viewer = await signIn(testApp)
  expect(await profile(viewer, trader.username.toUpperCase())).toEqual({
    status: 200,
    body: {
      username: trader.username,
      openPositions: 1,
      closedPositions: 2,
      averageProfit: -2.5,
      canSubscribe: true,
      isSubscribed: false,
      isSelf: false,
      latestPositions: [
        {
          symbol: 'T1',
          opened: '2026-03-04T15:00:00.000Z',
          closed: '2026-03-05T15:00:02.000Z',
          percentageGain: -10,
        },
        {
          symbol: 'T0',
          opened: '2026-03-04T15:00:00.000Z',
          closed: '2026-03-05T15:00:01.000Z',
          percentageGain: 5,
        },
      ],
      since: '2026-03-04',
      pastPlan: [],
      morePastPlan: 0,
      record: {
        closed: 2,
        wins: null,
        average: -2.5,
        median: -2.5,
        best: 5,
        worst: -10,
        medianDaysHeld: 1,
        plansKept: null,
      },
      priceCents: 1000,
      currency: 'usd',
    },
  })
})

test('the position closed last comes first, whenever it was opened, each with its own two dates', async () => {
  const trader = await makeTrader(testApp)
  testApp.clock.set(new Date('2026-03-02T15:00:00.000Z'))
  await open(testApp, quotes, trader, 'FIRST', 100)
  testApp.clock.set(new Date('2026-03-03T15:00:00.000Z'))
  await open(testApp, quotes, trader, 'SECOND', 100)
  testApp.clock.set(new Date('2026-03-04T15:00:00.000Z'))
  await close(testApp, quotes, trader, 'SECOND', 110)
  testApp.clock.set(new Date('2026-03-05T15:00:00.000Z'))
  await close(testApp, quotes, trader, 'FIRST', 120)
  const { body } = await profile(trader, trader.username)
  expect(body.latestPositions).toEqual([
    {
      symbol: 'FIRST',
      opened: '2026-03-02T15:00:00.000Z',
      closed: '2026-03-05T15:00:00.000Z',
      percentageGain: 20,
    },
    {
      symbol: 'SECOND',
      opened: '2026-03-03T15:00:00.000Z',
      closed: '2026-03-04T15:00:00.000Z',
      percentageGain: 10,
    },
  ])
})

test('a profile has the ten latest of many closed positions', async () => {
  const trader = await makeTrader(testApp)
  await trade(
    trader,
    Array.from({ length: 12 }, () => 101),
  )
  const { body } = await profile(trader, trader.username)
  const symbols = (body.latestPositions as { symbol: string }[]).map(({ symbol }) => symbol)
  expect(symbols).toEqual(['T11', 'T10', 'T9', 'T8', 'T7', 'T6', 'T5', 'T4', 'T3', 'T2'])
})

test('spaces around the name in the address of a profile do not matter', async () => {
  const trader = await makeTrader(testApp)
  const viewer = await signIn(testApp)
  expect(await profile(viewer, ` ${trader.username} `)).toMatchObject({
    status: 200,
    body: { username: trader.username },
  })
})

test('an unknown trader has no profile', async () => {
  const person = await signIn(testApp)
  for (const name of ['nobodyhere', 'ab', '', 'a/../b', 'a'.repeat(300)]) {
    expect(await profile(person, name)).toMatchObject({ status: 404, body: { code: 'user_not_found' } })
  }
})

test('profile, search and leaderboard show no active symbol, no notes, no address and no id', {
  tags: ['PROF-11'],
}, async () => {
  const trader = await makeTrader(testApp)
  await completePayouts(testApp, trader)
  await trade(trader, [101])
  const secrets = ['HIDDEN', 'long enough', trader.email, trader.userId, `acct_${trader.userId}`]
  await open(testApp, quotes, trader, 'HIDDEN', 77.77)
  const subscriber = await signIn(testApp)
  await subscribe(testApp, subscriber, trader)
  const ids = await testApp.pool.query('select id::text from positions where trader_id = $1', [trader.userId])
  secrets.push(...ids.rows.map((row) => row.id), '77.77')
  for (const viewer of [await signIn(testApp), subscriber, trader]) {
    const answers = [
      await search(viewer, trader.username),
      await profile(viewer, trader.username),
      await call(testApp, viewer, 'GET', '/v1/leaderboard'),
    ]
    const text = JSON.stringify(answers)
    expect(text).toContain(trader.username)
    for (const secret of secrets) expect(text).not.toContain(secret)
  }
})

/** How a viewer stands to a trader, by profile and search. */
async function relationship(viewer: SignedIn, trader: Trader): Promise<unknown[]> {
  const { body } = await profile(viewer, trader.username)
  const found = (await search(viewer, trader.username)).body
  const { isSelf, isSubscribed, canSubscribe } = body
  expect(found).toMatchObject({ isSelf, isSubscribed, canSubscribe })
  return [isSelf, isSubscribed, canSubscribe]
}

test('a trader has a username and complete payouts', { tags: ['ROLE-03'] }, async () => {
  const [viewer, trader] = [await signIn(testApp), await makeTrader(testApp)]
  const { db } = testApp
  const payouts = (change: { transfers_status?: string; closed_at?: Date }) =>
    db.updateTable('payout_accounts').set(change).where('user_id', '=', trader.userId).execute()
  expect(await relationship(viewer, trader), 'no payouts').toEqual([false, false, false])
  await completePayouts(testApp, trader)
  expect(await relationship(viewer, trader), 'complete').toEqual([false, false, true])
  expect(await relationship(trader, trader), 'self').toEqual([true, false, false])
  await payouts({ transfers_status: 'pending' })
  expect(await relationship(viewer, trader), 'restricted').toEqual([false, false, false])
  await payouts({ transfers_status: 'active', closed_at: TEST_NOW })
  expect(await relationship(viewer, trader), 'closed').toEqual([false, false, false])
})

test('nobody can subscribe to a suspended trader', async () => {
  const [viewer, trader] = [await signIn(testApp), await makeTrader(testApp)]
  await completePayouts(testApp, trader)
  await testApp.db
    .updateTable('users')
    .set({ suspended_at: TEST_NOW })
    .where('id', '=', trader.userId)
    .execute()
  expect((await profile(viewer, trader.username)).body).toMatchObject({
    canSubscribe: false,
    isSubscribed: false,
    suspended: true,
  })
})

test.each(SUBSCRIPTION_STATUSES)(
  'the relationship to a trader follows a subscription that is %s',
  async (status) => {
    const [viewer, trader] = [await signIn(testApp), await makeTrader(testApp)]
    await completePayouts(testApp, trader)
    await subscribe(testApp, viewer, trader, status)
    const entitled = ['active', 'trialing', 'past_due'].includes(status)
    expect(await relationship(viewer, trader)).toEqual([false, entitled, status === 'canceled'])
  },
)
