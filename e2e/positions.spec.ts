import { HOLD_LENGTH_LABELS, HOLD_LENGTHS } from '../contract/src/hold-length.ts'
import { expect, MARKET_OPEN_AT, test } from './fixtures.ts'
import { fillInPosition } from './trading-steps.ts'

const HOUR_MS = 3_600_000
const POSITIONS = '**/v1/positions'

function listed(id: string, hoursFromNow: number, part: object = {}) {
  const openedAt = new Date(MARKET_OPEN_AT.getTime() + hoursFromNow * HOUR_MS).toISOString()
  const holdLength = 'one_to_three_weeks'
  return {
    id,
    active: true,
    stock: id,
    holdLength,
    openNotes: 'Some notes.',
    openPrice: 1,
    openedAt,
    user: 'x',
    ...part,
  }
}

test('each tab shows its positions', {
  tag: ['@POS-01', '@POS-02', '@POS-04', '@POS-05', '@POS-06', '@POS-08', '@POS-10', '@POS-11'],
}, async ({ people, publish, follow, openAs }) => {
  const [reader, trader, stranger] = [await people.join(), await people.join(), await people.join()]
  await follow(reader, trader)
  await publish(reader, 'AAPL', 187.5)
  await publish(trader, 'V', 351.2)
  await publish(stranger, 'TSLA', 243)
  const page = await openAs(reader, '/')

  await expect(page.getByRole('tab')).toHaveText(['All', 'Personal', 'Subscription'])
  await expect(page.getByRole('tab', { name: 'All' })).toHaveAttribute('aria-selected', 'true')
  await expect(page.getByRole('columnheader')).toHaveText([
    'Stock',
    'Trader',
    'Open Price',
    'Opened',
    'Hold Length',
  ])
  const rows = page.getByRole('row').filter({ has: page.getByRole('cell') })
  const mine = page.getByRole('row', {
    name: /^AAPL Apple Me \$187\.50 (.+ )?Nov 18, 2026 (just now|\d+ min ago) 1-3 weeks public from Dec 10$/,
  })
  const theirs = page.getByRole('row', { name: `V Visa ${trader.username} $351.20` })
  await expect(rows).toHaveCount(2)
  await expect(mine).toBeVisible()
  await expect(theirs).toBeVisible()

  const pagesBefore = await page.evaluate(() => history.length)
  await page.getByRole('tab', { name: 'Personal' }).click()
  await expect(theirs).toBeHidden()
  await expect(mine).toBeVisible()
  expect(new URL(page.url()).search).toBe('?tab=personal')
  await page.getByRole('tab', { name: 'Personal' }).press('ArrowRight')
  await expect(mine).toBeHidden()
  await expect(theirs).toBeVisible()
  expect(new URL(page.url()).search).toBe('?tab=subscription')
  expect(await page.evaluate(() => history.length)).toBe(pagesBefore)

  await page.reload()
  await expect(page.getByRole('tab', { name: 'Subscription' })).toHaveAttribute('aria-selected', 'true')
  await expect(rows).toHaveCount(1)
  await page.goto(new URL('/?tab=zzz', page.url()).href)
  await expect(page.getByRole('tab', { name: 'All' })).toHaveAttribute('aria-selected', 'true')
  await expect(rows).toHaveCount(2)
})

test('a small screen has no tab bar, and the query still chooses', { tag: ['@POS-03', '@phone'] }, async ({
  people,
  publish,
  openAs,
}) => {
  const reader = await people.join()
  await publish(reader, 'AAPL', 187.5)
  const page = await openAs(reader, '/?tab=personal')
  await expect(page.getByRole('button', { name: 'AAPL' })).toBeVisible()
  await expect(page.getByRole('tab', { name: 'Personal', includeHidden: true })).toBeHidden()
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
  await page.goto(new URL('/?tab=subscription', page.url()).href)
  await expect(page.getByText('No positions available.')).toBeVisible()
})

test('New Position leads to /trade', { tag: ['@POS-07'] }, async ({ people, openAs }) => {
  const page = await openAs(await people.join(), '/')
  await page.getByRole('button', { name: 'New Position' }).click()
  await expect(page.getByRole('heading', { name: 'New position' })).toBeVisible()
  expect(new URL(page.url()).pathname).toBe('/trade')
})

test.describe('in Tokyo', () => {
  test.use({ timezoneId: 'Asia/Tokyo' })
  test('Opened is the local date', { tag: ['@POS-12'] }, async ({ people, publish, openAs }) => {
    const reader = await people.join()
    await publish(reader, 'AAPL', 187.5)
    const page = await openAs(reader, '/')
    // Its present value comes with the list or a little later.
    const name = /^AAPL Apple Me \$187\.50 (now \$187\.50 0\.00% )?Nov 19, 2026/
    await expect(page.getByRole('row', { name })).toBeVisible()
  })
})

test('the rows are in upper case, the nearest to now first, with their five labels', {
  tag: ['@POS-09', '@POS-13', '@POS-14'],
}, async ({ people, openAs }) => {
  const page = await openAs(await people.join(), '/trade')
  const positions = [
    listed('a-day-ago', -24),
    listed('aapl', -72),
    listed('in-an-hour', 1),
    ...HOLD_LENGTHS.map((holdLength, index) => listed(holdLength, -100 - index, { holdLength })),
    listed('inactive', 0, { active: false }),
  ]
  await page.route(POSITIONS, (route) => route.fulfill({ json: { positions } }))
  await page.getByRole('link', { name: 'Home' }).click()
  const labels = Object.values(HOLD_LENGTH_LABELS)
  const rows = page.getByRole('row').filter({ has: page.getByRole('cell') })
  await expect(rows.getByRole('button')).toHaveText([
    'IN-AN-HOUR',
    'A-DAY-AGO',
    'AAPL',
    ...HOLD_LENGTHS.map((length) => length.toUpperCase()),
  ])
  const holds = ['1-3 weeks', '1-3 weeks', '1-3 weeks', ...labels]
  await expect(rows.locator('td:last-child')).toHaveText(
    holds.map((label) => new RegExp(`^${label.replace('+', '\\+')}\\s*public from `)),
  )
})

test('an empty list shows that, and where to go next', { tag: ['@POS-15', '@ERR-14'] }, async ({
  people,
  openAs,
}) => {
  const page = await openAs(await people.join({ username: null }), '/')
  await expect(page.getByText('No positions available.')).toBeVisible()
  await page.getByRole('tab', { name: 'Personal' }).click()
  await page.getByRole('link', { name: 'Publish your first position' }).click()
  await expect(page).toHaveURL(/\/trade$/)
})

test('a click anywhere in a row and Enter open the dialog, and the focus comes back', {
  tag: ['@POS-16'],
}, async ({ people, publish, openAs }) => {
  const reader = await people.join()
  await publish(reader, 'AAPL', 187.5)
  const page = await openAs(reader, '/')
  const dialog = page.getByRole('dialog', { name: 'AAPL' })
  const button = page.getByRole('button', { name: 'AAPL' })

  await page.getByRole('cell', { name: '1-3 weeks' }).click()
  await expect(dialog).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  await expect(button).toBeFocused()

  await page.keyboard.press('Enter')
  await expect(dialog).toBeVisible()
  await dialog.getByRole('button', { name: 'Close window' }).click()
  await expect(dialog).toBeHidden()
  await expect(button).toBeFocused()
})

test('a list that fails is asked for once, and again when wanted', { tag: ['@CONST-09'] }, async ({
  people,
  openAs,
}) => {
  const page = await openAs(await people.join(), '/trade')
  let asked = 0
  let answer = () => {}
  const held = new Promise<void>((resolve) => {
    answer = resolve
  })
  await page.route(POSITIONS, async (route) => {
    asked += 1
    if (asked > 1) return route.fulfill({ json: { positions: [listed('AAPL', -1)] } })
    await held
    return route.fulfill({ status: 500, json: {} })
  })
  await page.getByRole('link', { name: 'Home' }).click()
  await expect(page.getByRole('status', { name: 'Loading positions' })).toBeVisible()
  answer()
  const panel = page.getByRole('alert').filter({ hasText: 'Something went wrong, please try again.' })
  await expect(panel).toBeVisible()
  await page.clock.runFor(40_000)
  expect(asked).toBe(1)
  await panel.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('button', { name: 'AAPL' })).toBeVisible()
  expect(asked).toBe(2)

  let askedForLeaderboard = 0
  await page.route('**/v1/leaderboard', (route) => {
    askedForLeaderboard += 1
    return route.fulfill({ status: 500, json: {} })
  })
  await page.getByRole('link', { name: 'Leaderboard' }).click()
  await expect(panel).toBeVisible()
  await page.clock.runFor(40_000)
  expect(askedForLeaderboard).toBe(1)
})

test.describe('the message of a failed list', () => {
  const cases = [
    ['its own message', { status: 503, json: { message: 'Back in a minute.' } }, 'Back in a minute.'],
    ['the fallback for no message', { status: 500, json: {} }, 'Something went wrong, please try again.'],
    ['the fallback for no JSON', { status: 502, body: '<html>' }, 'Something went wrong, please try again.'],
    ['the fallback without a network', null, 'Something went wrong, please try again.'],
  ] as const
  for (const [title, answer, sentence] of cases) {
    test(`a failed list shows ${title}, and the session stays`, async ({ people, openAs }) => {
      const page = await openAs(await people.join(), '/trade')
      await page.route(POSITIONS, (route) => (answer ? route.fulfill(answer) : route.abort()))
      await page.getByRole('link', { name: 'Home' }).click()
      await expect(page.getByRole('alert').filter({ hasText: sentence })).toBeVisible()
      await expect(page.getByRole('link', { name: 'Logout' })).toBeVisible()
    })
  }
})

test('an opened position is in the list at once, also while the list cannot be fetched', {
  tag: ['@POS-19'],
}, async ({ people, market, openAs }) => {
  const trader = await people.join()
  await market.setPrice('MSFT', 421.9)
  const page = await openAs(trader, '/')
  await expect(page.getByText('No positions available.')).toBeVisible()
  await page.getByRole('button', { name: 'New Position' }).click()
  await fillInPosition(page, 'msft')
  await page.route(POSITIONS, (route) => route.abort())
  await page.getByRole('button', { name: 'Open Position' }).click()
  await expect(page.getByRole('row', { name: 'MSFT Microsoft Me $421.90' })).toBeVisible()
  expect(new URL(page.url()).pathname).toBe('/')
  await expect(page.getByText(/^Not up to date: Something went wrong/)).toBeVisible()

  await page.unroute(POSITIONS)
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByText(/^Not up to date/)).toBeHidden()
  await expect(page.getByRole('row', { name: 'MSFT Microsoft Me $421.90' })).toBeVisible()
})

test('five hundred rows are drawn, filtered and opened', async ({ people, openAs }) => {
  const reader = await people.join()
  const page = await openAs(reader, '/trade')
  const positions = Array.from({ length: 500 }, (_, index) =>
    listed(`S${index}`, -index - 1, { user: index % 2 ? reader.username : 'someone' }),
  )
  await page.route(POSITIONS, (route) => route.fulfill({ json: { positions } }))
  await page.getByRole('link', { name: 'Home' }).click()
  const rows = page.getByRole('row').filter({ has: page.getByRole('cell') })
  await expect(rows).toHaveCount(500)
  await page.getByRole('tab', { name: 'Personal' }).click()
  await expect(rows).toHaveCount(250)
  await page.getByRole('button', { name: 'S499' }).click()
  await expect(page.getByRole('dialog', { name: 'S499' })).toBeVisible()
})

test('a row far out of sight is searched for, reached by Tab and opened by Enter', async ({
  people,
  openAs,
}) => {
  const page = await openAs(await people.join(), '/trade')
  const positions = Array.from({ length: 500 }, (_, index) => listed(`S${index}`, -index - 1))
  await page.route(POSITIONS, (route) => route.fulfill({ json: { positions } }))
  await page.getByRole('link', { name: 'Home' }).click()
  const rows = page.getByRole('row').filter({ has: page.getByRole('cell') })
  await expect(rows).toHaveCount(500)
  const height = () => page.evaluate(() => document.documentElement.scrollHeight)
  const before = await height()

  // The call of the browser's own search box. On a busy machine the first call can answer false while rows out of sight
  // are laid out for it; repeated, it finds them.
  const find = () => page.evaluate(() => (window as unknown as { find(text: string): boolean }).find('S480'))
  await expect.poll(find, 'the search finds S480').toBe(true)
  await expect(rows.nth(480)).toBeInViewport()
  expect(await height()).toBe(before)

  await page.getByRole('button', { name: 'S249' }).focus()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('button', { name: 'S250' })).toBeFocused()
  await expect(rows.nth(250)).toBeInViewport()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog', { name: 'S250' })).toBeVisible()
})

test('a dialog whose code cannot be fetched shows the failure over the list, and opens once it can', async ({
  people,
  openAs,
}) => {
  const page = await openAs(await people.join(), '/search')
  await page.route(POSITIONS, (route) => route.fulfill({ json: { positions: [listed('AAPL', -1)] } }))
  await page.route('**/assets/position-*.js', (route) => route.abort())
  await page.getByRole('link', { name: 'Home' }).click()
  await page.getByRole('button', { name: 'AAPL' }).click()
  const panel = page.getByRole('alert').filter({ hasText: 'This position could not be loaded.' })
  await expect(panel).toBeVisible()
  await expect(page.getByRole('button', { name: 'AAPL' })).toBeVisible()
  await page.unroute('**/assets/position-*.js')
  await panel.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('dialog', { name: 'AAPL' })).toBeVisible()
})

test('Enter in the ticker checks the price, so that a keyboard needs nothing else', async ({
  people,
  market,
  openAs,
}) => {
  await market.setPrice('AMD', 150.25)
  const page = await openAs(await people.join(), '/')
  await page.getByRole('button', { name: 'New Position' }).press('Enter')
  await page.getByRole('textbox', { name: 'Ticker' }).fill('amd')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('textbox', { name: 'Price' })).toHaveValue('150.25')
})
