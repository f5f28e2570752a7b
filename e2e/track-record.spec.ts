import type { Locator, Page } from '@playwright/test'
import type { TrackRecord } from '../contract/src/track-record.ts'
import { expectAccessible, sideways } from './accessible.ts'
import { expect, test } from './fixtures.ts'
import { makeCurve } from './track-steps.ts'

const TRACK = '**/track-record?*'

const section = (page: Page) => page.getByRole('region', { name: 'Track record' })
const slider = (page: Page) => section(page).getByRole('slider')
const readout = (page: Page) => section(page).locator('[data-slot=readout]')

test('a profile draws the record beside the index, and has the same in a sentence, by keyboard and as a table', {
  tag: ['@SKILL-01'],
}, async ({ people, openAs, product }) => {
  const [trader, visitor] = [await people.join(), await people.join()]
  await makeCurve(product, trader)
  const page = await openAs(visitor, `/trader/${trader.username}`)
  await expect(section(page)).toContainText('SPY 0.00%')
  await expect(section(page)).toContainText('One position was closed: 1 with a gain.')
  await expect(section(page).locator('dd')).toHaveText([
    '10.0 points better a position, over 1 closed',
    'gain +10.00% mean of 1 closed',
    'shown from 20 days with positions on',
  ])

  // Two lines, the curve and the index, a shape for falls, and the close as a tick upwards.
  const drawn = slider(page).locator('path.stroke-primary')
  expect((await drawn.first().boundingBox())?.width).toBeGreaterThan(100)
  await expect(drawn.last()).toHaveAttribute('d', /^M[\d.]+ [\d.]+v-9$/)

  await slider(page).focus()
  await page.keyboard.press('PageDown')
  await expect(slider(page)).toHaveAttribute('aria-valuetext', /KO closed at \+10\.00%, opened /)
  await expect(readout(page)).toContainText('KO closed at +10.00%, opened ')
  const atClose = await readout(page).textContent()
  await page.keyboard.press('ArrowLeft')
  await expect(readout(page)).not.toContainText('closed')
  await page.keyboard.press('ArrowRight')
  await expect(readout(page)).toHaveText(atClose ?? '')
  await page.keyboard.press('Home')
  await expect(readout(page)).toContainText(': 0.00%, SPY 0.00%')
  await page.keyboard.press('Escape')
  await expect(readout(page)).toContainText('Hover over a day')

  const box = await slider(page).boundingBox()
  if (!box) throw new Error('The curve is not drawn.')
  await page.mouse.move(box.x + box.width - 12, box.y + 60)
  await expect(readout(page)).toContainText('+10.00%, SPY 0.00%')
  await expectAccessible(page)
  expect(await sideways(page)).toBeLessThanOrEqual(0)

  await section(page).getByText('What counts, and the curve as a table').click()
  await expect(section(page)).toContainText('An open position counts once it is closed, or past its plan')
  const rows = section(page).getByRole('table', { name: 'The curve and SPY by month' }).getByRole('row')
  await expect(rows.filter({ hasText: '1 with a gain' })).toHaveCount(1)
  await section(page).getByRole('tab', { name: '3M, three months' }).click()
  await expect(section(page).getByRole('table', { name: 'The curve and SPY by week' })).toBeVisible()
  await expect(section(page).locator('[aria-busy]')).toHaveCount(0)
  await expectAccessible(page)
  expect(await sideways(page)).toBeLessThanOrEqual(0)
})

test('its trader sees open positions in the curve, others read when they will', async ({
  people,
  openAs,
  product,
}) => {
  const trader = await people.join()
  await makeCurve(product, trader)
  const page = await openAs(trader, `/trader/${trader.username}`)
  await section(page).getByText('What counts, and the curve as a table').click()
  await expect(section(page)).toContainText(
    'equal stakes in the positions of each day, open ones too, brought',
  )
  await expect(section(page)).toContainText('Your open positions count from the beginning.')
  await expect(section(page)).toContainText('mean of 1 closed and 1 open')
})

test('the drawing is fetched on a profile alone, and a failure is shown with the way on', async ({
  people,
  openAs,
  product,
}) => {
  const [trader, visitor] = [await people.join(), await people.join()]
  await makeCurve(product, trader)
  const page = await openAs(visitor, '/leaderboard')
  const fetched: string[] = []
  page.on('request', (request) => fetched.push(new URL(request.url()).pathname))
  for (const path of ['/', '/search', '/leaderboard', '/account']) {
    await page.goto(product.url + path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  }
  const drawings = () => fetched.filter((path) => /\/track-record-[^/]+\.js$/.test(path))
  expect(drawings()).toEqual([])

  let failing = 'code'
  await page.route('**/assets/track-record-*.js', (route) =>
    failing === 'code' ? route.abort() : route.continue(),
  )
  await page.route(TRACK, (route) => (failing === 'none' ? route.continue() : route.abort()))
  await page.goto(`${product.url}/trader/${trader.username}`)
  await expect(page.getByText('The curve could not be loaded.')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Recent positions' })).toBeVisible()
  expect(drawings().length).toBeGreaterThan(0)
  failing = 'answer'
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('main').getByText('Something went wrong, please try again.')).toBeVisible()
  failing = 'none'
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(slider(page)).toBeVisible()
})

const EMPTY: TrackRecord = {
  asOf: null,
  indexSymbol: 'SPY',
  withOpen: false,
  days: [],
  closedBefore: 0,
  drawdown: null,
  allIn: null,
  versusIndex: null,
  closes: [],
  moreCloses: 0,
}

test('where there is no curve yet, the profile shows why, and a trader without positions has no place for one', async ({
  people,
  openAs,
  product,
}) => {
  const [trader, newcomer, visitor] = [await people.join(), await people.join(), await people.join()]
  await makeCurve(product, trader)
  const page = await openAs(visitor, '/search')
  const answers: [Partial<TrackRecord>, string][] = [
    [{}, 'There is none yet.'],
    [{ asOf: '2026-11-17', closedBefore: 3 }, 'The days of these positions are not computed yet'],
    [{ asOf: '2026-11-17' }, 'No position of this range is closed yet.'],
    [{ asOf: '2026-11-17', withOpen: true }, 'The curve begins the night after the first session'],
  ]
  for (const [part, words] of answers) {
    await page.route(TRACK, (route) => route.fulfill({ json: { ...EMPTY, ...part } }))
    await page.goto(`${product.url}/trader/${trader.username}`)
    await expect(section(page)).toContainText(words)
    await page.unroute(TRACK)
  }
  await expectAccessible(page)
  expect(await sideways(page)).toBeLessThanOrEqual(0)
  // The card has the height of one with a curve; the words stand in all of it, not above an empty half.
  const bottom = async (part: Locator) => {
    const box = await part.boundingBox()
    return (box?.y ?? 0) + (box?.height ?? 0)
  }
  const words = section(page).getByText('The curve begins the night after the first session')
  expect((await bottom(section(page))) - (await bottom(words))).toBeLessThan(24)
  await page.goto(`${product.url}/trader/${newcomer.username}`)
  await expect(page.getByText('No closed positions yet.')).toBeVisible()
  await expect(section(page)).toHaveCount(0)
})

test('on a phone a finger reads the curve, and nothing scrolls sideways', { tag: ['@phone'] }, async ({
  people,
  openAs,
  product,
}) => {
  const [trader, visitor] = [await people.join(), await people.join()]
  await makeCurve(product, trader)
  const page = await openAs(visitor, `/trader/${trader.username}`)
  await slider(page).scrollIntoViewIfNeeded()
  await expect(readout(page).getByText('Touch a day of the curve')).toBeVisible()
  await expect(readout(page).getByText('Hover over a day')).toBeHidden()
  const box = await slider(page).boundingBox()
  if (!box) throw new Error('The curve is not drawn.')
  await page.touchscreen.tap(box.x + box.width - 12, box.y + 60)
  await expect(readout(page)).toContainText('+10.00%, SPY 0.00%')
  for (const name of ['3M', '1Y', 'All']) {
    expect((await section(page).getByRole('tab', { name }).boundingBox())?.height).toBeGreaterThanOrEqual(44)
  }
  for (const width of [390, 320]) {
    await page.setViewportSize({ width, height: 844 })
    await expectAccessible(page)
    expect(await sideways(page)).toBeLessThanOrEqual(0)
  }
})
