import { expect, test } from './fixtures.ts'
import { completePayouts } from './paying-steps.ts'

test('beside every Subscribe button stands since when its trader publishes, and how much is closed', async ({
  people,
  product,
  openAs,
}) => {
  const [trader, reader] = [await people.join(), await people.join()]
  await completePayouts(product, trader)
  const page = await openAs(reader, '/')
  const profile = `/trader/${trader.username}`
  const screens = [
    [`/search?username=${trader.username}`, 'Subscribe'],
    [`${profile}/subscribe`, /^Continue/],
  ] as const

  async function expectBesideEach(text: string): Promise<void> {
    for (const [path, name] of screens) {
      await page.goto(product.url + path)
      await expect(page.getByRole('button', { name, exact: true })).toBeEnabled()
      await expect(page.getByRole('main').getByText(text, { exact: true })).toBeVisible()
    }
  }
  /** The head of a profile has the two apart, and on a phone the bar with the button together. */
  async function expectOnProfile(head: string, count: string, together: string): Promise<void> {
    await page.goto(product.url + profile)
    await expect(page.getByRole('button', { name: 'Subscribe', exact: true })).toBeEnabled()
    await expect(page.getByText(head, { exact: true })).toBeVisible()
    await expect(page.locator('[data-slot=hero]').getByText(count, { exact: true })).toBeVisible()
    await page.setViewportSize({ width: 390, height: 844 })
    await expect(page.locator('[data-slot=subscribe-bar]').getByText(together, { exact: true })).toBeVisible()
    await page.setViewportSize({ width: 1280, height: 800 })
  }
  await expectBesideEach('no closed positions yet')
  await expectOnProfile('at market prices', 'no closed positions yet', 'no closed positions yet')
  await product.database.pool.query(
    `insert into trader_stats (trader_id, closed_count, gain_sum, first_opened_at)
     values ($1, 28, 40, '2026-04-08T15:04:12Z')`,
    [trader.id],
  )
  await expectBesideEach('28 closed since Apr 2026')
  await expectOnProfile(
    'publishing since Apr 2026 · at market prices',
    'average of 28 closed',
    '28 closed since Apr 2026',
  )
  // The standing is beside the button, which the reader's own page lacks.
  await page.goto(`${product.url}/trader/${reader.username}`)
  await expect(page.getByRole('button', { name: 'You cannot subscribe to yourself' })).toBeVisible()
  await expect(page.getByText('no closed positions yet', { exact: true })).toHaveCount(0)
})
