import type { Person } from './fixtures.ts'
import { expect, test } from './fixtures.ts'
import {
  agreeAndContinue,
  CARDS,
  control,
  deliverAtOnce,
  fillInCard,
  goToCheckout,
  onboard,
  openPortal,
  payWith,
  sandboxState,
  subscribe,
} from './paying-steps.ts'
import type { Product } from './product.ts'

/** The account of a trader at the payment provider. */
async function accountOf(product: Product, trader: Person): Promise<string> {
  const { accounts } = await sandboxState(product)
  return accounts.find(({ displayName }) => displayName === `@${trader.username}`)?.id ?? 'none'
}

test('two people get from nothing to a paid subscription, and to its end', async ({
  people,
  openAs,
  publish,
  mailbox,
  product,
}) => {
  const [trader, follower] = [await people.join(), await people.join()]

  // A trader is paid: terms, the provider's pages, and back.
  const page = await openAs(trader, '/account')
  await onboard(page)
  await expect(page.getByText("You're all set!")).toBeVisible()
  await expect(page.getByRole('button', { name: 'Stripe Dashboard' })).toBeVisible()
  await publish(trader, 'AAPL', 187.52)

  // A follower pays, and has what was paid for.
  const reader = await openAs(follower, '/')
  await expect(reader.getByText('No positions available.')).toBeVisible()
  await subscribe(reader, product, trader.username)
  await expect(reader.getByText('Your subscription is complete.')).toBeVisible()
  await reader.getByRole('button', { name: 'Go Home' }).click()
  await expect(reader.getByRole('row', { name: new RegExp(`AAPL.*${trader.username}`) })).toBeVisible()
  await publish(trader, 'MSFT', 402.1)
  await mailbox.latest(follower.email, `@${trader.username} opened MSFT at $402.10`)

  // Cancelled in the portal: paid until the end of the period, and access until then.
  await openPortal(reader, product)
  await reader.getByRole('button', { name: 'Cancel subscription' }).click()
  await expect(reader.getByRole('button', { name: 'Renew subscription' })).toBeVisible()
  await reader.getByRole('link', { name: /back/i }).click()
  await expect(reader.getByRole('row', { name: new RegExp(`${trader.username}.*Ends on`) })).toBeVisible()
  await publish(trader, 'NVDA', 120)
  await mailbox.latest(follower.email, `@${trader.username} opened NVDA at $120.00`)
  await reader.goto(product.url)
  await expect(reader.getByRole('row', { name: /NVDA/ })).toBeVisible()

  // The period ends, and with it positions and mails.
  await control(product, 'advance', { months: 1 })
  await mailbox.latest(follower.email, `Your subscription to @${trader.username} has ended`)
  await reader.reload()
  await expect(reader.getByText('No positions available.')).toBeVisible()
  await publish(trader, 'KO', 61.3)
  await expect
    .poll(async () => {
      const { rows } = await product.database.pool.query(
        `select count(*)::int as open from delivery_ranges where trader_id = $1 and done_at is null`,
        [trader.id],
      )
      return rows[0]?.open
    })
    .toBe(0)
  expect((await mailbox.all(follower.email)).filter(({ subject }) => subject.includes('KO'))).toEqual([])

  // A follower may come back.
  await subscribe(reader, product, trader.username)
  await expect(reader.getByText('Your subscription is complete.')).toBeVisible()
  await reader.getByRole('button', { name: 'Go Home' }).click()
  await expect(reader.getByRole('row', { name: /KO/ })).toBeVisible()
})

test('a card that is declined gives nothing; one that the bank asks about gives access when approved', async ({
  people,
  openAs,
  product,
}) => {
  const [trader, follower] = [await people.join(), await people.join()]
  const own = await openAs(trader, '/account')
  await onboard(own)
  const page = await openAs(follower, '/')
  await goToCheckout(page, product, trader.username)
  for (const card of [CARDS.declined, CARDS.insufficientFunds]) {
    await payWith(page, card)
    await expect(page.getByRole('alert')).toBeVisible()
  }
  await payWith(page, CARDS.asksOnce)
  await page.getByRole('button', { name: 'Fail' }).click()
  await expect(page.getByRole('alert')).toContainText('unable to authenticate')
  await page.getByRole('link', { name: 'Back' }).click()
  await expect(page.getByRole('heading', { name: `Subscribe to @${trader.username}` })).toBeVisible()
  await page.goto(`${product.url}/trader/${trader.username}`)
  await expect(page.getByRole('button', { name: 'Subscribe', exact: true })).toBeVisible()

  // The same checkout goes on where it was left.
  await goToCheckout(page, product, trader.username)
  await payWith(page, CARDS.asksOnce)
  await page.getByRole('button', { name: 'Approve' }).click()
  await page.waitForURL(/\/payment\/success/)
  // A person who leaves the success page before it is confirmed waits for the webhook.
  await expect(async () => {
    await page.goto(`${product.url}/trader/${trader.username}`)
    await expect(page.getByText('Subscribed!')).toBeVisible({ timeout: 10_000 })
  }).toPass()
  const { subscriptions } = await sandboxState(product)
  expect(subscriptions.filter(({ email }) => email === follower.email).map(({ status }) => status)).toEqual([
    'active',
  ])
})

test('a renewal that fails is reported, keeps access, and is mended in the portal', async ({
  people,
  openAs,
  publish,
  mailbox,
  product,
}) => {
  const [trader, follower] = [await people.join(), await people.join()]
  await onboard(await openAs(trader, '/account'))
  await publish(trader, 'AAPL', 187.52)
  const page = await openAs(follower, '/')
  await subscribe(page, product, trader.username)
  await openPortal(page, product)
  await fillInCard(page, CARDS.failsWhenCharged)
  await page.getByRole('button', { name: 'Update card' }).click()
  await expect(page.getByRole('status')).toBeVisible()

  // The renewal's invoice is a draft for an hour before it is collected.
  await control(product, 'advance', { months: 1 })
  await control(product, 'advance', { seconds: 3600 })
  await mailbox.latest(follower.email, `Your payment of $10.00 for @${trader.username} did not go through`)
  await page.goto(`${product.url}/account`)
  await expect(
    page.getByRole('row', { name: new RegExp(`${trader.username}.*Payment problem`) }),
  ).toBeVisible()
  await page.goto(product.url)
  await expect(page.getByRole('row', { name: /AAPL/ })).toBeVisible()

  await openPortal(page, product)
  await fillInCard(page, CARDS.good)
  await page.getByRole('button', { name: 'Update card' }).click()
  await page.getByRole('button', { name: 'Pay invoice' }).click()
  await expect(page.getByRole('button', { name: 'Pay invoice' })).toHaveCount(0)
  const mended = page.getByRole('row', { name: new RegExp(`${trader.username}.*Active`) })
  await expect(async () => {
    await page.goto(`${product.url}/account`)
    await expect(mended).toBeVisible({ timeout: 10_000 })
  }).toPass()
})

test('onboarding that was left half-way goes on later, and payouts lost later stop new subscriptions', async ({
  people,
  openAs,
  product,
}) => {
  const [trader, follower] = [await people.join(), await people.join()]
  const page = await openAs(trader, '/account')
  await agreeAndContinue(page)
  await page.getByRole('button', { name: 'Leave' }).click()
  await page.waitForURL(/\/account/)
  const payments = page.getByRole('region', { name: 'Payments' })
  await expect(payments.getByRole('button', { name: 'Continue on Stripe' })).toBeVisible()
  await expect(payments.getByRole('checkbox')).toHaveCount(0)
  await onboard(page)
  await expect(page.getByText("You're all set!")).toBeVisible()

  const reader = await openAs(follower, '/')
  await subscribe(reader, product, trader.username)
  await control(product, 'restrict', { id: await accountOf(product, trader) })
  const visitor = await openAs(await people.join(), `/trader/${trader.username}`)
  await expect(async () => {
    await visitor.reload()
    await expect(visitor.getByText('Subscribing not available')).toBeVisible({ timeout: 10_000 })
  }).toPass()
  await page.goto(`${product.url}/account`)
  await expect(payments.getByRole('button', { name: 'Continue on Stripe' })).toBeVisible()
  await control(product, 'restore', { id: await accountOf(product, trader) })
  // The webhook about it comes a moment later.
  await expect(async () => {
    await visitor.reload()
    await expect(visitor.getByRole('button', { name: 'Subscribe', exact: true })).toBeVisible({
      timeout: 10_000,
    })
  }).toPass()
})

test('of two paid checkouts of one pair one stays, the other goes back whole, and both people are notified', async ({
  people,
  openAs,
  mailbox,
  product,
}) => {
  const [trader, follower] = [await people.join(), await people.join()]
  await onboard(await openAs(trader, '/account'))
  const [first, second] = [await openAs(follower, '/'), await openAs(follower, '/')]
  await goToCheckout(first, product, trader.username)
  // The first session counts as failed here, or both tabs would show the same one.
  await product.database.pool.query(
    `update checkout_sessions set state = 'failed', settled_at = created_at, look_at = null where trader_id = $1`,
    [trader.id],
  )
  await goToCheckout(second, product, trader.username)
  expect(second.url()).not.toBe(first.url())
  await payWith(first, CARDS.good)
  await first.waitForURL(/\/payment\/success/)
  await payWith(second, CARDS.good)
  await second.waitForURL(/\/payment\/success/)

  const returned = /on its way back|was returned/
  for (const { email } of [follower, trader]) {
    await expect
      .poll(async () => (await mailbox.all(email)).some(({ subject }) => returned.test(subject)))
      .toBe(true)
  }
  const state = await sandboxState(product)
  const of = <T extends { email: string | null }>(list: T[]) =>
    list.filter(({ email }) => email === follower.email)
  expect(
    of(state.subscriptions)
      .map(({ status }) => status)
      .sort(),
  ).toEqual(['active', 'canceled'])
  expect(
    of(state.charges)
      .map(({ refunded }) => refunded)
      .sort(),
  ).toEqual([false, true])
  await first.goto(`${product.url}/trader/${trader.username}`)
  await expect(first.getByText('Subscribed!')).toBeVisible()
})

test('the success page shows the true state: confirming, not followed while webhooks are late, confirmed once they came', async ({
  people,
  openAs,
  product,
}) => {
  const [trader, follower] = [await people.join(), await people.join()]
  await onboard(await openAs(trader, '/account'))
  // Each webhook is a minute late, and the provider does not answer either what became of a checkout (rule G-52).
  const unreadable = { kind: 'error', method: 'GET', path: '/v1/checkout/sessions', times: 1000 }
  await control(product, 'fault', unreadable)
  await control(product, 'chaos', { reorder: 1, jitterMs: 60_000 })
  const page = await openAs(follower, '/')
  await subscribe(page, product, trader.username)
  const state = page.getByRole('main').getByRole('status')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Success! Your subscription is complete.')
  await expect(state).toContainText('Confirming your payment…')

  await page.clock.runFor(31_000)
  await expect(state).toContainText(`You do not follow @${trader.username} yet.`)
  await page.getByRole('button', { name: 'Check again' }).click()
  await expect(state).toContainText('Confirming your payment…')

  await deliverAtOnce(product)
  await page.clock.runFor(2000)
  await expect(state).toContainText(`Confirmed.You follow @${trader.username}.`)
  await expect(page.getByRole('button', { name: 'Check again' })).toBeHidden()
})
