import type { Page } from '@playwright/test'
import { expectAccessible, sideways } from './accessible.ts'
import { expect, MARKET_OPEN_AT, type Person, test } from './fixtures.ts'
import { returnTo } from './visiting-steps.ts'

const HOUR_MS = 3_600_000
const MARKS = '**/v1/marks'

/** Positions one after the other, the first three the viewer's own, all opened at $100. */
function positionsOf(own: string, other: string) {
  return Array.from({ length: 20 }, (_, index) => ({
    id: `id-${index}`,
    active: true,
    stock: `TICK${index}`,
    holdLength: 'one_to_three_weeks',
    openNotes: 'Some notes.',
    openPrice: 100,
    openedAt: new Date(MARKET_OPEN_AT.getTime() - (index + 1) * 26 * HOUR_MS).toISOString(),
    user: index < 3 ? own : other,
    companyName: 'TICK INC',
  }))
}

/** A rise, a loss, none of both, an old price, none yet, and a symbol that is gone; the others rise. */
function marksAt(now: Date) {
  const at = new Date(now.getTime() - 20_000).toISOString()
  const old = new Date(now.getTime() - 3 * HOUR_MS - 60_000).toISOString()
  const special = [
    { price: '1112.345', at, state: 'current' },
    { price: '97', at, state: 'current' },
    { price: '100.001', at, state: 'current' },
    { price: '101', at: old, state: 'aged' },
    { price: null, at: null, state: 'waiting' },
    { price: '50', at: old, state: 'gone' },
  ]
  return Array.from({ length: 20 }, (_, index) => ({
    symbol: `TICK${index}`,
    ...(special[index] ?? { price: '104', at, state: 'current' }),
  }))
}

type OpenAs = (person: Person | null, path: string) => Promise<Page>

/** The list of twenty positions, whose marks come when they are let. */
async function openList(openAs: OpenAs, person: Person, other: string) {
  const page = await openAs(person, '/account')
  await page.route('**/v1/positions', (route) =>
    route.fulfill({ json: { positions: positionsOf(person.username, other) } }),
  )
  const { promise: allowed, resolve: letMarks } = Promise.withResolvers<void>()
  await page.route(MARKS, async (route) => {
    await allowed
    const now = new Date(await page.evaluate(() => Date.now()))
    await route.fulfill({ json: { marks: marksAt(now) } })
  })
  await page.goto(new URL('/', page.url()).href)
  await expect(page.getByRole('row')).toHaveCount(21)
  return { page, letMarks }
}

/** Where rows stand, on the left their tickers and on the right their prices and days. */
function places(page: Page) {
  return page.locator('tr, [data-row-action], [data-slot=open-price], time').evaluateAll((all) =>
    all.map((element) => {
      const { top, height, right, left } = element.getBoundingClientRect()
      if (element.matches('[data-row-action]')) return [top, left]
      // The open price may get decimals. It ends at the right; on a phone the price of now comes after it.
      const isFollowed = innerWidth < 768 && element.matches('[data-slot=open-price]')
      return isFollowed ? [top, height] : [top, height, right]
    }),
  )
}

/** The heights of the rows that stand whole on the first screen. */
function heightsOfRows(page: Page): Promise<number[]> {
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

const STATES = [
  /now\s*\$1112\.35\s*gain\s*\+1012\.35%$/,
  /now\s*\$97\.00\s*loss\s*-3\.00%$/,
  /now\s*\$100\.0010\s*0\.00%$/,
  /3 h\s*ago\s*\$101\.00\s*gain\s*\+1\.00%$/,
  /no price yet$/,
  /last\s*\$50\.00\s*no longer traded$/,
]

async function expectStates(page: Page): Promise<void> {
  for (const [index, text] of STATES.entries())
    await expect(
      page
        .getByRole('row')
        .nth(index + 1)
        .getByRole('cell')
        .nth(2),
    ).toHaveText(text)
}

test('the value of a position follows the market, in the list and large in its dialog', async ({
  people,
  publish,
  market,
  setTime,
  product,
  openAs,
}) => {
  const trader = await people.join()
  await publish(trader, 'AAPL', 100)
  const page = await openAs(trader, '/')
  const worth = page.getByRole('row').nth(1).getByRole('cell').nth(2)
  // Half a minute later a worker asks again, and so does a page that is looked at again.
  const untilWorth = (text: RegExp) =>
    expect(async () => {
      await setTime(new Date(product.now().getTime() + 31_000))
      await returnTo(page)
      await expect(worth).toHaveText(text, { timeout: 2000 })
    }).toPass()
  await untilWorth(/now\s*\$100\.00\s*0\.00%$/)
  await expect(page.getByText('Yours: 1 open')).toBeVisible()
  await market.setPrice('AAPL', 112.345)
  await untilWorth(/now\s*\$112\.35\s*gain\s*\+12\.35%$/)
  await page.getByRole('button', { name: 'AAPL' }).click()
  const soFar = page.getByRole('dialog', { name: 'AAPL' }).getByRole('region', { name: 'So far' })
  await expect(soFar).toContainText('+12.35%')
  await expect(soFar).toContainText('$112.35')
  const [gain, close] = [
    await soFar.locator('[data-slot=gain]').boundingBox(),
    await page.getByRole('button', { name: 'Close Position' }).boundingBox(),
  ]
  expect(gain?.height).toBeGreaterThanOrEqual(32)
  expect((gain?.y ?? 0) + (gain?.height ?? 0)).toBeLessThanOrEqual(close?.y ?? 0)
  await expectAccessible(page)
})

for (const width of [768, 1024, 1280]) {
  test(`at ${width} px prices of now come into their own places, in every state`, async ({
    people,
    openAs,
  }) => {
    const { page, letMarks } = await openList(openAs, await people.join(), 'maria')
    await page.setViewportSize({ width, height: 800 })
    const before = await places(page)
    letMarks()
    await expectStates(page)
    expect(await places(page)).toEqual(before)
    // Narrower, words of other columns take two lines.
    if (width >= 1024) expect(new Set(await heightsOfRows(page))).toEqual(new Set([60]))
    expect(await sideways(page)).toBeLessThanOrEqual(0)
    const live = page.locator('[aria-live], [role=status], [role=alert]')
    await expect(live.filter({ hasText: '%' })).toHaveCount(0)
    await expectAccessible(page)
  })
}

test('on a phone nine positions stand on the first screen with what they are worth, below what one’s own are', {
  tag: ['@phone'],
}, async ({ people, openAs }) => {
  const { page, letMarks } = await openList(openAs, await people.join(), 'a-name-of-15-ch')
  const before = await places(page)
  letMarks()
  await expectStates(page)
  expect(await places(page)).toEqual(before)
  await expect(page.locator('[data-slot=own-summary]')).toHaveText(
    /^Yours: 3 open\s*mean so far gain \+336\.45%\s*best TICK0 gain \+1012\.35%\s*worst TICK1 loss -3\.00%$/,
  )
  const heights = await heightsOfRows(page)
  expect(heights.length).toBeGreaterThanOrEqual(9)
  expect(new Set(heights)).toEqual(new Set([64]))
  await expectAccessible(page)
  for (const width of [320, 360, 767]) {
    await page.setViewportSize({ width, height: 844 })
    expect(await sideways(page), `${width} px`).toBeLessThanOrEqual(0)
    const row = page.getByRole('row').nth(4)
    const [name, worth] = [
      await row.getByText('a-name-of-15-ch').boundingBox(),
      await row.getByText('$101.00').boundingBox(),
    ]
    expect((name?.x ?? 0) + (name?.width ?? 0), `${width} px`).toBeLessThanOrEqual(worth?.x ?? 0)
  }
  await page.getByRole('combobox', { name: 'Showing' }).selectOption('Subscription')
  await expect(page.locator('[data-slot=own-summary]')).toHaveCount(0)
})
