import { expect, test } from './fixtures.ts'
import { NEUTRAL } from './visiting-steps.ts'

const OFFLINE = 'You are offline. What you see is kept, and refreshed once you are back.'

test('offline every screen keeps what it showed and shows that, and goes on by itself', async ({
  people,
  openAs,
  follow,
  publish,
  product,
}) => {
  const [maria, fan] = [await people.join(), await people.join()]
  await follow(fan, maria)
  await publish(maria, 'AAPL', 187.52)
  const screens = [
    ['/', 'AAPL'],
    ['/trade', 'Position length'],
    ['/leaderboard', 'Ranked by what closed positions really returned.'],
    ['/search', 'Username'],
    [`/trader/${maria.username}`, 'Subscribed!'],
    ['/account', 'Sign out everywhere'],
  ] as const
  const page = await openAs(fan, '/')
  for (const [path, shown] of screens) {
    await page.goto(product.url + path)
    const content = page
      .getByText(shown, { exact: true })
      .or(page.getByRole('button', { name: shown, exact: true }))
    await expect(content.first()).toBeVisible()
    await expect(page.getByText(OFFLINE)).toHaveCount(0)
    await page.context().setOffline(true)
    await expect(page.getByRole('status').getByText(OFFLINE)).toBeVisible()
    await expect(content.first()).toBeVisible()
    await page.context().setOffline(false)
    await expect(page.getByText(OFFLINE)).toHaveCount(0)
    await expect(content.first()).toBeVisible()
    await expect(page.getByRole('alert')).toHaveCount(0)
  }
})

test('a browser that takes its network for none shows nothing of it while the server answers', async ({
  people,
  openAs,
  product,
}) => {
  const page = await openAs(await people.join(), NEUTRAL)
  await page.addInitScript(() => Object.defineProperty(Navigator.prototype, 'onLine', { get: () => false }))
  const asked = page.waitForResponse('**/healthz')
  await page.goto(product.url)
  await asked
  await expect(page.getByText('No positions available.')).toBeVisible()
  await expect(page.getByText(OFFLINE)).toHaveCount(0)
  await page.route('**/healthz', (route) => route.abort())
  await page.evaluate(() => dispatchEvent(new Event('offline')))
  await expect(page.getByText(OFFLINE)).toBeVisible()
  // Any other answer counts as well.
  await page.getByRole('link', { name: 'Account' }).click()
  await expect(page.getByText(OFFLINE)).toHaveCount(0)
})

test('a screen whose code the server did not give is asked for again by hand', async ({ people, openAs }) => {
  const page = await openAs(await people.join(), '/')
  await expect(page.getByText('No positions available.')).toBeVisible()
  await page.route('**/leaderboard-*.js', (route) => route.abort())
  await page.getByRole('link', { name: 'Leaderboard' }).click()
  const again = page.getByRole('alert').getByRole('button', { name: 'Try again' })
  await expect(again).toBeVisible()
  await page.unroute('**/leaderboard-*.js')
  await again.click()
  await expect(page.getByText('Ranked by what closed positions really returned.')).toBeVisible()
})

test.describe('before the code of the menu is there', () => {
  test.use({ coldBrowser: true })

  test('a menu that cannot be loaded offline leaves the screen as it is, and opens once there is a network', {
    tag: ['@phone'],
  }, async ({ people, openAs }) => {
    const page = await openAs(await people.join(), '/')
    await expect(page.getByText('No positions available.')).toBeVisible()
    await page.context().setOffline(true)
    const menu = page.getByRole('button', { name: 'Menu' })
    await menu.click()
    const failure = page.getByRole('alert').filter({ hasText: 'The menu could not be loaded.' })
    await expect(failure).toBeVisible()
    await expect(page.getByText('No positions available.')).toBeVisible()
    await failure.getByRole('button', { name: 'Close' }).click()
    await expect(failure).toHaveCount(0)
    await menu.click()
    await expect(failure).toBeVisible()
    await page.context().setOffline(false)
    await expect(page.getByRole('dialog').getByRole('link', { name: 'Leaderboard' })).toBeVisible()
    await expect(failure).toHaveCount(0)
  })
})
