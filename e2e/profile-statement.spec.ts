import type { Page } from '@playwright/test'
import { expectAccessible, sideways } from './accessible.ts'
import { expect, test } from './fixtures.ts'
import { completePayouts } from './paying-steps.ts'
import { expectToast } from './toasts.ts'
import { makeCurve } from './track-steps.ts'

const hero = (page: Page) => page.locator('[data-slot=hero]')
const bar = (page: Page) => page.locator('[data-slot=subscribe-bar]')

test('the average is the largest figure of a profile, with its count and how it stands beside the index', async ({
  people,
  openAs,
  product,
}) => {
  const [trader, visitor] = [await people.join(), await people.join()]
  await makeCurve(product, trader)
  const page = await openAs(visitor, `/trader/${trader.username}`)
  await expect(hero(page)).toContainText('average of 1 closed')
  await expect(hero(page)).toContainText('10.0 points better than SPY a position')
  const average = hero(page).locator('[data-slot=gain]')
  await expect(average).toHaveText('gain +10.00%')
  await expect(average).toHaveCSS('font-size', '40px')
  await expect(average).toHaveCSS('font-weight', '600')
  const larger = await page
    .getByRole('main')
    .locator('*')
    .evaluateAll((all) => all.filter((one) => Number.parseFloat(getComputedStyle(one).fontSize) > 40).length)
  expect(larger).toBe(0)

  // A close of today is no part of what the night computed, so that names its day.
  await product.database.pool.query(
    'update trader_stats set closed_count = 2, gain_sum = 20 where trader_id = $1',
    [trader.id],
  )
  await page.reload()
  await expect(hero(page)).toContainText('average of 2 closed')
  await expect(hero(page)).toContainText(/better than SPY a position up to Nov \d+$/)
})

test('on a phone price and Subscribe stay at the lower edge, and cover neither the end of the page nor the focus', {
  tag: ['@phone'],
}, async ({ people, follow, product, openAs }) => {
  const [trader, reader] = [await people.join(), await people.join()]
  await completePayouts(product, trader)
  await makeCurve(product, trader)
  const page = await openAs(reader, `/trader/${trader.username}`)
  const subscribe = bar(page).getByRole('button', { name: 'Subscribe', exact: true })
  await expect(page.getByRole('region', { name: 'Track record' }).getByRole('slider')).toBeVisible()
  for (const width of [390, 320]) {
    await page.setViewportSize({ width, height: 844 })
    await expect(subscribe).toBeInViewport({ ratio: 1 })
    expect(await bar(page).boundingBox()).toMatchObject({ x: 0, y: 780, height: 64 })
    await expect(bar(page)).toContainText('$10 a month')
    await expectAccessible(page, `a profile with its bar, ${width} px wide`)
    expect(await sideways(page)).toBeLessThanOrEqual(0)
  }

  // The offer comes before the curve.
  const [offer, curve] = [
    await page.getByRole('complementary', { name: 'Following' }).boundingBox(),
    await page.getByRole('region', { name: 'Track record' }).boundingBox(),
  ]
  expect((offer?.y ?? 0) + (offer?.height ?? 0)).toBeLessThanOrEqual(curve?.y ?? 0)

  await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight))
  await expect(subscribe).toBeInViewport({ ratio: 1 })
  const end = await page.getByRole('main').getByRole('table').last().boundingBox()
  expect((end?.y ?? 0) + (end?.height ?? 0)).toBeLessThanOrEqual(780)

  // The focus draws an element out from under the bar.
  const summary = page.getByText('What counts, and the curve as a table')
  await summary.evaluate((one) => scrollBy(0, one.getBoundingClientRect().top - 790))
  await page.getByRole('slider').evaluate((one: HTMLElement) => one.focus({ preventScroll: true }))
  await page.keyboard.press('Tab')
  await expect(summary).toBeFocused()
  const focused = await summary.boundingBox()
  expect((focused?.y ?? 0) + (focused?.height ?? 0)).toBeLessThanOrEqual(780)

  // In a window that is low, as with a keyboard or a large zoom, it stands where it belongs.
  await page.setViewportSize({ width: 390, height: 400 })
  await expect(bar(page)).toHaveCSS('position', 'static')

  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(`${product.url}/trader/${reader.username}`)
  await expect(page.getByRole('button', { name: 'You cannot subscribe to yourself' })).toBeVisible()
  await expect(bar(page)).toHaveCount(0)
  await follow(reader, trader)
  await page.goto(`${product.url}/trader/${trader.username}`)
  await expect(page.getByRole('button', { name: 'Subscribed!' })).toBeVisible()
  await expect(bar(page)).toHaveCount(0)
})

for (const phone of [false, true]) {
  test(`months stand beside the index with sign and shape, and a press on one shows its closes${phone ? ', on a phone too' : ''}`, {
    tag: phone ? ['@phone'] : [],
  }, async ({ people, openAs, product }) => {
    const [trader, visitor] = [await people.join(), await people.join()]
    await makeCurve(product, trader)
    const page = await openAs(visitor, `/trader/${trader.username}`)
    const months = page.getByRole('region', { name: 'Months' })
    await expect(months).toContainText('Points better or worse than SPY each month.')
    // The position was held from Oct 19 to Oct 29: a gain in October, nothing in November.
    const october = months.getByRole('button', {
      name: /^Oct \+10\.0 points, 2026: \+10\.00%, SPY 0\.00%$/,
    })
    await expect(october).toHaveText('Oct+10.0')
    await expect(october.locator('svg')).toHaveCount(1)
    await expect(months.getByText('November 2026 so far: no position')).toHaveCount(1)
    await expect(months.getByRole('button')).toHaveCount(1)

    await october.press('Enter')
    await expect(october).toHaveAttribute('aria-expanded', 'true')
    const title = 'October 2026: +10.00%, SPY 0.00%, 10.0 points better'
    await expect(months.getByRole('heading', { name: title })).toBeVisible()
    const closes = months.getByRole('table', { name: 'Closed in October 2026' })
    await expect(closes.getByRole('row').filter({ has: page.getByRole('cell') })).toHaveCount(1)
    await expectAccessible(page, 'a profile with the closes of a month')
    expect(await sideways(page)).toBeLessThanOrEqual(0)
    await closes.getByRole('button', { name: 'KO' }).click()
    await expect(page.getByRole('dialog')).toContainText('+10.00%')
    await page.keyboard.press('Escape')
    await october.press('Enter')
    await expect(closes).toHaveCount(0)
    await expect(months.getByText('October 2026: +10.00%')).toHaveCount(0)
    if (phone) {
      await page.setViewportSize({ width: 320, height: 844 })
      // The curve is drawn again once its new width is known.
      await expect.poll(() => sideways(page)).toBeLessThanOrEqual(0)
    }
  })
}

test('the arrow keys lead along the months, which are one stop of the Tab key, and earlier years come on demand', async ({
  people,
  openAs,
  product,
}) => {
  const [trader, visitor] = [await people.join(), await people.join()]
  await makeCurve(product, trader)
  const monthOf = (month: string, level: number) => ({ month, level, index: 1 })
  const months = [
    ...['2023-05', '2024-02', '2025-12'].map((month) => monthOf(month, -2)),
    monthOf('2026-01', 1),
    monthOf('2026-02', 4.5),
  ]
  const page = await openAs(visitor, '/search')
  await page.route('**/track-record?*', async (route) => {
    const answer = await (await route.fetch()).json()
    await route.fulfill({ json: { ...answer, months } })
  })
  await page.goto(`${product.url}/trader/${trader.username}`)
  const card = page.getByRole('region', { name: 'Months' })
  const button = (name: RegExp) => card.getByRole('button', { name })
  await expect(button(/^Jan .+ 2026:/)).toHaveText('Jan0.0')
  await expect(button(/^Dec .+ 2025:/)).toHaveText('Dec-3.0')
  await expect(button(/2024/)).toHaveCount(0)
  await card.getByRole('button', { name: 'Earlier years' }).click()
  await expect(button(/^May .+ 2023:/)).toBeVisible()
  await page.getByText('What counts, and the curve as a table').focus()
  await page.keyboard.press('Tab')
  await expect(button(/^Feb .+ 2026/)).toBeFocused()
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('ArrowLeft')
  await expect(button(/^Dec .+ 2025:/)).toBeFocused()
  await page.keyboard.press('Home')
  await expect(button(/^May .+ 2023:/)).toBeFocused()
  await page.keyboard.press('End')
  await expect(button(/^Feb .+ 2026/)).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(card.locator(':focus')).toHaveCount(0)
})

test('a trader writes about themselves and shows how many follow them, and a reader sees both on the profile', async ({
  people,
  follow,
  openAs,
  product,
}) => {
  const [trader, reader] = [await people.join(), await people.join()]
  await completePayouts(product, trader)
  await follow(reader, trader)
  const own = await openAs(trader, '/account')
  const text = own.getByRole('textbox', { name: 'About you' })
  const save = own.getByRole('button', { name: 'Save', exact: true })
  await expect(save).toBeDisabled()
  await text.fill('x'.repeat(161))
  await expect(own.getByText('161/160')).toBeVisible()
  await expect(save).toHaveAccessibleDescription('Use at most 160 characters.')
  await text.fill('  Large companies, held for weeks.  ')
  await expect(own.getByText('32/160')).toBeVisible()
  await save.click()
  await expectToast(own, 'Your text is on your profile.')
  await expect(text).toHaveValue('Large companies, held for weeks.')
  await own.getByRole('switch', { name: 'Show how many follow you' }).click()
  await expect(own.getByRole('switch', { name: 'Show how many follow you' })).toBeChecked()
  await expectAccessible(own, 'the account of a trader with a text')

  const page = await openAs(reader, `/trader/${trader.username}`)
  await expect(page.getByText('Large companies, held for weeks.', { exact: true })).toHaveAttribute(
    'dir',
    'auto',
  )
  await expect(page.getByText('1 follower · at market prices')).toBeVisible()
  await expectAccessible(page, 'a profile with a text')
})
