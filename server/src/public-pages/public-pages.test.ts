import { afterAll, expect, test } from 'vitest'
import { buildTestApp } from '../../test/build-test-app.ts'
import {
  call,
  completePayouts,
  makeTrader,
  moveSubscription,
  raiseEventNumber,
  setMark,
  subscribe,
  type Trader,
} from '../../test/factories.ts'
import {
  type GivenPosition,
  insertCloses,
  insertPositions,
  scoreAt,
} from '../../test/prices/proven-scenario.ts'
import { servePublicPages } from '../../test/public-pages.ts'
import { signIn } from '../../test/sign-in/sign-in.ts'
import { adjustForSplit } from '../positions/correct/adjust-positions.ts'

const testApp = await buildTestApp({ settings: { limitsOn: false } })
const pages = await servePublicPages(testApp)
afterAll(async () => {
  await pages[Symbol.asyncDispose]()
  await testApp.close()
})

const START = new Date('2026-03-02T00:00:00Z')
/** By now a position of less than a week that was opened on March 3 is public, one of three weeks is not. */
const NOW = new Date('2026-03-12T15:00:00Z')
const OPENED = '2026-03-03T15:00:00.000Z'
const WEEK = [
  '2026-03-02',
  '2026-03-03',
  '2026-03-04',
  '2026-03-05',
  '2026-03-06',
  '2026-03-09',
  '2026-03-10',
  '2026-03-11',
]

await insertCloses(
  testApp,
  WEEK.flatMap((day, nth) => [
    ['SPY', day, 500 + nth] as const,
    ['HIDN', day, 100 + 7 * nth] as const,
    ['SEEN', day, 100 + nth] as const,
    ['LATE', day, 100 - nth] as const,
  ]),
)

/** A trader who holds these, and whose page is on. */
async function traderWith(
  positions: readonly Partial<GivenPosition>[] = [],
  enabled = true,
): Promise<Trader> {
  testApp.clock.set(START)
  const trader = await makeTrader(testApp)
  await testApp.pool.query('insert into trader_stats (trader_id, first_opened_at) values ($1, $2)', [
    trader.userId,
    OPENED,
  ])
  const base = { traderId: trader.userId, symbol: 'AAPL', openedAt: OPENED, openPrice: 100 }
  await insertPositions(
    testApp,
    positions.map((given) => ({ ...base, ...given })),
  )
  await raiseEventNumber(testApp, trader)
  if (enabled) await turn(trader, true)
  testApp.clock.set(NOW)
  return trader
}

const turn = (trader: Trader, enabled: boolean) =>
  call(testApp, trader, 'POST', '/v1/accounts/public-page', { enabled })
const read = async ({ username }: Trader) => {
  const { body, headers, statusCode } = await pages.get(`/t/${username}`)
  return { body, words: wordsOf(body), headers: JSON.stringify(headers), status: statusCode }
}
/** The words of a page, with one blank between its elements. */
const wordsOf = (html: string) =>
  html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()

const closed = { closedAt: '2026-03-10T15:00:00.000Z', closePrice: 110 }
const notes = 'ten or more'
const FOR_FOLLOWERS = 'Followers get each by e-mail at once'

type Secret = { given?: Partial<GivenPosition>; happens?: (trader: Trader) => Promise<unknown> }

/** States of a position whose ticker only followers may know, or nobody. */
const SECRET: Readonly<Record<string, Secret>> = {
  'open within its plan': {},
  'open within a plan of half a year': { given: { holdLength: 'three_to_six_months' } },
  'opened a moment ago': {
    given: { openedAt: '2026-03-12T14:59:59.000Z', holdLength: 'less_than_one_week' },
  },
  'split within its plan': {
    happens: () => adjustForSplit(testApp.db, { symbol: 'HIDN', ratio: '4:1', day: '2026-03-06' }, NOW),
  },
  'held by somebody whose follower’s subscription has lapsed': {
    async happens(trader) {
      const id = await subscribe(testApp, await signIn(testApp), trader)
      await moveSubscription(testApp, trader, id, 'past_due')
      expect(await moveSubscription(testApp, trader, id, 'canceled')).toBe(true)
    },
  },
}

test.each(Object.entries(SECRET))(
  'nothing on a page names a position that is %s',
  async (_state, { given, happens }) => {
    const trader = await traderWith([
      { symbol: 'HIDN', ...given },
      { symbol: 'SEEN', ...closed },
      { symbol: 'LATE', holdLength: 'less_than_one_week' },
    ])
    await setMark(testApp, 'HIDN', 123.45)
    await happens?.(trader)
    await scoreAt(testApp, '2026-03-12T04:41:00Z')
    const { body, headers, status } = await read(trader)
    expect(status).toBe(200)
    for (const secret of ['HIDN', '123.45', '$25', notes])
      expect(body + headers, secret).not.toContain(secret)
    expect(body).toContain('SEEN')
    expect(body, 'public by rule').toContain('LATE')
    expect(body).toContain('2 positions are open')
    expect(body).toContain(FOR_FOLLOWERS)
    const { body: picture } = await pages.getPicture(`/t/${trader.username}/picture.png`)
    expect(picture.slice(1, 4)).toBe('PNG')
  },
)

test('the page of a trader is the same to the byte whatever the open ticker within its plan is', async () => {
  const trader = await traderWith([{ symbol: 'SEEN', ...closed }, { symbol: 'ONE' }])
  await insertCloses(
    testApp,
    WEEK.flatMap((day, nth) => [['ONE', day, 100 + 9 * nth] as const, ['TWO', day, 100 - 9 * nth] as const]),
  )
  await scoreAt(testApp, '2026-03-12T04:41:00Z')
  const before = await read(trader)
  await testApp.pool.query("update positions set symbol = 'TWO' where trader_id = $1 and symbol = 'ONE'", [
    trader.userId,
  ])
  await raiseEventNumber(testApp, trader)
  await scoreAt(testApp, '2026-03-12T04:41:00Z')
  testApp.clock.advance(31_000)
  const after = await read(trader)
  expect(after.body).toBe(before.body)
})

test('a page shows what is public: closed positions, figures, what is past its plan and the ages of open ones', async () => {
  const trader = await traderWith([
    { symbol: 'UP', ...closed },
    { symbol: 'DOWN', closedAt: '2026-03-11T15:00:00.000Z', closePrice: 96 },
    { symbol: 'LATE', holdLength: 'less_than_one_week' },
    { symbol: 'HIDN', openedAt: '2026-03-11T16:00:00.000Z' },
  ])
  await setMark(testApp, 'LATE', 105)
  const { body, words } = await read(trader)
  expect(body).toContain(
    `<title>${trader.username}’s record: +3.00%, average of 2 closed · Tradepost</title>`,
  )
  expect(words).toContain('Publishes since Mar 3, 2026.')
  expect(words).toContain(
    'DOWN Mar 3, 2026 Mar 11, 2026 loss -4.00% UP Mar 3, 2026 Mar 10, 2026 gain + 10.00%',
  )
  expect(words).toContain('LATE Mar 3, 2026 $100.00 gain + 5.00%')
  expect(words).toContain('2 positions are open, for 9 and 0 days.')
  expect(body).toContain(`<link rel="canonical" href="https://tradepost.example/t/${trader.username}"/>`)
  expect(body).toContain(`href="/trader/${trader.username}"`)
})

test('a page says what following costs once the trader can be paid, within half a minute', async () => {
  const trader = await traderWith([{ symbol: 'UP', ...closed }])
  expect((await read(trader)).words).toContain('Takes no new subscribers at the moment')
  await completePayouts(testApp, trader)
  testApp.clock.advance(30_000)
  expect((await read(trader)).words).toContain('$10 a month, cancel any time')
})

test('a position past its plan that was split has the price and the gain of the new shares', async () => {
  const trader = await traderWith([{ symbol: 'MANY', holdLength: 'less_than_one_week' }])
  await setMark(testApp, 'MANY', 52)
  expect((await read(trader)).words).toContain('MANY Mar 3, 2026 $100.00 loss -48.00%')
  expect(await adjustForSplit(testApp.db, { symbol: 'MANY', ratio: '2:1', day: '2026-03-12' }, NOW)).toBe(1)
  await setMark(testApp, 'MANY', 52)
  expect((await read(trader)).words).toContain('MANY Mar 3, 2026 $50.00 gain + 4.00%')
})

test('a close whose price is not settled is marked, and a struck position too', async () => {
  const trader = await traderWith([
    { symbol: 'WAIT', ...closed, unsettled: true },
    { symbol: 'GONE', ...closed },
  ])
  await testApp.pool.query(
    `update positions set struck_at = $2, struck_reason = 'Nobody traded at this price.' where trader_id = $1 and symbol = 'GONE'`,
    [trader.userId, NOW],
  )
  await raiseEventNumber(testApp, trader)
  const { words } = await read(trader)
  expect(words).toMatch(/WAIT Mar 3, 2026 Mar 10, 2026 gain \+ 10\.00% price not settled yet/)
  expect(words).toMatch(/GONE Mar 3, 2026 Mar 10, 2026 gain \+ 10\.00% struck, counts nowhere/)
})

test('a page without a closed position says so', async () => {
  const { body } = await read(await traderWith())
  expect(body).toContain('No closed positions yet.')
  expect(body).toContain('None is open.')
  expect(body).not.toContain(FOR_FOLLOWERS)
})

test('unknown names, pages that are off and suspended people are answered alike, to the byte', async () => {
  const off = await traderWith([{ ...closed }], false)
  const suspended = await traderWith([{ ...closed }])
  await testApp.pool.query('update users set suspended_at = $2 where id = $1', [suspended.userId, NOW])
  const answers = []
  for (const name of [
    'nobody-here',
    off.username,
    suspended.username,
    '%20',
    'ab',
    '%C3%A9t%C3%A9',
    'x'.repeat(400),
  ])
    for (const path of [`/t/${name}`, `/t/${name}/`, `/t/${name}/picture.png`]) {
      const { body, headers, statusCode } = await pages.get(path)
      const { date, 'x-request-id': id, ...stable } = headers
      answers.push({ body, statusCode, ...stable })
    }
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
  expect(answers[0]).toMatchObject({ statusCode: 404, body: 'no page', 'cache-control': 'no-store' })
})

test('a page that is turned off, or whose trader is suspended, is gone with the next request; nothing keeps it for a minute', async () => {
  const trader = await traderWith([{ ...closed }])
  const { headers, status } = await read(trader)
  expect(status).toBe(200)
  expect(JSON.parse(headers)['cache-control']).toBe('public, max-age=30')
  await turn(trader, false)
  expect((await read(trader)).status).toBe(404)
  await turn(trader, true)
  expect((await read(trader)).status).toBe(200)
  await testApp.pool.query('update users set suspended_at = $2 where id = $1', [trader.userId, NOW])
  expect((await read(trader)).status).toBe(404)
})

test('what a trader closes is on the page with the next request, and ages and prices within half a minute', async () => {
  const trader = await traderWith([{ symbol: 'LATE', holdLength: 'less_than_one_week' }])
  await setMark(testApp, 'LATE', 105)
  expect((await read(trader)).words).toContain('gain + 5.00%')
  await setMark(testApp, 'LATE', 106)
  testApp.clock.advance(29_000)
  expect((await read(trader)).words).toContain('gain + 5.00%')
  testApp.clock.advance(1000)
  expect((await read(trader)).words).toContain('gain + 6.00%')
  await testApp.pool.query(
    'update positions set closed_at = $2, close_price = 108, close_notes = $3, close_preview_id = gen_random_uuid(), percentage_gain = 8 where trader_id = $1',
    [trader.userId, NOW, notes],
  )
  await raiseEventNumber(testApp, trader)
  expect((await read(trader)).words).toContain('gain + 8.00%')
})

test('every spelling of a name leads to the one address of its page', async () => {
  const trader = await traderWith()
  const address = `/t/${trader.username}`
  for (const path of [
    address.toUpperCase().replace('/T/', '/t/'),
    `${address}/`,
    `/t/@${trader.username}`,
    `${address}/?from=mail`,
  ]) {
    const { headers, statusCode } = await pages.get(path)
    expect({ statusCode, to: headers.location }, path).toEqual({ statusCode: 301, to: address })
  }
  expect((await pages.get(`${address}?from=mail`)).statusCode).toBe(200)
  const head = await pages.head(address)
  expect([head.statusCode, head.body]).toEqual([200, ''])
})

test('the document of a profile is described only where its public page is on', async () => {
  const trader = await traderWith([{ ...closed }])
  const said = `${trader.username}’s record: +10.00%, average of 1 closed`
  const head = await pages.describe(trader.username)
  expect(head).toContain(`<title>${said} · Tradepost</title>`)
  expect(head).not.toContain('canonical')
  await turn(trader, false)
  expect(await pages.describe(trader.username)).toBeNull()
  for (const name of ['nobody-here', '<script>', '']) expect(await pages.describe(name)).toBeNull()
})

test('a page allows no script at all, and other sites may show its picture', async () => {
  const { username } = await traderWith([{ ...closed }])
  const page = await pages.get(`/t/${username}`)
  expect(page.headers['content-security-policy']).toContain("script-src 'none'")
  const address =
    /property="og:image" content="https:\/\/tradepost.example([^"]+)"/.exec(page.body)?.[1] ?? ''
  expect(address).toMatch(new RegExp(`^/t/${username}/picture\\.png\\?v=[0-9a-f]{12}$`))
  const picture = await pages.getPicture(address)
  const bytes = picture.rawPayload
  expect(picture.headers).toMatchObject({
    'content-type': 'image/png',
    'cross-origin-resource-policy': 'cross-origin',
    'x-robots-tag': 'noindex',
    'cache-control': 'public, max-age=86400',
  })
  expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([1200, 630])
  expect(bytes.length).toBeLessThan(100_000)
})
