import Stripe from 'stripe'
import { expect, type Person, test } from './fixtures.ts'
import { CARDS, onboard, payWith } from './paying-steps.ts'
import { OPERATOR_EMAIL, type Product } from './product.ts'

const CONFLICT =
  'You pay for another subscription in a different currency, and Stripe takes only one from each person. You can subscribe here once it has ended.'
const NOTICE = 'Tradepost: payments: Stripe takes no second currency from a customer'
const WIDTHS = [390, 1280]

/** Stripe as the operator sees it, whose other products use the same account. */
function stripeOf(product: Product): Stripe {
  const { hostname: host, port } = new URL(product.sandboxUrl)
  return new Stripe('sk_test_sandbox', { host, port, protocol: 'http', telemetry: false })
}

async function customerOf(product: Product, person: Person): Promise<string> {
  const { stripe_customer_id: customer } = await product.database.db
    .selectFrom('customers')
    .select('stripe_customer_id')
    .where('user_id', '=', person.id)
    .executeTakeFirstOrThrow()
  return customer ?? 'none'
}

/** @returns the id of a subscription in euros, of another product, that begins with a good card */
async function payInEuros(stripe: Stripe, customer: string): Promise<string> {
  const { id: product } = await stripe.products.create({ name: 'A newsletter' })
  const { id: price } = await stripe.prices.create({
    product,
    currency: 'eur',
    unit_amount: 900,
    recurring: { interval: 'month' },
  })
  const bought = { customer, items: [{ price }], default_payment_method: 'pm_card_visa' }
  return (await stripe.subscriptions.create(bought)).id
}

test('a follower who pays in another currency reads why they cannot subscribe, the operator is alerted, and once it has ended they can', async ({
  people,
  openAs,
  call,
  mailbox,
  product,
}) => {
  const [trader, follower] = [await people.join(), await people.join()]
  await onboard(await openAs(trader, '/account'))
  expect(await call(follower, 'POST', '/v1/accounts/customer')).toMatchObject({ status: 200 })
  const stripe = stripeOf(product)
  const inEuros = await payInEuros(stripe, await customerOf(product, follower))

  const page = await openAs(follower, `/trader/${trader.username}/subscribe`)
  const go = page.getByRole('button', { name: 'Continue', exact: true })
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 844 })
    await page.reload()
    await go.click()
    await expect(page.getByRole('alert').getByText(CONFLICT)).toBeInViewport({ ratio: 1 })
    await expect(go).toBeEnabled()
    await expect(page.getByText(/try again/i)).toHaveCount(0)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
  }
  await expect(page).toHaveURL(`${product.url}/trader/${trader.username}/subscribe`)
  const { text } = await mailbox.latest(OPERATOR_EMAIL, NOTICE)
  expect(text).toMatch(/: req_\w+\n/)
  expect(text).not.toContain(follower.email)
  const notices = await mailbox.all(OPERATOR_EMAIL)
  expect(notices.filter(({ subject }) => subject === NOTICE)).toHaveLength(1)

  await stripe.subscriptions.cancel(inEuros)
  await go.click()
  await payWith(page, CARDS.good)
  await page.waitForURL(/\/payment\/success/)
})
