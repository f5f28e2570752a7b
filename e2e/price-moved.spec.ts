import type { Locator, Page } from '@playwright/test'
import { sideways } from './accessible.ts'
import { expect, test } from './fixtures.ts'
import {
  checkPrice,
  fillInClose,
  fillInPosition,
  NOTES,
  nextMarketDay,
  setQuote,
  startClosing,
} from './trading-steps.ts'
import { translate } from './translated.ts'

const MOVED = 'The price has moved. Check it again.'

const priceIn = (part: Page | Locator) => part.getByRole('textbox', { name: 'Price' })
const alertIn = (part: Page | Locator) => part.getByRole('alert').filter({ hasText: /\S/ })
const openButton = (page: Page) => page.getByRole('button', { name: 'Open Position' })

test('a price that moves between check and press opens nothing, and the next press opens at the new one', async ({
  people,
  market,
  openAs,
}) => {
  await market.setPrice('SHOP', 100)
  const page = await openAs(await people.join(), '/trade')
  await fillInPosition(page, 'shop')
  await market.setPrice('SHOP', 100.2)
  await openButton(page).click()
  await expect(alertIn(page)).toHaveText(`${MOVED} It was $100.00 and is $100.20 now.`)
  await expect(page.getByRole('alertdialog')).toHaveCount(0)
  await expect(priceIn(page)).toHaveValue('100.20')
  await expect(page.getByText(/^Price held for [12]:\d\d$/)).toBeVisible()
  await expect(page.getByRole('textbox', { name: 'Ticker' })).toHaveValue('shop')
  await expect(page.getByRole('textbox', { name: 'Open notes' })).toHaveValue(NOTES)
  await expect(openButton(page)).toBeEnabled()
  await expect(openButton(page)).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('row', { name: /^SHOP (\S+ )*Me \$100\.20 / })).toBeVisible()
})

test('a price that falls between check and press closes nothing, and the next press closes at the new one', async ({
  people,
  publish,
  market,
  openAs,
  product,
  setTime,
}) => {
  const trader = await people.join()
  await publish(trader, 'SNOW', 100)
  await setTime(nextMarketDay(product))
  await market.setPrice('SNOW', 125)
  const page = await openAs(trader, '/')
  const dialog = await startClosing(page, 'SNOW')
  await fillInClose(dialog)
  await expect(dialog.getByRole('textbox', { name: 'Profit' })).toHaveValue('25.00%')
  await market.setPrice('SNOW', 110)
  await dialog.getByRole('button', { name: 'Submit' }).click()
  await expect(alertIn(dialog)).toHaveText(`${MOVED} It was $125.00 and is $110.00 now.`)
  await expect(priceIn(dialog)).toHaveValue('110.00')
  await expect(dialog.getByRole('textbox', { name: 'Profit' })).toHaveValue('10.00%')
  await expect(dialog.getByRole('textbox', { name: 'Close notes' })).toHaveValue(/^Target reached/)
  await dialog.getByRole('button', { name: 'Submit' }).click()
  await expect(dialog).toBeHidden()
  const { rows } = await product.database.pool.query(
    'select close_price, percentage_gain from positions where trader_id = $1',
    [trader.id],
  )
  expect(rows.map((row) => [Number(row.close_price), Number(row.percentage_gain)])).toEqual([[110, 10]])
})

test('a price that is old shows when it was traded, with the day where that was another one, and opens nothing', async ({
  people,
  openAs,
  product,
}) => {
  await setQuote(product, { symbol: 'ABNB', price: 130, at: '2026-11-18T14:45:10.000Z' })
  await setQuote(product, { symbol: 'DASH', price: 200, at: '2026-11-13T21:00:00.000Z' })
  const page = await openAs(await people.join(), '/trade')
  await checkPrice(page, 'dash')
  await expect(priceIn(page)).toHaveAccessibleDescription(/Last trade of DASH: Nov 13, 21:00 UTC/)
  await fillInPosition(page, 'abnb')
  await expect(page.getByText('Last trade of ABNB: 14:45 UTC', { exact: true })).toBeVisible()
  await openButton(page).click()
  const dialog = page.getByRole('alertdialog', { name: 'Unable to open position' })
  await expect(dialog.getByText('There is no fresh price for ABNB right now.')).toBeVisible()
})

test('below one dollar nothing is opened, and beside the button stands from where on', async ({
  people,
  market,
  openAs,
}) => {
  await market.setPrice('PENN', 0.5)
  const page = await openAs(await people.join(), '/trade')
  await fillInPosition(page, 'penn')
  await expect(priceIn(page)).toHaveValue('0.500')
  await expect(openButton(page)).toBeDisabled()
  await expect(openButton(page)).toHaveAccessibleDescription('Positions can be opened from $1.00.')
})

test.describe('on the narrowest screen', () => {
  test.use({ viewport: { width: 320, height: 640 } })
  test('a translated form goes through a moved price, an edit and a check, and nothing scrolls sideways', async ({
    people,
    market,
    openAs,
  }) => {
    await market.setPrice('NET', 1000)
    const page = await openAs(await people.join(), '/trade')
    const faults: string[] = []
    page.on('pageerror', ({ message }) => faults.push(message))
    await fillInPosition(page, 'net')
    await translate(page)
    await market.setPrice('NET', 1010)
    const submit = page.locator('button[type=submit]')
    await submit.click()
    await expect(alertIn(page)).toContainText('It was $1000.00 and is $1010.00 now.')
    await expect(submit).toBeEnabled()
    expect(await sideways(page)).toBeLessThanOrEqual(0)
    const cut = await page
      .locator('input[readonly]')
      .evaluate((input) => input.scrollWidth - input.clientWidth)
    expect(cut, 'the whole price is seen').toBeLessThanOrEqual(0)
    await page.locator('input[name=ticker]').fill('ne')
    await expect(alertIn(page)).toHaveCount(0)
    await page.locator('input[name=ticker]').fill('net')
    await page.locator('button', { hasText: 'Check Price' }).click()
    await expect(page.locator('input[readonly]')).toHaveValue('1010.00')
    await submit.click()
    await expect(page).toHaveURL(/\/$/)
    expect(faults).toEqual([])
  })
})
