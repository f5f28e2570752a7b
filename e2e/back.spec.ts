import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { fillInClose, nextMarketDay, startClosing } from './trading-steps.ts'

const drawer = (page: Page) => page.getByRole('dialog', { name: 'Menu' })
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name })

/** Leads from the leaderboard, where the page was opened, to the list. */
async function goHome(page: Page): Promise<void> {
  await expect(heading(page, 'Leaderboard')).toBeVisible()
  await page.getByRole('banner').getByRole('link', { name: 'Tradepost' }).click()
  await expect(heading(page, 'Positions')).toBeVisible()
}

/** Until the browser has come to rest at an entry that is a page's, or so many layers above it. */
async function expectLayers(page: Page, count: number): Promise<void> {
  await expect.poll(() => page.evaluate(() => history.state?.layers ?? 0)).toBe(count)
}

/** @returns asks the browser, and not the page, at which entry of the history it stands */
async function placeInHistory(page: Page): Promise<() => Promise<number>> {
  const browser = await page.context().newCDPSession(page)
  return async () => (await browser.send('Page.getNavigationHistory')).currentIndex
}

test('Back closes a position’s window and leaves the list; the next press leads to the page before', {
  tag: ['@phone'],
}, async ({ people, openAs, publish, product }) => {
  const trader = await people.join()
  await publish(trader, 'AAPL', 180)
  const page = await openAs(trader, '/leaderboard')
  await goHome(page)
  const dialog = await startClosing(page, 'AAPL')
  await dialog.getByRole('textbox', { name: 'Close notes' }).fill('Half a thought')
  await page.goBack()
  await expect(dialog).toHaveCount(0)
  await expect(page).toHaveURL(`${product.url}/`)
  await expect(page.getByRole('button', { name: 'AAPL' })).toBeFocused()

  await page.goForward()
  await expectLayers(page, 0)
  await expect(page).toHaveURL(`${product.url}/`)
  await expect(dialog).toHaveCount(0)
  await startClosing(page, 'AAPL')
  await expect(dialog.getByRole('textbox', { name: 'Close notes' })).toHaveValue('Half a thought')
  await page.goBack()
  await expect(dialog).toHaveCount(0)
  await page.goBack()
  await expect(heading(page, 'Leaderboard')).toBeVisible()
})

test('a window that was closed by Escape or its cross leaves nothing behind: one press leads to the page before', {
  tag: ['@phone'],
}, async ({ people, openAs, publish }) => {
  const trader = await people.join()
  await publish(trader, 'AAPL', 180)
  const page = await openAs(trader, '/leaderboard')
  const dialog = page.getByRole('dialog')
  for (const close of [
    () => page.keyboard.press('Escape'),
    () => dialog.getByRole('button', { name: 'Close window' }).click(),
  ]) {
    await goHome(page)
    await page.getByRole('button', { name: 'AAPL' }).click()
    await expect(dialog).toBeVisible()
    await close()
    await expect(dialog).toHaveCount(0)
    await expectLayers(page, 0)
    await page.goBack()
    await expect(heading(page, 'Leaderboard')).toBeVisible()
  }
})

test('a link in a window closes it and leaves one page to come back to', { tag: ['@phone'] }, async ({
  people,
  follow,
  openAs,
  publish,
}) => {
  const [trader, reader] = [await people.join(), await people.join()]
  await follow(reader, trader)
  await publish(trader, 'AAPL', 180)
  const page = await openAs(reader, '/leaderboard')
  await goHome(page)
  await page.getByRole('button', { name: 'AAPL' }).click()
  await page.getByRole('dialog').getByRole('link', { name: trader.username }).click()
  await expect(heading(page, trader.username)).toBeVisible()
  await page.goBack()
  await expect(heading(page, 'Positions')).toBeVisible()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await page.goBack()
  await expect(heading(page, 'Leaderboard')).toBeVisible()
})

test('a close that waits for its answer stays open at Back, and Back closes it afterwards', {
  tag: ['@phone'],
}, async ({ people, openAs, publish, product, setTime }) => {
  const trader = await people.join()
  await publish(trader, 'AAPL', 180)
  await setTime(nextMarketDay(product))
  const page = await openAs(trader, '/leaderboard')
  await goHome(page)
  const answer = Promise.withResolvers<void>()
  await page.route('**/v1/positions/close', async (route) => {
    await answer.promise
    await route.fulfill({ status: 500, json: {} })
  })
  const dialog = await startClosing(page, 'AAPL')
  await fillInClose(dialog)
  await dialog.getByRole('button', { name: 'Submit' }).click()
  await expect(dialog.getByRole('button', { name: 'Back' })).toBeDisabled()
  await page.goBack()
  await expectLayers(page, 1)
  await expect(dialog).toBeVisible()
  answer.resolve()
  await expect(dialog.getByText('Something went wrong, please try again.')).toBeVisible()
  await page.goBack()
  await expect(dialog).toHaveCount(0)
  await expect(heading(page, 'Positions')).toBeVisible()
})

test('Back closes the drawer and the theme’s menu; a destination of the drawer is one page further', {
  tag: ['@phone'],
}, async ({ people, openAs, product }) => {
  const page = await openAs(await people.join(), '/leaderboard')
  await goHome(page)
  await page.getByRole('button', { name: 'Menu' }).tap()
  await expect(drawer(page)).toBeVisible()
  await page.goBack()
  await expect(drawer(page)).toHaveCount(0)
  await expect(page).toHaveURL(`${product.url}/`)

  const light = page.getByRole('banner').getByText('Light')
  await page.getByRole('banner').locator('summary[aria-label=Theme]').tap()
  await expect(light).toBeVisible()
  await expectLayers(page, 1)
  await page.goBack()
  await expect(light).toBeHidden()
  await expect(page).toHaveURL(`${product.url}/`)

  await page.getByRole('button', { name: 'Menu' }).tap()
  await page.clock.runFor(600)
  await drawer(page).getByRole('link', { name: 'Search' }).tap()
  await expect(heading(page, 'Search')).toBeVisible()
  await expect(drawer(page)).toHaveCount(0)
  await page.goBack()
  await expect(heading(page, 'Positions')).toBeVisible()
  await expect(drawer(page)).toHaveCount(0)
  await page.goBack()
  await expect(heading(page, 'Leaderboard')).toBeVisible()
})

test('Back takes suggestions away and leaves the form with what was typed', { tag: ['@phone'] }, async ({
  people,
  openAs,
  product,
}) => {
  const page = await openAs(await people.join(), '/trade')
  const ticker = page.getByRole('textbox', { name: 'Ticker' })
  await ticker.fill('apple')
  await page.clock.runFor(300)
  const suggestions = page.getByRole('list', { name: 'Suggestions' })
  await expect(suggestions).toBeVisible()
  await page.goBack()
  await expect(suggestions).toHaveCount(0)
  await expect(page).toHaveURL(`${product.url}/trade`)
  await expect(ticker).toHaveValue('apple')
})

test('a page that is reloaded under an open window is left by one press', { tag: ['@phone'] }, async ({
  people,
  openAs,
  publish,
}) => {
  const trader = await people.join()
  await publish(trader, 'AAPL', 180)
  const page = await openAs(trader, '/leaderboard')
  await goHome(page)
  const place = await placeInHistory(page)
  const home = await place()
  await page.getByRole('button', { name: 'AAPL' }).click()
  await expect(page.getByRole('dialog')).toBeVisible()
  // Chromium reloads the entry before, if it is told to before the page has told it of the window's own.
  await expect.poll(place).toBe(home + 1)
  await page.reload()
  await expect(heading(page, 'Positions')).toBeVisible()
  await expectLayers(page, 0)
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await page.goBack()
  await expect(heading(page, 'Leaderboard')).toBeVisible()
})
