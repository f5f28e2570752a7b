import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'

const drawer = (page: Page) => page.getByRole('dialog', { name: 'Menu' })

async function openDrawer(page: Page, how: 'tap' | 'click' = 'tap'): Promise<void> {
  await page.getByRole('button', { name: 'Menu' })[how]()
  await expect(drawer(page)).toBeVisible()
  // Until it has come to rest it does not listen to the finger.
  await page.clock.runFor(600)
  await expect
    .poll(() => drawer(page).evaluate((sheet) => Math.round(sheet.getBoundingClientRect().bottom)))
    .toBe(page.viewportSize()?.height)
}

test('the drawer has four destinations, the wordmark and Close', {
  tag: ['@NAV-20', '@NAV-21', '@NAV-22', '@NAV-23', '@NAV-24', '@NAV-26', '@phone'],
}, async ({ people, openAs, product }) => {
  const person = await people.join()
  const page = await openAs(person, '/leaderboard')
  await expect(page.getByRole('button', { name: 'Menu' })).toBeVisible()
  const bar = page.getByRole('banner')
  await expect(bar.getByText('Tradepost')).toBeVisible()
  expect((await bar.boundingBox())?.height).toBeLessThan(64)
  await expect(page.getByRole('navigation')).toHaveCount(0)
  await expect(page.getByRole('link', { name: 'Logout' })).toHaveCount(0)
  await expect(drawer(page)).toHaveCount(0)

  await openDrawer(page)
  const box = await drawer(page).boundingBox()
  expect(box?.x).toBe(0)
  expect(box?.width).toBe(390)
  const links = drawer(page).getByRole('navigation').getByRole('link')
  const destinations = ['Home', 'Search', 'Leaderboard', 'Account']
  await expect(links).toHaveText(destinations)
  // The other links are in the head: the wordmark, and the person's own page.
  const head = [/Tradepost$/, new RegExp(`@${person.username}$`)]
  await expect(drawer(page).getByRole('link')).toHaveText([...head, ...destinations])
  await links.filter({ hasText: 'Search' }).tap()
  await expect(page).toHaveURL(`${product.url}/search`)
  await expect(page.getByRole('heading', { name: 'Search' })).toBeVisible()
  await expect(drawer(page)).toHaveCount(0)

  await openDrawer(page)
  await drawer(page).getByRole('button', { name: 'Close' }).tap()
  await expect(drawer(page)).toHaveCount(0)
  await expect(page).toHaveURL(`${product.url}/search`)

  await openDrawer(page)
  const words = drawer(page).locator('[data-slot=wordmark] > span > span')
  await expect(words).toHaveText(['Trade', 'post'])
  await drawer(page).getByRole('link', { name: 'Tradepost' }).tap()
  await expect(page).toHaveURL(`${product.url}/`)
  await expect(page.getByRole('heading', { name: 'Positions' })).toBeVisible()
  await expect(drawer(page)).toHaveCount(0)
})

test('the drawer closes by Escape, by a tap beside it, and by dragging far or fast enough', {
  tag: ['@NAV-25', '@CONST-17', '@CONST-18', '@CONST-19', '@phone'],
}, async ({ people, openAs }) => {
  const page = await openAs(await people.join(), '/search')
  await openDrawer(page)
  await expect(drawer(page)).toHaveCSS('animation-duration', '0.5s')
  await page.keyboard.press('Escape')
  await expect(drawer(page)).toHaveCount(0)
  await openDrawer(page)
  await page.touchscreen.tap(195, 40)
  await expect(drawer(page)).toHaveCount(0)

  // The page's clock stands still while a finger is on the sheet, except where the drag is to take time.
  const openAndStop = async () => {
    await page.clock.resume()
    // A tap right after a swipe only stops the fling, as Chromium sees it.
    await openDrawer(page, 'click')
    await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 1000)
  }
  await openAndStop()
  const box = (await drawer(page).boundingBox()) as { y: number; height: number }
  const finger = await page.context().newCDPSession(page)
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', y?: number) =>
    finger.send('Input.dispatchTouchEvent', { type, touchPoints: y === undefined ? [] : [{ x: 195, y }] })
  const drag = async (part: number, milliseconds: number) => {
    const from = box.y + 10
    await touch('touchStart', from)
    for (const step of [0.1, 0.5, 1]) await touch('touchMove', from + box.height * part * step)
    await page.clock.runFor(milliseconds)
    await touch('touchEnd')
    await page.clock.runFor(600)
  }
  const rests = () => drawer(page).evaluate((sheet) => Math.round(sheet.getBoundingClientRect().y))
  await drag(0.22, 2000)
  await expect.poll(rests).toBe(Math.round(box.y))
  await expect(drawer(page)).toBeVisible()
  await drag(0.3, 2000)
  await expect(drawer(page)).toHaveCount(0)

  await openAndStop()
  // 0.15 of its height in ten times the milliseconds is slow; at 0.5 px/ms it is a flick.
  const flick = (box.height * 0.15) / 0.5
  await drag(0.15, flick * 10)
  await expect.poll(rests).toBe(Math.round(box.y))
  await drag(0.15, flick)
  await expect(drawer(page)).toHaveCount(0)
})

test('by keyboard the focus goes into the drawer, stays there, and goes back to the button behind Escape and Close', {
  tag: ['@phone'],
}, async ({ people, openAs }) => {
  const page = await openAs(await people.join(), '/search')
  const menu = page.getByRole('button', { name: 'Menu' })
  await menu.press('Enter')
  await expect(drawer(page)).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(drawer(page).getByRole('link', { name: /Tradepost$/ })).toBeFocused()
  await page.keyboard.press('Shift+Tab')
  await expect(drawer(page).getByRole('button', { name: 'Close' })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(drawer(page)).toHaveCount(0)
  await expect(menu).toBeFocused()
  await menu.press('Enter')
  await drawer(page).getByRole('button', { name: 'Close' }).press('Enter')
  await expect(drawer(page)).toHaveCount(0)
  await expect(menu).toBeFocused()
})
