import { test as base, expect } from './fixtures.ts'
import { CARDS, control, goToCheckout, onboard, payWith } from './paying-steps.ts'
import { type Product, startProduct } from './product.ts'
import { signInByCode } from './sign-in-by-code.ts'

const HOUR_MS = 3_600_000

/** A product of its own: a month that passes here would pass for other journeys too. */
const test = base.extend<object, { workerProduct: Product }>({
  workerProduct: [
    async ({ browserName: _ }, use) => {
      const product = await startProduct()
      await use(product)
      await product.stop()
    },
    { scope: 'worker', timeout: 600_000 },
  ],
})

test('a paid month in which nothing is published passes, and the money comes back: a mail and the account say so', {
  tag: ['@phone'],
}, async ({ mailbox, openAs, people, product, setTime }) => {
  const [trader, follower] = [await people.join(), await people.join()]
  const own = await openAs(trader, '/account')
  await onboard(own)
  await expect(own.getByText("You're all set!")).toBeVisible()
  const page = await openAs(follower, '/')
  await goToCheckout(page, product, trader.username)
  await payWith(page, CARDS.good)
  await page.waitForURL(/\/payment\/success/)
  await expect(page.getByText('Confirmed.')).toBeVisible()
  await page.goto(`${product.url}/account#subscriptions`)
  await expect(page.getByText('Active', { exact: true })).toBeVisible()
  await expect(page.getByText(/^Nothing reached you/)).toHaveCount(0)

  // The month from November 18 on has thirty days, and is judged an hour later.
  await setTime(new Date(product.now().getTime() + (30 * 24 + 3) * HOUR_MS))
  await control(product, 'advance', { seconds: 0 })
  // The job of each hour comes by the machine's clock, which no test moves.
  await product.database.pool.query("update work set due_at = now() where name = 'purge'")
  const { text } = await mailbox.latest(
    follower.email,
    `Nothing of @${trader.username} reached you in your month: $10.00 come back to you`,
  )
  expect(text.replaceAll(/\s+/g, ' ')).toContain('from Nov 18 to Dec 18')
  // After thirty days a session has run out.
  const session = await signInByCode(product, follower.email)
  const later = await openAs({ ...follower, session }, '/account#subscriptions')
  await expect(
    later.getByText(
      'Nothing reached you in the month from Nov 18, 2026 (UTC) on, and $10.00 went back on Dec 18, 2026, to the card that paid. Banks take up to ten days to show it.',
      { exact: true },
    ),
  ).toBeVisible()
  const { rows } = await product.database.pool.query(
    "select amount_cents, state from debts where kind = 'empty_month' and subscriber_id = $1",
    [follower.id],
  )
  expect(rows).toEqual([{ amount_cents: 1000, state: 'settled' }])
})
