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
    [profile, 'Subscribe'],
    [`${profile}/subscribe`, /^Continue/],
  ] as const

  async function expectBesideEach(text: string): Promise<void> {
    for (const [path, name] of screens) {
      await page.goto(product.url + path)
      await expect(page.getByRole('button', { name, exact: true })).toBeEnabled()
      await expect(page.getByRole('main').getByText(text, { exact: true })).toBeVisible()
    }
  }
  await expectBesideEach('no closed positions yet')
  await product.database.pool.query(
    `insert into trader_stats (trader_id, closed_count, gain_sum, first_opened_at)
     values ($1, 28, 40, '2026-04-08T15:04:12Z')`,
    [trader.id],
  )
  await expectBesideEach('since Apr 2026 · 28 closed')
  // The standing is beside the button, which the reader's own page lacks.
  await page.goto(`${product.url}/trader/${reader.username}`)
  await expect(page.getByRole('button', { name: 'You cannot subscribe to yourself' })).toBeVisible()
  await expect(page.getByText('no closed positions yet', { exact: true })).toHaveCount(0)
})
