import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'

/** Both ends of the widths at which the side navigation leaves a table no more than 735 px. */
const WIDTHS = [768, 1023]
const COMPANY = 'A COMPANY WHOSE NAME IS AS LONG AS ANY NAME IS KEPT AT ALL, INC'
const TRADER = 'WIDE-NAME-OF-15'

/** How far the page can be moved sideways, in px. */
const sideways = (page: Page) =>
  page.evaluate(() => {
    scrollTo({ left: 1000, behavior: 'instant' })
    return scrollX
  })

const position = {
  id: 'one',
  active: true,
  stock: 'ABCDEFGHIJ',
  companyName: COMPANY,
  holdLength: 'less_than_one_week',
  openNotes: 'Some notes.',
  openPrice: 187.5,
  openedAt: '2026-11-02T15:00:00.000Z',
  user: TRADER,
}

test('from 768 to 1023 px a position shows ticker and trader alone; the company is in its dialog', async ({
  people,
  openAs,
  product,
}) => {
  const page = await openAs(await people.join(), '/account')
  await page.route('**/v1/positions', (route) => route.fulfill({ json: { positions: [position] } }))
  await page.goto(product.url)
  const row = page.getByRole('row').filter({ has: page.getByRole('cell') })
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 })
    await expect(row.getByRole('button', { name: 'ABCDEFGHIJ' })).toBeVisible()
    await expect(row.getByText(TRADER)).toBeVisible()
    await expect(row.locator('[data-slot=monogram]')).toBeHidden()
    await expect(row.getByTitle(COMPANY)).toBeHidden()
    expect(await sideways(page)).toBe(0)
  }
  await row.getByRole('button').click()
  await expect(page.getByRole('dialog').getByText(COMPANY)).toBeVisible()
  await page.keyboard.press('Escape')
  await page.setViewportSize({ width: 1024, height: 800 })
  await expect(row.locator('[data-slot=monogram]')).toBeVisible()
  await expect(row.getByTitle(COMPANY)).toBeVisible()
})

test('a profile has the letters beside the name and the companies under their tickers, cut where they do not fit', async ({
  people,
  openAs,
  product,
}) => {
  const page = await openAs(await people.join(), '/account')
  const profile = {
    username: TRADER,
    openPositions: 2,
    closedPositions: 1,
    averageProfit: -12.5,
    canSubscribe: true,
    isSubscribed: false,
    isSelf: false,
    priceCents: 1000,
    currency: 'usd',
    latestPositions: [
      {
        symbol: 'ABCDEFGHIJ',
        opened: position.openedAt,
        closed: '2026-11-16T15:00:00.000Z',
        percentageGain: -123.45,
        companyName: COMPANY,
      },
    ],
  }
  await page.route('**/v1/accounts/profile?*', (route) => route.fulfill({ json: profile }))
  await page.goto(`${product.url}/trader/${TRADER}`)
  const company = page.getByTitle(COMPANY)
  for (const width of [...WIDTHS, 1280]) {
    await page.setViewportSize({ width, height: 800 })
    const heading = page.locator('main header').first()
    await expect(heading.getByRole('heading', { level: 1 })).toHaveText(TRADER)
    await expect(heading.locator('[data-slot=monogram]')).toHaveAttribute('data-letters', 'WI')
    await expect(heading.locator('[data-slot=monogram]')).toHaveCSS('width', '56px')
    await expect(company).toBeVisible()
    expect(await company.evaluate((element) => element.scrollWidth > element.clientWidth)).toBe(true)
    const [name, ticker] = [await company.boundingBox(), await page.getByText('ABCDEFGHIJ').boundingBox()]
    expect(name?.y ?? 0, 'the company stands under the ticker').toBeGreaterThan(ticker?.y ?? 0)
    expect(await sideways(page)).toBe(0)
  }
})

test('from 768 to 1023 px the leaderboard and the offered traders have their letters', async ({
  people,
  openAs,
  product,
}) => {
  const page = await openAs(await people.join(), '/account')
  await page.route('**/v1/leaderboard', (route) =>
    route.fulfill({ json: { leaderboard: [{ username: TRADER, averageGain: '-123.45' }] } }),
  )
  for (const path of ['/leaderboard', '/search']) {
    await page.goto(product.url + path)
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 })
      await expect(page.getByRole('link', { name: TRADER })).toBeVisible()
      await expect(page.getByRole('main').locator('[data-slot=monogram]')).toHaveAttribute(
        'data-letters',
        'WI',
      )
      await expect(page.getByText('-123.45%')).toBeVisible()
      expect(await sideways(page), `${path} at ${width} px`).toBe(0)
    }
  }
})
