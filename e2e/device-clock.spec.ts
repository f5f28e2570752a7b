import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { signInByCode } from './sign-in-by-code.ts'
import { checkPrice, startClosing } from './trading-steps.ts'
import { NEUTRAL } from './visiting-steps.ts'

const HOUR_MS = 3_600_000
/** A price is held for two minutes at first. */
const HELD = /Price held for\s*[12]:\d\d/
const SAME_DAY = 'You cannot close this position on the same day'

const closedAlert = (page: Page) => page.getByText('Market Closed', { exact: true })
const hours = (page: Page) => page.locator('[data-slot=market-clock]')
const openRow = (page: Page) => page.getByRole('row', { name: 'AAPL' })

/** Sets the clock of a device; that runs no timer of the page. */
async function setDevice(page: Page, at: number): Promise<void> {
  await page.clock.setSystemTime(at)
}

/** Runs the timers of the page for half a minute. */
async function lookFor(page: Page): Promise<void> {
  await page.clock.runFor(30_000)
}

test.describe('a device’s clock that is wrong', () => {
  for (const [words, wrongBy] of [
    ['12 hours fast', 12 * HOUR_MS],
    ['12 hours slow', -12 * HOUR_MS],
    ['400 days behind', -400 * 24 * HOUR_MS],
  ] as const) {
    test(`${words}: market, same day, ages and price go by the server’s`, async ({
      people,
      openAs,
      publish,
      product,
    }) => {
      const trader = await people.join()
      await publish(trader, 'AAPL', 180)
      const page = await openAs(trader, NEUTRAL)
      await setDevice(page, product.now().getTime() + wrongBy)
      await page.goto(`${product.url}/`)
      await expect(openRow(page).locator('time')).toContainText(/just now|\d min ago/)
      const dialog = await startClosing(page, 'AAPL')
      await expect(dialog.getByText(SAME_DAY)).toBeVisible()
      await dialog.getByRole('button', { name: 'Check Price' }).click()
      await expect(dialog.getByText(HELD)).toBeVisible()
      await page.goBack()

      await page.getByRole('button', { name: 'New Position' }).click()
      await expect(hours(page)).toContainText('open until 21:00 UTC')
      await expect(closedAlert(page)).toBeHidden()
    })
  }

  test('set back two hours after signing in, it signs nobody out when a token has run out', async ({
    people,
    openAs,
    publish,
    product,
  }) => {
    const trader = await people.join()
    await publish(trader, 'AAPL', 180)
    const page = await openAs(trader, '/')
    await expect(openRow(page)).toBeVisible()
    const renewed = page.waitForResponse('**/auth/v1/token?grant_type=refresh_token')
    product.setTime(new Date(product.now().getTime() + 1.5 * HOUR_MS))
    await setDevice(page, product.now().getTime() - 2 * HOUR_MS)
    await page.getByRole('link', { name: 'Leaderboard' }).click()
    expect((await renewed).status()).toBe(200)
    await expect(page.getByText('Ranked by what closed positions really returned.')).toBeVisible()
    await page.getByRole('link', { name: 'Home' }).click()
    await expect(openRow(page)).toBeVisible()
  })

  test('at night it opens no market, and the next day is one', async ({
    people,
    openAs,
    publish,
    setTime,
    product,
  }) => {
    const trader = await people.join()
    await publish(trader, 'AAPL', 180)
    await setTime(new Date('2026-11-19T03:00:00.000Z'))
    const session = await signInByCode(product, trader.email)
    const page = await openAs({ ...trader, session }, NEUTRAL)
    await setDevice(page, Date.parse('2026-11-18T15:00:00.000Z'))
    await page.goto(`${product.url}/trade`)
    await expect(closedAlert(page)).toBeVisible()
    await expect(hours(page)).toContainText('closed until Thu 14:30 UTC')
    await page.getByRole('link', { name: 'Home' }).click()
    const dialog = await startClosing(page, 'AAPL')
    await expect(dialog.getByRole('textbox', { name: 'Close notes' })).toBeVisible()
    await expect(dialog.getByText(SAME_DAY)).toBeHidden()
  })

  test('set while a page is open, it is found out by the next answer', async ({
    people,
    openAs,
    product,
  }) => {
    const page = await openAs(await people.join(), NEUTRAL)
    // A heartbeat of the feed contains the time too: it would be the next answer, now and then.
    await page.route('**/v1/feed**', (route) => route.abort())
    await page.goto(`${product.url}/trade`)
    await expect(hours(page)).toContainText('open until 21:00 UTC')
    await setDevice(page, product.now().getTime() + 12 * HOUR_MS)
    await lookFor(page)
    await expect(closedAlert(page)).toBeVisible()
    await checkPrice(page, 'AAPL')
    await expect(closedAlert(page)).toBeHidden()
    await expect(hours(page)).toContainText('open until 21:00 UTC')
    await expect(page.getByText(HELD)).toBeVisible()
  })
})

test.describe('a page that slept, whose timers stood still', () => {
  test('over the opening bell and the closing one shows it half a minute after it is looked at', async ({
    people,
    openAs,
    setTime,
  }) => {
    await setTime(new Date('2026-11-20T14:20:00.000Z'))
    const page = await openAs(await people.join(), '/trade')
    await expect(closedAlert(page)).toBeVisible()
    for (const [at, isOpen] of [
      ['2026-11-20T14:45:00.000Z', true],
      ['2026-11-20T21:15:00.000Z', false],
    ] as const) {
      await setTime(new Date(at))
      await lookFor(page)
      await expect(closedAlert(page)).toBeVisible({ visible: !isOpen })
    }
  })

  test('over midnight in UTC may close what was opened the day before', async ({
    people,
    openAs,
    publish,
    setTime,
  }) => {
    const trader = await people.join()
    await publish(trader, 'AAPL', 180)
    await setTime(new Date('2026-11-18T23:50:00.000Z'))
    const page = await openAs(trader, '/')
    const dialog = await startClosing(page, 'AAPL')
    await expect(dialog.getByText(SAME_DAY)).toBeVisible()
    await setTime(new Date('2026-11-19T00:20:00.000Z'))
    await lookFor(page)
    await expect(dialog.getByText(SAME_DAY)).toBeHidden()
  })

  test('over a price’s life shows that it has expired', async ({ people, openAs, product, setTime }) => {
    const page = await openAs(await people.join(), '/trade')
    await checkPrice(page, 'AAPL')
    await expect(page.getByText(HELD)).toBeVisible()
    await setTime(new Date(product.now().getTime() + 10 * 60_000))
    await page.clock.runFor(1000)
    await expect(page.getByText('Price expired')).toBeVisible()
  })
})
