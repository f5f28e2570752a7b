import type { Page } from '@playwright/test'
import { CALLS } from './every-screen.ts'
import { expect, test } from './fixtures.ts'
import { NEUTRAL } from './visiting-steps.ts'

/** Notes, from the next document on, what moves on the screen without anybody having touched it. */
async function watchShifts(page: Page): Promise<() => Promise<string[]>> {
  await page.addInitScript(() => {
    const shifts: string[] = []
    Reflect.set(window, 'shifts', shifts)
    type Shift = PerformanceEntry & { value: number; sources: { node: Node | null }[] }
    new PerformanceObserver((list) => {
      for (const { value, sources } of list.getEntries() as Shift[]) {
        const moved = sources.map(({ node }) => (node instanceof Element ? node.outerHTML : String(node)))
        shifts.push(`${value.toFixed(4)}: ${moved.map((html) => html.slice(0, 120)).join(' | ')}`)
      }
    }).observe({ type: 'layout-shift', buffered: true })
  })
  return async () => {
    // Shifts are reported with the frame after the one that they came with.
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
    return page.evaluate(() => Reflect.get(window, 'shifts'))
  }
}

for (const { where, tag } of [
  { where: 'on a desktop', tag: [] },
  { where: 'on a phone', tag: ['@phone'] },
]) {
  test(`while the API is slow every screen ${where} shows its shape, is marked as loading, and nothing jumps`, {
    tag,
  }, async ({ everyScreen, product, openAs }) => {
    const { reader, screens } = everyScreen
    const page = await openAs(reader, NEUTRAL)
    const shifts = await watchShifts(page)
    for (const { path, loaded } of screens) {
      const well = Promise.withResolvers<void>()
      await page.route(CALLS, async (route) => {
        await well.promise
        await route.continue()
      })
      await page.goto(product.url + path)
      const main = page.getByRole('main')
      await expect(page.getByRole('heading', { level: 1 }), path).toBeVisible()
      const busy = path.startsWith('/payment')
        ? main.getByRole('status').getByText('Confirming your payment…')
        : main.locator(':is([role=status], [aria-live])[aria-busy=true]').first()
      await expect(busy, path).toBeVisible()
      await expect(loaded(page), path).toHaveCount(0)
      const shape = await main.evaluate((element) => element.scrollHeight)
      well.resolve()
      await expect(loaded(page), path).toBeVisible()
      await expect(page.locator('main [aria-busy=true]'), path).toHaveCount(0)
      // The length of a list varies; the form has one shape.
      const height = await main.evaluate((element) => element.scrollHeight)
      if (path === '/trade') expect(Math.abs(height - shape)).toBeLessThanOrEqual(1)
      // A centred line gets a new beginning with its new words; that is no jump.
      const jumps = (await shifts()).filter((shift) => !shift.includes('<p role="status"'))
      expect(jumps, path).toEqual([])
      await page.unrouteAll({ behavior: 'wait' })
    }
  })
}

/** The "Slow 3G" of browsers' own tools: 400 ms there and back, 400 kbit/s. */
const SLOW_3G = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 }

test('over slow 3G every screen comes, first as its shape, and nothing jumps', async ({
  everyScreen,
  product,
  openAs,
}) => {
  const { reader, screens } = everyScreen
  const page = await openAs(reader, NEUTRAL)
  const shifts = await watchShifts(page)
  const wire = await page.context().newCDPSession(page)
  await wire.send('Network.enable')
  await wire.send('Network.emulateNetworkConditions', SLOW_3G)
  // As on a first visit: nothing of the app is cached.
  await wire.send('Network.setCacheDisabled', { cacheDisabled: true })
  for (const { path, loaded } of screens) {
    await page.goto(product.url + path)
    await expect(page.getByRole('heading', { level: 1 }), path).toBeVisible()
    await expect(loaded(page), path).toBeVisible()
    await expect(page.locator('main [aria-busy=true]'), path).toHaveCount(0)
    await expect(page.getByRole('alert').getByText('Something went wrong'), path).toHaveCount(0)
    const jumps = (await shifts()).filter((shift) => !shift.includes('<p role="status"'))
    expect(jumps, path).toEqual([])
  }
})

for (const { where, tag } of [
  { where: 'on a desktop', tag: [] },
  { where: 'on a phone', tag: ['@phone'] },
]) {
  test(`the two ways on of an empty list ${where} keep their place while they load`, { tag }, async ({
    people,
    product,
    openAs,
  }) => {
    const page = await openAs(await people.join({ username: null }), NEUTRAL)
    const shifts = await watchShifts(page)
    const well = Promise.withResolvers<void>()
    await page.route(/\/v1\/(leaderboard\/offered|accounts\/profile)/, async (route) => {
      await well.promise
      await route.continue()
    })
    await page.goto(product.url)
    const follow = page.getByRole('region', { name: 'Follow somebody' })
    await expect(follow.getByRole('status', { name: 'Loading traders' })).toBeVisible()
    well.resolve()
    await expect(follow.getByRole('status')).toHaveCount(0)
    expect(await shifts()).toEqual([])
  })
}
