import type { Locator, Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { accountAnswers, answerWith, offerAnswers, subscriptionTo } from './payments-answers.ts'
import { landing } from './visiting-steps.ts'

/** How far the page can be scrolled to the side. */
function sideways(page: Page): Promise<number> {
  return page.evaluate(() => {
    scrollTo({ left: 1000, behavior: 'instant' })
    const { scrollWidth, clientWidth } = document.documentElement
    return Math.max(scrollX, scrollWidth - clientWidth, 0)
  })
}

test.describe('at 200 %', () => {
  // The part of 1280 by 800 that is left at twice the size.
  test.use({ viewport: { width: 640, height: 400 }, contextOptions: { deviceScaleFactor: 2 } })

  test('no screen scrolls sideways, and of every window all can be reached', async ({
    people,
    publish,
    openAs,
    product,
  }) => {
    const trader = await people.join()
    await publish(trader, 'AAPL', 187.5, `${'A long line. '.repeat(30)}${'W'.repeat(90)}`)
    const visitor = await openAs(null, '/')
    await expect(landing(visitor)).toBeVisible()
    expect(await sideways(visitor), 'landing page').toBe(0)
    await visitor.goto(`${product.url}/login`)
    await expect(visitor.getByRole('textbox', { name: 'E-mail' })).toBeVisible()
    expect(await sideways(visitor), 'login').toBe(0)

    const page = await openAs(trader, '/')
    await answerWith(page, {
      ...offerAnswers(false),
      'GET accounts/stripe/status': accountAnswers({})['GET accounts/stripe/status'],
      'GET subscriptions': { json: { subscriptions: [subscriptionTo('a-name-of-15-ch')] } },
    })
    await expect(page.getByRole('button', { name: 'AAPL' })).toBeVisible()
    expect(await sideways(page), 'positions').toBe(0)
    await page.getByRole('button', { name: 'Menu' }).click()
    const drawer = page.getByRole('dialog', { name: 'Menu' })
    for (const name of ['Tradepost', 'Home', 'Account']) {
      await drawer.getByRole('link', { name }).scrollIntoViewIfNeeded()
      await expect(drawer.getByRole('link', { name })).toBeInViewport({ ratio: 1 })
    }
    await drawer.getByRole('button', { name: 'Close' }).scrollIntoViewIfNeeded()
    await expect(drawer.getByRole('button', { name: 'Close' })).toBeInViewport({ ratio: 1 })
    await drawer.getByRole('button', { name: 'Close' }).click()
    await expect(drawer).toHaveCount(0)

    await page.getByRole('button', { name: 'AAPL' }).click()
    const dialog = page.getByRole('dialog', { name: 'AAPL' })
    for (const name of ['Close Position', 'Submit']) {
      // A part that comes later above it moves it.
      await expect(async () => {
        await dialog.getByRole('button', { name }).scrollIntoViewIfNeeded()
        await expect(dialog.getByRole('button', { name })).toBeInViewport({ ratio: 1, timeout: 1000 })
      }).toPass()
      expect(await dialog.evaluate((window) => window.scrollWidth - window.clientWidth), name).toBe(0)
      if (name === 'Close Position') await dialog.getByRole('button', { name }).click()
    }

    for (const [path, heading] of [
      ['/leaderboard', 'Leaderboard'],
      [`/search?username=${trader.username}`, 'Search'],
      ['/trade', 'New position'],
      ['/trader/maria', 'maria'],
      ['/trader/maria/subscribe', 'Subscribe to @maria'],
      ['/payment/success?trader=maria', 'Success! Your subscription is complete.'],
      ['/account', 'Account'],
      ['/no/such/place', 'There is nothing here'],
    ] as const) {
      await page.goto(product.url + path)
      await expect(page.getByRole('heading', { level: 1, name: heading })).toBeVisible()
      await expect(page.locator('main [aria-busy=true]')).toHaveCount(0)
      expect(await sideways(page), path).toBe(0)
    }
  })

  test('the page of all primitives does not scroll sideways', async ({ openStyles }) => {
    const page = await openStyles()
    expect(await sideways(page)).toBe(0)
  })
})

test('with text of twice the size the way to every screen stays on a narrow phone', async ({
  people,
  openAs,
}) => {
  const page = await openAs(await people.join(), '/')
  await page.setViewportSize({ width: 320, height: 640 })
  for (const size of ['20px', '24px', '32px']) {
    await page.evaluate((value) => document.documentElement.style.setProperty('font-size', value), size)
    const menu = await page.getByRole('button', { name: 'Menu' }).boundingBox()
    expect((menu?.x ?? 0) + (menu?.width ?? 0), size).toBeLessThanOrEqual(320)
  }
})

test.describe('for people who want no motion', () => {
  test.use({ contextOptions: { reducedMotion: 'reduce' } })

  test('nothing is animated, and nothing is missing because of that', async ({
    people,
    publish,
    openAs,
    openStyles,
  }) => {
    const trader = await people.join()
    await publish(trader, 'AAPL', 187.5)
    // The longest running animation, in milliseconds; one frame is no motion.
    const longestOf = (page: Page) =>
      page.evaluate(() =>
        Math.max(
          0,
          ...document.getAnimations().map(({ effect }) => Number(effect?.getComputedTiming().endTime)),
        ),
      )
    const styles = await openStyles()
    await expect(styles.locator('main [data-slot=skeleton]').first()).toBeVisible()
    await expect(styles.locator('main [data-slot=spinner]').first()).toBeVisible()
    expect(await longestOf(styles), 'skeletons and spinners').toBeLessThanOrEqual(1)
    await styles.getByRole('button', { name: 'Toast', exact: true }).click()
    await expect(styles.locator('[data-slot=toast]')).toBeVisible()
    expect(await longestOf(styles), 'a toast').toBeLessThanOrEqual(1)

    const page = await openAs(trader, '/leaderboard')
    await page.setViewportSize({ width: 640, height: 800 })
    const longest = () => longestOf(page)
    await page.getByRole('button', { name: 'Menu' }).click()
    const drawer = page.getByRole('dialog', { name: 'Menu' })
    await expect(drawer).toBeVisible()
    await expect(drawer).toHaveCSS('animation-duration', '0.001s')
    expect(await longest(), 'the drawer').toBeLessThanOrEqual(1)
    await drawer.getByRole('link', { name: 'Home' }).click()
    await expect(drawer).toHaveCount(0)
    await page.getByRole('button', { name: 'AAPL' }).click()
    await expect(page.getByRole('dialog', { name: 'AAPL' })).toBeVisible()
    expect(await longest(), 'a dialog').toBeLessThanOrEqual(1)
  })
})

test.describe('where the system chooses the colours', () => {
  test.use({ contextOptions: { forcedColors: 'active' } })

  test('the focus, the chosen tab, the page one is on and the edge of a button are seen', async ({
    people,
    openAs,
  }) => {
    const page = await openAs(await people.join(), '/leaderboard')
    const styleOf = (element: Locator, name: string) =>
      element.evaluate((node, property) => getComputedStyle(node).getPropertyValue(property), name)
    const [chosen, other] = [
      page.getByRole('tab', { selected: true }),
      page.getByRole('tab', { selected: false }),
    ]
    await expect(chosen).toBeVisible()
    expect(await styleOf(chosen, 'background-color')).not.toBe(await styleOf(other, 'background-color'))
    const link = (name: string) => page.getByRole('link', { name, exact: true }).first()
    expect(await styleOf(link('Leaderboard'), 'background-color')).not.toBe(
      await styleOf(link('Search'), 'background-color'),
    )
    for (let press = 0; press < 8; press += 1) {
      await page.keyboard.press('Tab')
      const focused = page.locator(':focus')
      expect(await styleOf(focused, 'outline-style'), String(press)).toBe('solid')
      expect(await styleOf(focused, 'outline-width'), String(press)).toBe('2px')
    }
    await page.goto(new URL('/account', page.url()).href)
    const button = page.locator('main [data-slot=button]:not(:focus)').first()
    await expect(button).toBeVisible()
    expect(await styleOf(button, 'outline-style')).toBe('solid')
  })
})
