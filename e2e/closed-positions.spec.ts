import type { Page } from '@playwright/test'
import { closeDelisted } from '../server/src/positions/correct/adjust-positions.ts'
import { expectAccessible, sideways } from './accessible.ts'
import { callsAnswered, expect, type Person, test } from './fixtures.ts'
import type { Product } from './product.ts'
import { nextMarketDay } from './trading-steps.ts'

/** Thirty positions closed in thirty days before now, straight in the tables; every third in KO, the others each in its own ticker. */
async function closeThirty(product: Product, { id }: Person): Promise<void> {
  const { pool } = product.database
  await pool.query(
    `insert into positions (trader_id, id, symbol, hold_length, open_price, open_notes, opened_at, open_preview_id,
       close_price, close_notes, closed_at, close_preview_id, percentage_gain)
     select $1, gen_random_uuid(), case when n % 3 = 0 then 'KO' else 'T' || n end, 'one_to_three_weeks', 100,
       'Why it was opened.', at - (n + 1) * interval '1 day', gen_random_uuid(), 85 + n, 'Why it was closed.', at,
       gen_random_uuid(), n - 15
     from (select n, $2::timestamptz - n * interval '1 day' as at from generate_series(1, 30) n) made`,
    [id, product.now()],
  )
  await pool.query(
    `insert into trader_stats (trader_id, closed_count, gain_sum, win_count, kept_count)
     select trader_id, count(*), sum(percentage_gain), count(*) filter (where percentage_gain > 0), 21
     from positions where trader_id = $1 group by trader_id`,
    [id],
  )
}

const table = (page: Page) => page.getByRole('table', { name: 'All closed positions' })
const rows = (page: Page) =>
  table(page)
    .getByRole('row')
    .filter({ has: page.getByRole('cell') })

test('a profile has the figures of its closed positions, and all of them in the order and of the ticker asked for', async ({
  people,
  openAs,
  product,
}) => {
  const [trader, visitor] = [await people.join(), await people.join()]
  await closeThirty(product, trader)
  const page = await openAs(visitor, `/trader/${trader.username}`)
  await expect(page.locator('[data-slot=record] dt')).toHaveText([
    'Wins',
    'Median',
    'Best',
    'Worst',
    'Median days held',
    'Kept to plan',
  ])
  await expect(page.locator('[data-slot=record] dd')).toHaveText([
    '15 of 30',
    'gain +0.50%',
    'gain +15.00%',
    'loss -14.00%',
    '16.5',
    '21 of 30',
  ])
  await page.getByRole('button', { name: 'All 30 closed positions' }).press('Enter')
  await expect(page.getByRole('heading', { name: 'All closed positions' })).toBeFocused()
  await expect(rows(page)).toHaveCount(25)
  await expect(rows(page).first()).toContainText('T1')
  await page.getByRole('button', { name: 'Show more' }).click()
  await expect(rows(page)).toHaveCount(30)
  await expect(page.getByRole('button', { name: 'Show more' })).toHaveCount(0)
  await page.getByRole('combobox', { name: 'Order' }).selectOption('Largest loss first')
  await expect(rows(page).first()).toContainText('-14.00%')
  await page.getByRole('combobox', { name: 'Order' }).selectOption('Longest held first')
  await expect(rows(page).first()).toContainText('31 d')
  await page.getByRole('textbox', { name: 'Ticker' }).fill(' ko')
  await page.keyboard.press('Enter')
  await expect(rows(page)).toHaveCount(10)
  await expectAccessible(page)
  expect(await sideways(page)).toBeLessThanOrEqual(0)
  await rows(page).first().getByRole('button', { name: 'KO' }).click()
  const dialog = page.getByRole('dialog', { name: 'KO' })
  await expect(dialog.getByRole('term')).toHaveText([
    'Open Price',
    'Close Price',
    'Opened',
    'Closed',
    'Hold Length',
    'Held',
  ])
  await expect(dialog).toContainText('$115.00')
  await expect(dialog).toContainText('31 days')
  await expect(dialog.getByText('Why it was closed.')).toHaveCount(0)
  await expect(dialog.getByText('is for those who followed while it was open')).toBeVisible()
  await expectAccessible(page)
  expect(await sideways(page)).toBeLessThanOrEqual(0)
  await page.keyboard.press('Escape')
  await expect(rows(page).first().getByRole('button')).toBeFocused()
  await page.getByRole('textbox', { name: 'Ticker' }).fill('NONE')
  await page.keyboard.press('Enter')
  await expect(page.getByText('No closed position in NONE.')).toBeVisible()
})

test('a person who followed while it was open reads both notes; a list that fails is asked for again', async ({
  people,
  follow,
  publish,
  openAs,
  product,
}) => {
  const [trader, reader] = [await people.join(), await people.join()]
  await follow(reader, trader)
  await publish(trader, 'AAPL', 100, 'Why it was opened.')
  await closeDelisted(product.database.db, { symbol: 'AAPL', price: '110' }, nextMarketDay(product))
  const page = await openAs(reader, '/account')
  await page.route('**/positions/closed?*', (route) =>
    route.fulfill({ status: 503, json: { message: 'Not now.' } }),
  )
  await page.goto(`${product.url}/trader/${trader.username}`)
  await expect(page.locator('[data-slot=record]')).toContainText('shown from 5 closed positions on')
  await page.getByRole('button', { name: 'The closed position in full' }).click()
  await expect(page.getByText('Not now.')).toBeVisible()
  await page.unrouteAll({ behavior: 'wait' })
  await page.getByRole('button', { name: 'Try again' }).click()
  await rows(page).first().getByRole('button', { name: 'AAPL' }).click()
  const dialog = page.getByRole('dialog', { name: 'AAPL' })
  await expect(dialog.getByRole('region', { name: 'Open notes' })).toContainText('Why it was opened.')
  await expect(dialog.getByRole('region', { name: 'Close notes' })).toContainText('AAPL is no longer traded.')
})

test('a list that cannot be brought up to date stays and the failure is shown above it; the failure of a page of it is shown below', async ({
  people,
  follow,
  publish,
  openAs,
  product,
}) => {
  const [trader, reader] = [await people.join(), await people.join()]
  await follow(reader, trader)
  await closeThirty(product, trader)
  await publish(trader, 'AAPL', 100)
  const page = await openAs(reader, `/trader/${trader.username}`)
  await page.getByRole('button', { name: 'All 30 closed positions' }).click()
  await expect(rows(page)).toHaveCount(25)
  await callsAnswered()
  await page.route('**/positions/closed?*', (route) =>
    route.fulfill({ status: 503, json: { message: 'Not now.' } }),
  )
  await page.getByRole('button', { name: 'Show more' }).click()
  await expect(page.getByRole('alert')).toContainText('Not now.')
  await expect(rows(page)).toHaveCount(25)

  await closeDelisted(product.database.db, { symbol: 'AAPL', price: '110' }, nextMarketDay(product))
  await expect(page.getByText('Not up to date: Not now.')).toBeVisible()
  await expect(rows(page)).toHaveCount(25)
  await expectAccessible(page)
  await page.unrouteAll({ behavior: 'wait' })
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(rows(page).first()).toContainText('AAPL')
  await page.getByRole('button', { name: 'Show more' }).click()
  await expect(rows(page)).toHaveCount(31)
})

test('on a phone a closed position has two lines, and a press anywhere on it opens it', {
  tag: ['@phone'],
}, async ({ people, openAs, product }) => {
  const trader = await people.join()
  await closeThirty(product, trader)
  const page = await openAs(trader, `/trader/${trader.username}`)
  await page.getByRole('button', { name: 'All 30 closed positions' }).tap()
  await expect(rows(page)).toHaveCount(25)
  const row = rows(page).nth(1)
  expect((await row.boundingBox())?.height).toBe(64)
  await expectAccessible(page)
  expect(await sideways(page)).toBeLessThanOrEqual(0)
  await row.tap({ position: { x: 200, y: 50 } })
  await expect(page.getByRole('dialog', { name: 'T2' }).getByText('Why it was closed.')).toBeVisible()
  await page.keyboard.press('Escape')
  await page.setViewportSize({ width: 320, height: 700 })
  await expectAccessible(page)
  expect(await sideways(page)).toBeLessThanOrEqual(0)
})
