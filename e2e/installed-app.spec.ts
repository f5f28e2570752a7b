import type { Page } from '@playwright/test'
import { VISITS_STORAGE_KEY } from '../contract/src/storage-keys.ts'
import { expect, test } from './fixtures.ts'

test.use({ coldBrowser: true })

const line = (page: Page) => page.getByRole('complementary', { name: 'Install Tradepost' })

/** Sends what Chromium sends where the app can be installed. @returns whether the page kept the browser's own offer back */
function offer(page: Page): Promise<boolean> {
  return page.evaluate(() => {
    const event = new Event('beforeinstallprompt', { cancelable: true })
    Reflect.set(event, 'prompt', async () => Reflect.set(window, 'prompted', true))
    return !dispatchEvent(event)
  })
}

test('the first visit offers no app; the second offers it in a quiet line, once and for all', async ({
  people,
  openAs,
}) => {
  const page = await openAs(await people.join(), '/')
  await expect(page.getByText('No positions available.')).toBeVisible()
  expect(await offer(page)).toBe(false)
  await expect(line(page)).toHaveCount(0)

  // A new session of the tab, which the browser knows from before.
  await page.evaluate((key) => sessionStorage.removeItem(key), VISITS_STORAGE_KEY)
  await page.reload()
  await expect.poll(() => offer(page)).toBe(true)
  await expect(line(page)).toBeVisible()
  await line(page).getByRole('button', { name: 'Install' }).click()
  await expect(line(page)).toHaveCount(0)
  expect(await page.evaluate(() => Reflect.get(window, 'prompted'))).toBe(true)

  await offer(page)
  await line(page).getByRole('button', { name: 'Never ask again' }).click()
  await expect(line(page)).toHaveCount(0)
  await page.reload()
  await expect.poll(() => offer(page)).toBe(true)
  await expect(line(page)).toHaveCount(0)
})

test('the icon of the app counts what is unread, and nothing after signing out', async ({
  people,
  follow,
  publish,
  openAs,
}) => {
  const [reader, trader] = [await people.join(), await people.join()]
  await follow(reader, trader)
  await publish(trader, 'AAPL', 187.52)
  const page = await openAs(reader, '/account')
  await page.addInitScript(() => {
    const shown: (number | string)[] = []
    Object.assign(window, { shown })
    Object.assign(navigator, {
      setAppBadge: async (count: number) => void shown.push(count),
      clearAppBadge: async () => void shown.push('none'),
    })
  })
  await page.reload()
  const last = () => page.evaluate(() => (Reflect.get(window, 'shown') as (number | string)[]).at(-1))
  await expect.poll(last).toBe(1)
  await publish(trader, 'MSFT', 402.1)
  await expect.poll(last).toBe(2)
  await page.getByRole('link', { name: 'Activity' }).click()
  await expect.poll(last).toBe('none')
  await page.evaluate(() => (Reflect.get(window, 'shown') as (number | string)[]).push('then'))
  await page.getByRole('link', { name: 'Logout' }).click()
  await expect.poll(last).toBe('none')
})
