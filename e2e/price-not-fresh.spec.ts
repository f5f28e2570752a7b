import type { Locator, Page } from '@playwright/test'
import { expectAccessible, sideways } from './accessible.ts'
import { drawnAt } from './drawn-text.ts'
import { expect, type Fixtures, type Person, test } from './fixtures.ts'
import type { Product } from './product.ts'
import { expectToast } from './toasts.ts'
import {
  checkPrice,
  endGlitch,
  fillInPosition,
  NOTES,
  nextMarketDay,
  setGlitch,
  setQuote,
  startClosing,
} from './trading-steps.ts'
import { translate } from './translated.ts'

const SATURDAY = new Date('2026-11-21T11:00:00.000Z')
const FRIDAYS_LAST = '2026-11-20T20:59:58.000Z'
const MONDAYS_FIRST = '2026-11-23T14:31:02.000Z'
const MONDAY = new Date('2026-11-23T14:31:05.000Z')
const WAITS = 'settles at the next trade'

const priceIn = (part: Page | Locator) => part.getByRole('textbox', { name: 'Price' })
/** Below the price, for a page in any language. */
const lastTrade = (form: Locator) => form.locator('p[id$=trade]')
const doubt = (form: Locator) => form.locator('p[id$=doubt]')
const openButton = (page: Page) => page.getByRole('button', { name: 'Open Position' })
const items = (page: Page) => page.getByRole('article')
const closedRows = (page: Page) =>
  page
    .getByRole('table', { name: 'All closed positions' })
    .getByRole('row')
    .filter({ has: page.getByRole('cell') })
const recentRow = (page: Page, symbol: string) =>
  page.getByRole('table', { name: 'Recent positions' }).getByRole('row', { name: symbol })

/** A trader with a follower, who has opened at 100, and has looked at Friday's last price on Saturday. */
async function untilSaturday(
  {
    people,
    follow,
    publish,
    setTime,
    product,
  }: Pick<Fixtures, 'people' | 'follow' | 'publish' | 'setTime' | 'product'>,
  symbol: string,
): Promise<{ trader: Person; fan: Person }> {
  const [trader, fan] = [await people.join(), await people.join()]
  await follow(fan, trader)
  await publish(trader, symbol, 100)
  await setTime(SATURDAY)
  await setQuote(product, { symbol, price: 110, at: FRIDAYS_LAST })
  return { trader, fan }
}

/** The first trade of Monday, and the time at which it is known. */
async function untilMonday(setTime: Fixtures['setTime'], product: Product, symbol: string): Promise<void> {
  await setQuote(product, { symbol, price: 92, at: MONDAYS_FIRST })
  await setTime(MONDAY)
}

async function settlementIn(product: Product, trader: Person): Promise<void> {
  await expect
    .poll(
      async () => {
        const { rows } = await product.database.pool.query(
          'select settled_by from positions where trader_id = $1',
          [trader.id],
        )
        return rows.map((row) => row.settled_by)
      },
      // A worker looks every twenty seconds, and asks once a minute.
      { timeout: 300_000, intervals: [500] },
    )
    .toEqual(['trade'])
}

async function allClosed(page: Page): Promise<Locator> {
  await page.getByRole('button', { name: 'The closed position in full' }).click()
  await closedRows(page).first().getByRole('button').click()
  return page.getByRole('dialog')
}

test('a close on Saturday is closed and mailed at once, shows that it settles at the next trade, and has Monday’s first price', async ({
  people,
  follow,
  publish,
  setTime,
  product,
  mailbox,
  openAs,
}) => {
  const { fan, trader } = await untilSaturday({ people, follow, publish, setTime, product }, 'PLTR')
  const page = await openAs(trader, '/')
  const form = await startClosing(page, 'PLTR')
  await form.getByRole('button', { name: 'Check Price' }).click()
  await expect(priceIn(form)).toHaveValue('110.00')
  await expect(form.getByText('Last trade of PLTR: Nov 20, 20:59 UTC', { exact: true })).toBeVisible()
  await expect(form.getByRole('note')).toContainText(WAITS)
  await expect(form.getByRole('textbox', { name: 'Profit' })).toHaveValue('10.00%')
  await form.getByRole('textbox', { name: 'Close notes' }).fill('Out before the week begins.')
  await form.getByRole('button', { name: 'Submit' }).click()
  await expectToast(page, 'Position for PLTR has been closed!')
  await expect(page.getByText('No positions available.')).toBeVisible()

  const mail = await mailbox.latest(
    fan.email,
    `@${trader.username} closed PLTR, settles at the next trade (last price $110.00)`,
  )
  const words = mail.text.replaceAll(/\s+/g, ' ')
  for (const part of [
    'Last price: $110.00',
    'Nov 20, 2026',
    'Profit so far: +10.00%',
    'counts in no average',
  ])
    expect(words).toContain(part)
  expect(words).toContain('Its final price is that of the first trade after the close')

  const theirs = await openAs(fan, `/trader/${trader.username}`)
  await expect(recentRow(theirs, 'PLTR')).toContainText(WAITS)
  await expect(theirs.getByText('N/A', { exact: true }).first()).toBeVisible()
  const dialog = await allClosed(theirs)
  await expect(dialog.getByRole('note')).toContainText('counts in no average')
  await expect(dialog.getByRole('term').filter({ hasText: 'Last Price' })).toBeVisible()
  await expect(dialog.getByRole('listitem')).toContainText([
    'Opened at $100.00',
    /Closed at the last price, \$110\.00Last trade: Nov 20, 2026/,
  ])
  await expectAccessible(theirs)
  await theirs.goto(`${product.url}/activity`)
  await expect(items(theirs).first()).toContainText(`closed PLTR, ${WAITS}: last price $110.00`)

  await untilMonday(setTime, product, 'PLTR')
  await settlementIn(product, trader)
  for (const [activity, words] of [
    [page, /^Your PLTR settled at \$92\.00/],
    [theirs, new RegExp(`^${trader.username}’s PLTR settled at \\$92\\.00`)],
  ] as const) {
    await activity.goto(`${product.url}/activity`)
    await expect(items(activity).first().getByRole('heading')).toHaveText(words)
    await expect(items(activity).first()).toContainText('-8.00%')
    await expect(items(activity).first()).toContainText('this price is final')
    await expect(items(activity).nth(1)).not.toContainText(WAITS)
  }
  await theirs.goto(`${product.url}/trader/${trader.username}`)
  await expect(recentRow(theirs, 'PLTR')).toContainText('-8.00%')
  await expect(theirs.getByText(WAITS)).toHaveCount(0)
  const settled = await allClosed(theirs)
  await expect(settled.getByRole('listitem')).toContainText([
    'Opened at $100.00',
    'Closed at the last price',
    'Settled at $92.00, by the first trade after the close',
  ])
  await mailbox.untilNothingIsLeft()
  const mailed = (await mailbox.all(fan.email)).filter(({ subject }) => subject.includes('PLTR'))
  expect(
    mailed.map(({ subject }) => subject),
    'nobody is mailed of the settlement',
  ).toHaveLength(2)
})

test('a price that looks wrong opens nothing, with all that was typed kept, at the check and at the press', async ({
  people,
  market,
  product,
  openAs,
}) => {
  await market.setPrice('UBER', 80)
  const page = await openAs(await people.join(), '/trade')
  await fillInPosition(page, 'uber')
  await setGlitch(product, { symbol: 'UBER', price: 8000 })
  await openButton(page).click()
  const dialog = page.getByRole('alertdialog', { name: 'Unable to open position' })
  await expect(dialog).toContainText('The price of UBER looks wrong. We are checking it.')
  await dialog.getByRole('button', { name: 'Back to the form' }).click()
  const kept = async () => {
    await expect(page.getByRole('textbox', { name: 'Ticker' })).toHaveValue('uber')
    await expect(page.getByRole('textbox', { name: 'Open notes' })).toHaveValue(NOTES)
    await expect(page.getByRole('combobox', { name: 'Position length' })).toHaveValue('one_to_three_weeks')
    await expect(page.getByRole('checkbox')).toBeChecked()
  }
  await kept()
  await page.getByRole('button', { name: 'Check Price' }).click()
  await expect(priceIn(page)).toHaveValue('The price of UBER looks wrong. We are checking it.')
  await expect(openButton(page)).toBeDisabled()
  await kept()
  const { rows } = await product.database.pool.query("select 1 from positions where symbol = 'UBER'")
  expect(rows).toEqual([])
  endGlitch(product)
  await page.getByRole('button', { name: 'Check Price' }).click()
  await expect(priceIn(page)).toHaveValue('80.00')
  await openButton(page).click()
  await expect(page.getByRole('row', { name: /^UBER / })).toBeVisible()
})

test('a close while the price looks wrong is unsettled, at the last price that did not', async ({
  people,
  publish,
  market,
  setTime,
  product,
  openAs,
}) => {
  const trader = await people.join()
  await publish(trader, 'ROKU', 100)
  await setTime(nextMarketDay(product))
  await market.setPrice('ROKU', 120)
  await setGlitch(product, { symbol: 'ROKU', price: 9000 })
  const page = await openAs(trader, '/')
  const form = await startClosing(page, 'ROKU')
  await form.getByRole('button', { name: 'Check Price' }).click()
  await expect(
    form.getByText(
      'The price of ROKU looks wrong. We are checking it. This is the last price that looked right.',
      {
        exact: true,
      },
    ),
  ).toBeVisible()
  await expect(priceIn(form)).toHaveValue('120.00')
  await expect(form.getByRole('textbox', { name: 'Profit' })).toHaveValue('20.00%')
  await expect(form.getByRole('note')).toContainText(WAITS)
  await expectAccessible(page)
  await form.getByRole('textbox', { name: 'Close notes' }).fill('Out, whatever the price is.')
  await form.getByRole('button', { name: 'Submit' }).click()
  await expectToast(page, 'Position for ROKU has been closed!')
  await page.goto(`${product.url}/trader/${trader.username}`)
  await expect(recentRow(page, 'ROKU')).toContainText(`20.00%${WAITS}`)
})

test.describe('on the narrowest screen', () => {
  test.use({ viewport: { width: 320, height: 640 } })

  test('an unsettled close of a translated page, from the form to the settlement', {
    tag: ['@phone'],
  }, async ({ people, follow, publish, setTime, product, openAs }) => {
    const { trader } = await untilSaturday({ people, follow, publish, setTime, product }, 'INTC')
    const page = await openAs(trader, '/')
    await page.setViewportSize({ width: 320, height: 640 })
    const faults: string[] = []
    page.on('pageerror', ({ message }) => faults.push(message))
    const form = await startClosing(page, 'INTC')
    await translate(page)
    await form.locator('button', { hasText: 'Check Price' }).click()
    await expect(form.locator('input[readonly]').first()).toHaveValue('110.00')
    await expect(lastTrade(form)).toContainText('Last trade of INTC: Nov 20, 20:59 UTC')
    await form.locator('button', { hasText: 'Check Price' }).click()
    await expect(form.getByRole('note')).toContainText(WAITS)
    expect(await sideways(page)).toBeLessThanOrEqual(0)
    await form.locator('textarea').fill('Out before the week begins.')
    await form.locator('button[type=submit]').click()
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await page.goto(`${product.url}/trader/${trader.username}`)
    await expect(recentRow(page, 'INTC')).toContainText(WAITS)
    const row = recentRow(page, 'INTC')
    const [ago, waits] = [await drawnAt(row, 'just now'), await drawnAt(row, 'settles')]
    expect(waits.left, 'beside the dates').toBeGreaterThan(ago.right)
    await translate(page)
    expect(await sideways(page)).toBeLessThanOrEqual(0)
    await page.locator('button', { hasText: 'The closed position in full' }).click()
    await closedRows(page).first().getByRole('button').tap()
    await expect(page.getByRole('dialog').getByRole('listitem')).toHaveCount(2)
    expect(await sideways(page)).toBeLessThanOrEqual(0)
    await page.keyboard.press('Escape')
    await untilMonday(setTime, product, 'INTC')
    await settlementIn(product, trader)
    await expect(recentRow(page, 'INTC')).toContainText('-8.00%')
    await page.goto(`${product.url}/activity`)
    await expect(items(page).first()).toContainText('settled at $92.00')
    expect(await sideways(page)).toBeLessThanOrEqual(0)
    expect(faults).toEqual([])
  })

  test('a price that looks wrong, in a translated form, is taken back by the next check', {
    tag: ['@phone'],
  }, async ({ people, publish, market, setTime, product, openAs }) => {
    const trader = await people.join()
    await publish(trader, 'CSCO', 100)
    await setTime(nextMarketDay(product))
    await market.setPrice('CSCO', 120)
    await setGlitch(product, { symbol: 'CSCO', price: 9000 })
    const page = await openAs(trader, '/')
    await page.setViewportSize({ width: 320, height: 640 })
    const faults: string[] = []
    page.on('pageerror', ({ message }) => faults.push(message))
    const form = await startClosing(page, 'CSCO')
    await translate(page)
    const check = form.locator('button', { hasText: 'Check Price' })
    await check.click()
    await expect(doubt(form)).toContainText('The price of CSCO looks wrong.')
    await expect(form.getByRole('note')).toContainText(WAITS)
    expect(await sideways(page)).toBeLessThanOrEqual(0)
    const cut = await form
      .locator('input[readonly]')
      .first()
      .evaluate((input) => input.scrollWidth - input.clientWidth)
    expect(cut, 'the whole price is seen').toBeLessThanOrEqual(0)
    endGlitch(product)
    await check.click()
    await expect(form.locator('input[readonly]').first()).toHaveValue('120.00')
    await expect(doubt(form)).toBeHidden()
    await expect(form.getByRole('note')).toHaveCount(0)
    await setGlitch(product, { symbol: 'CSCO', price: 9000 })
    await check.click()
    await expect(doubt(form)).toContainText('The price of CSCO looks wrong.')
    await form.locator('textarea').fill('Out, whatever the price is.')
    await form.locator('button[type=submit]').click()
    await expect(page.getByRole('dialog')).toHaveCount(0)

    await page.goto(`${product.url}/trade`)
    await checkPrice(page, 'csco')
    await translate(page)
    expect(await sideways(page)).toBeLessThanOrEqual(0)
    expect(faults).toEqual([])
  })
})
