import type { Locator, Page } from '@playwright/test'
import { drawnAt } from './drawn-text.ts'
import { expect, MARKET_OPEN_AT, type Person, test } from './fixtures.ts'

const HOUR_MS = 3_600_000

function positionsOf(count: number, part: object = {}) {
  return Array.from({ length: count }, (_, index) => ({
    id: `id-${index}`,
    active: true,
    stock: `TICK${index}`,
    holdLength: 'less_than_one_week',
    openNotes: 'Some notes.',
    openPrice: 187.5,
    openedAt: new Date(MARKET_OPEN_AT.getTime() - (index + 1) * 26 * HOUR_MS).toISOString(),
    user: 'a-name-of-15-ch',
    ...part,
  }))
}

const LONG_NAME = 'A COMPANY WHOSE NAME IS AS LONG AS ANY NAME IS KEPT AT ALL, INC'

type OpenAs = (person: Person | null, path: string) => Promise<Page>

/** The screen at a path, whose list is answered with this. */
async function openList(openAs: OpenAs, person: Person, path: string, list: { call: string; json: object }) {
  const page = await openAs(person, '/account')
  await page.route(`**/v1/${list.call}`, (route) => route.fulfill({ json: list.json }))
  await page.goto(new URL(path, page.url()).href)
  await expect(page.getByRole('row')).not.toHaveCount(0)
  return page
}

/** The heights of the rows that stand whole on the first screen. */
function wholeRows(page: Page): Promise<number[]> {
  return page
    .getByRole('row')
    .filter({ has: page.getByRole('cell') })
    .evaluateAll((rows) =>
      rows
        .map((row) => row.getBoundingClientRect())
        .filter(({ top, bottom }) => top >= 0 && bottom <= innerHeight)
        .map(({ height }) => height),
    )
}

const sideways = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

function edge(element: Locator, side: 'left' | 'right'): Promise<number> {
  return element.evaluate((one, name) => one.getBoundingClientRect()[name], side)
}

/** Whether two things on the screen share a point. */
async function overlap(one: Locator, other: Locator): Promise<boolean> {
  const [a, b] = [await one.boundingBox(), await other.boundingBox()]
  if (!a || !b) throw new Error('not on the screen')
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height
}

test('nine positions stand on the first screen, and a press anywhere on a row opens it', {
  tag: ['@phone'],
}, async ({ people, openAs }) => {
  // Past the plan, that it is public stands in the place of the company's name.
  const positions = positionsOf(20, { companyName: 'TICK INC' })
  const page = await openList(openAs, await people.join(), '/', { call: 'positions', json: { positions } })
  await expect(page.getByRole('row')).toHaveCount(21)
  const heights = await wholeRows(page)
  expect(heights.length).toBeGreaterThanOrEqual(9)
  expect(new Set(heights)).toEqual(new Set([64]))
  await expect(page.getByRole('columnheader')).toHaveText([
    'Stock',
    'Trader',
    'Open Price',
    'Opened',
    'Hold Length',
  ])
  const row = page.getByRole('row').nth(9)
  await expect(row.getByRole('cell')).toHaveText(
    [
      'TICK8',
      'a-name-of-15-ch',
      '$187.50',
      'Nov 8',
      /^Less than a week\s*public since Nov 16\s*1 d over plan$/,
    ],
    { useInnerText: true },
  )
  const box = (await row.boundingBox()) as { x: number; y: number; width: number; height: number }
  for (const [x, y] of [
    [2, 2],
    [box.width - 2, 2],
    [2, box.height - 3],
    [box.width - 2, box.height - 3],
  ] as const) {
    await page.touchscreen.tap(box.x + x, box.y + y)
    await expect(page.getByRole('dialog', { name: 'TICK8' })).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toHaveCount(0)
  }
  await expect(page.getByRole('button', { name: 'TICK8' })).toBeFocused()
})

test('twelve traders of two lines stand on the first screen of the leaderboard', { tag: ['@phone'] }, async ({
  people,
  openAs,
}) => {
  const leaderboard = Array.from({ length: 30 }, (_, index) => ({
    username: `trader-${index}`,
    averageGain: `${30 - index}.00`,
    closed: 25,
    wins: 16,
    sparkline: [100, 104.2, 103.1],
  }))
  const page = await openList(openAs, await people.join(), '/leaderboard', {
    call: 'leaderboard',
    json: { leaderboard },
  })
  await expect(page.getByRole('row')).toHaveCount(31)
  const heights = await wholeRows(page)
  expect(heights.length).toBeGreaterThanOrEqual(12)
  expect(new Set(heights)).toEqual(new Set([52]))
  await expect(page.getByRole('columnheader')).toHaveText(['Trader', 'Average gain'])
  await expect(page.getByRole('row').nth(1).getByRole('link')).toHaveCSS('min-height', '44px')
})

test('recent positions have ticker and days on the left and the gain on the right', {
  tag: ['@phone'],
}, async ({ people, openAs }) => {
  const page = await openAs(await people.join(), '/account')
  const latestPositions = [
    {
      symbol: 'ABCDEFGHIJ',
      opened: '2025-11-02T15:00:00.000Z',
      closed: '2026-11-16T15:00:00.000Z',
      percentageGain: -123.45,
    },
  ]
  await page.route('**/v1/accounts/profile?*', (route) =>
    route.fulfill({
      json: {
        username: 'a-name-of-15-ch',
        openPositions: 2,
        closedPositions: 1,
        averageProfit: -123.45,
        canSubscribe: true,
        isSubscribed: false,
        isSelf: false,
        latestPositions,
        priceCents: 1000,
        currency: 'usd',
      },
    }),
  )
  await page.setViewportSize({ width: 320, height: 844 })
  await page.goto(new URL('/trader/a-name-of-15-ch', page.url()).href)
  const cells = page.getByRole('row').nth(1).getByRole('cell')
  await expect(cells).toHaveText(['ABCDEFGHIJ', 'Nov 2, 2025', 'Nov 16 · 2 d ago', /-123\.45%/], {
    useInnerText: true,
  })
  const boxes = await cells.evaluateAll((all) => all.map((cell) => cell.getBoundingClientRect().toJSON()))
  const [stock, opened, closed, gain] = boxes as {
    top: number
    bottom: number
    left: number
    right: number
  }[]
  if (!stock || !opened || !closed || !gain) throw new Error('four cells')
  expect(opened.top).toBeGreaterThanOrEqual(stock.bottom)
  expect(closed.top).toBe(opened.top)
  expect(closed.left).toBeGreaterThanOrEqual(opened.right)
  expect(gain.left).toBeGreaterThanOrEqual(closed.left)
  expect(
    await page
      .getByRole('row')
      .nth(1)
      .evaluate((row) => row.getBoundingClientRect().height),
  ).toBe(64)
  await expect(page.getByRole('columnheader')).toHaveText(['Stock', 'Opened', 'Closed', 'Profit'])
  expect(await sideways(page)).toBeLessThanOrEqual(0)
})

const closedOf = (symbol: string, opened: string, closed: string) => ({
  symbol,
  opened,
  closed,
  percentageGain: -123.45,
  companyName: LONG_NAME,
})

test('a profile shows of a close how long ago it was, and of all closed positions how long they were held', {
  tag: ['@phone'],
}, async ({ people, openAs }) => {
  const page = await openAs(await people.join(), '/account')
  const short = closedOf('GOOGL', '2026-10-23T14:00:00.000Z', '2026-11-17T14:00:00.000Z')
  const long = closedOf('ABCDE', '2023-01-18T14:00:00.000Z', '2025-10-14T14:00:00.000Z')
  const profile = {
    username: 'a-name-of-15-ch',
    openPositions: 2,
    closedPositions: 2,
    averageProfit: -123.45,
    canSubscribe: true,
    isSubscribed: false,
    isSelf: false,
    latestPositions: [short, long],
    priceCents: 1000,
    currency: 'usd',
  }
  const closed = [
    { ...short, id: 'short', daysHeld: 25 },
    { ...long, id: 'long', daysHeld: 1000 },
  ].map((one) => ({ ...one, holdLength: 'one_to_three_weeks', openPrice: 100, closePrice: 90 }))
  await page.route('**/v1/accounts/profile?*', (route) => route.fulfill({ json: profile }))
  await page.route('**/positions/closed?*', (route) =>
    route.fulfill({ json: { positions: closed, next: null } }),
  )
  await page.goto(new URL('/trader/a-name-of-15-ch', page.url()).href)
  await page.getByRole('button', { name: 'All 2 closed positions' }).click()
  const row = (table: string, symbol: string) =>
    page.getByRole('table', { name: table }).getByRole('row').filter({ hasText: symbol })
  const parts = [
    { line: row('Recent positions', 'GOOGL'), text: '1 d ago' },
    { line: row('Recent positions', 'ABCDE'), text: 'Oct 14, 2025' },
    { line: row('All closed positions', 'GOOGL'), text: 'held ' },
    { line: row('All closed positions', 'ABCDE'), text: '1000 d' },
  ]
  await expect(row('All closed positions', 'ABCDE').getByRole('cell').nth(2)).toHaveText('held 1000 d', {
    useInnerText: true,
  })
  for (const width of [320, 360, 390, 640]) {
    await page.setViewportSize({ width, height: 844 })
    for (const { line, text } of parts) {
      const gain = await edge(line.getByRole('cell').last(), 'left')
      expect((await drawnAt(line, text)).right, `${text} at ${width} px`).toBeLessThanOrEqual(gain)
      expect((await line.boundingBox())?.height).toBe(64)
    }
    expect(await sideways(page)).toBeLessThanOrEqual(0)
  }
  // The narrowest screens have no room for an age beside two days with years.
  const old = row('Recent positions', 'ABCDE')
  const age = old.locator('time').last().locator('> span').last()
  await page.setViewportSize({ width: 390, height: 844 })
  await expect(age).toHaveText('· 400 d ago', { useInnerText: true })
  expect((await drawnAt(age, '400 d ago')).right).toBeLessThanOrEqual(
    await edge(old.getByRole('cell').last(), 'left'),
  )
  await page.setViewportSize({ width: 360, height: 844 })
  await expect(age).toHaveCSS('width', '1px')
})

for (const stock of ['GOOGL', 'ABCDEFGHIJ']) {
  test(`on narrow screens ${stock} stands beside the longest name, hold and day of becoming public`, {
    tag: ['@phone'],
  }, async ({ people, openAs }) => {
    const positions = positionsOf(1, {
      stock,
      openPrice: 12_345.67,
      openedAt: '2025-01-02T15:00:00.000Z',
      holdLength: 'less_than_one_week',
    })
    const page = await openList(openAs, await people.join(), '/', { call: 'positions', json: { positions } })
    const row = page.getByRole('row').nth(1)
    const parts = [
      row.getByText('a-name-of-15-ch'),
      row.getByText('Less than a week'),
      row.locator('time'),
      row.getByText('$12345.67'),
      row.locator('[data-slot=public-since]'),
    ]
    for (const width of [320, 360, 389, 390, 640, 767]) {
      await page.setViewportSize({ width, height: 844 })
      expect(await row.evaluate((element) => element.getBoundingClientRect().height)).toBe(64)
      expect(await sideways(page)).toBeLessThanOrEqual(0)
      for (const [at, part] of parts.entries()) {
        for (const other of parts.slice(at + 1))
          expect(await overlap(part, other), `${width} px: ${part} and ${other}`).toBe(false)
      }
      // The button reaches over the row; its text is what stands there.
      const ticker = await row.getByRole('button').evaluate((button) => {
        const range = document.createRange()
        range.selectNodeContents(button)
        return range.getBoundingClientRect().right
      })
      const delay = await row.locator('[data-slot=public-since]').boundingBox()
      expect(delay?.x, `${width} px`).toBeGreaterThanOrEqual(ticker)
      await expect(row.locator('[data-slot=public-since]')).toContainText('public since Jan 10, 2025')
    }
  })
}

test('in a narrow window a long price that is minutes old stays in its line beside a delay', async ({
  people,
  openAs,
}) => {
  const page = await openAs(await people.join(), '/account')
  const at = new Date(MARKET_OPEN_AT.getTime() - 29 * 60_000).toISOString()
  const marks = [{ symbol: 'KO', price: '12712.34', at, state: 'aged' }]
  const openedAt = '2025-01-09T15:00:00.000Z'
  const positions = positionsOf(1, { stock: 'KO', openPrice: 12_345.67, openedAt, companyName: LONG_NAME })
  await page.route('**/v1/marks', (route) => route.fulfill({ json: { marks } }))
  await page.route('**/v1/positions', (route) => route.fulfill({ json: { positions } }))
  // The scroll bar takes room of it.
  await page.setViewportSize({ width: 360, height: 844 })
  await page.goto(new URL('/', page.url()).href)
  const price = page.getByRole('row', { name: 'KO' }).getByText('$12712.34')
  await expect(price).toBeVisible()
  expect((await price.boundingBox())?.height).toBeLessThan(20)
})

test('a select takes the place of the tab bar, and the address follows it', { tag: ['@phone'] }, async ({
  people,
  publish,
  follow,
  openAs,
}) => {
  const [reader, trader] = [await people.join(), await people.join()]
  await follow(reader, trader)
  await publish(reader, 'AAPL', 187.5)
  await publish(trader, 'KO', 61.3)
  const page = await openAs(reader, '/')
  const select = page.getByRole('combobox', { name: 'Showing' })
  await expect(select.getByRole('option')).toHaveText(['All', 'Personal', 'Subscription'])
  await expect(page.getByRole('button', { name: 'AAPL' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'KO' })).toBeVisible()
  expect((await select.boundingBox())?.height).toBeGreaterThanOrEqual(44)
  const entries = await page.evaluate(() => history.length)
  await select.selectOption('Subscription')
  await expect(page.getByRole('button', { name: 'AAPL' })).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'KO' })).toBeVisible()
  expect(new URL(page.url()).search).toBe('?tab=subscription')
  await select.selectOption('Personal')
  await expect(page.getByRole('button', { name: 'AAPL' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'KO' })).toHaveCount(0)
  expect(await page.evaluate(() => history.length)).toBe(entries)
  await page.reload()
  await expect(select).toHaveValue('personal')
})

for (const width of [320, 390, 1280]) {
  test(`at ${width} px the company stands with its ticker, and moves nothing that stands without it`, async ({
    people,
    openAs,
  }) => {
    const person = await people.join()
    const page = await openAs(person, '/account')
    await page.setViewportSize({ width, height: 844 })
    const boxes = async (part: object) => {
      const positions = positionsOf(2, { holdLength: 'more_than_six_months', ...part })
      await page.unrouteAll({ behavior: 'wait' })
      await page.route('**/v1/positions', (route) => route.fulfill({ json: { positions } }))
      await page.goto(new URL('/', page.url()).href)
      await expect(page.getByRole('button', { name: 'TICK0' })).toBeVisible()
      // The ticker itself, and every other cell; on a phone some cells have no box of their own.
      return page
        .locator('[data-row-action], td:not(:has([data-row-action])) span')
        .evaluateAll((all) => all.map((element) => element.getBoundingClientRect().toJSON()))
    }
    const without = await boxes({})
    const named = await boxes({ companyName: LONG_NAME })
    const name = page.getByTitle(LONG_NAME).first()
    await expect(name).toBeVisible()
    await expect(name).toHaveText(LONG_NAME)
    expect(await name.evaluate((element) => element.scrollWidth > element.clientWidth)).toBe(true)
    expect(await sideways(page)).toBeLessThanOrEqual(0)
    // On wide screens the ticker goes up for the line below it.
    const across = (all: DOMRect[]) => all.map(({ left, width: wide }) => [left, wide])
    expect(across(named)).toEqual(across(without))
    const row = page.getByRole('row', { name: 'TICK1' })
    expect((await row.boundingBox())?.height).toBe(width < 768 ? 64 : 60)
    expect(await overlap(name, page.getByText('$187.50').first())).toBe(false)
    await page.getByRole('button', { name: 'TICK1' }).click()
    const dialog = page.getByRole('dialog', { name: 'TICK1' })
    await expect(dialog.getByRole('heading', { level: 2 })).toHaveText('TICK1')
    await expect(dialog.getByText(LONG_NAME)).toBeVisible()
    expect(await sideways(page)).toBeLessThanOrEqual(0)
  })
}
