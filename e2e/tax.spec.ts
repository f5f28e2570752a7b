import { test as base, expect } from './fixtures.ts'
import { CARDS, fillInCard, goToCheckout, onboard } from './paying-steps.ts'
import { type Product, startProduct } from './product.ts'

/** Products of their own: here a tax is computed, owed by the platform or by the traders. */
function withTax(liable: 'platform' | 'trader') {
  return base.extend<object, { workerProduct: Product }>({
    workerProduct: [
      async ({ browserName: _ }, use) => {
        const product = await startProduct({ TAX: liable })
        await use(product)
        await product.stop()
      },
      { scope: 'worker', timeout: 600_000 },
    ],
  })
}

withTax('platform')(
  'a price says that its tax is in it, Stripe asks where one lives, and Account shows the tax and leads to the invoice',
  { tag: ['@phone'] },
  async ({ openAs, page: visitor, people, product }) => {
    const [trader, follower] = [await people.join(), await people.join()]
    const own = await openAs(trader, '/account')
    await onboard(own)
    await expect(own.getByText("You're all set!")).toBeVisible()
    await expect(own.getByText(/Tradepost withholds it, and you get your part of the rest\.$/)).toBeVisible()
    await visitor.goto(product.url)
    await expect(
      visitor.getByText('a month, tax included, for each trader who names no other price'),
    ).toBeVisible()

    const page = await openAs(follower, `/trader/${trader.username}`)
    await expect(page.getByText('tax included')).toBeVisible()
    await page.goto(`${product.url}/trader/${trader.username}/subscribe`)
    await expect(page.getByText(' a month, tax included')).toBeVisible()
    await expect(page.getByText(/^Included in the price, if there is one where you live\./)).toBeVisible()
    await goToCheckout(page, product, trader.username)
    await page.getByRole('combobox', { name: 'Country' }).selectOption({ label: 'Germany' })
    await page.getByRole('textbox', { name: 'Postal code' }).fill('10115')
    await fillInCard(page, CARDS.good)
    await page.getByRole('button', { name: 'Subscribe' }).click()
    await page.waitForURL(/\/payment\/success/)
    await expect(page.getByText('Confirmed.')).toBeVisible()

    await page.goto(`${product.url}/account#subscriptions`)
    const payments = page.getByRole('region', { name: 'What you paid' })
    await expect(payments.getByRole('listitem')).toHaveText(/\$10\.00\$1\.60 of it is tax/)
    const opened = page.waitForEvent('popup')
    await payments.getByRole('button', { name: 'Invoice' }).click()
    const invoice = await opened
    await expect(invoice.getByText('$1.60')).toBeVisible()

    await own.reload()
    const desk = own.getByRole('region', { name: 'Subscriptions' })
    await expect(desk.getByText('$7.56').first()).toBeVisible()
    await expect(
      desk.getByText('After tax and the fee, with refunds taken off. Months are UTC.'),
    ).toBeVisible()
  },
)

withTax('trader')(
  'a trader who owes the tax is led to their tax settings, and can be followed once these are complete',
  async ({ openAs, people, product }) => {
    const trader = await people.join()
    const own = await openAs(trader, '/account')
    await onboard(own)
    await expect(own.getByText('One step is left: your tax settings')).toBeVisible()
    const opened = own.waitForEvent('popup')
    await own.getByRole('button', { name: 'Stripe Dashboard' }).click()
    const dashboard = await opened
    await dashboard.getByRole('combobox', { name: 'Country' }).selectOption({ label: 'United States' })
    await dashboard.getByRole('textbox', { name: 'City' }).fill('New York')
    await dashboard.getByRole('textbox', { name: 'State' }).fill('NY')
    await dashboard.getByRole('textbox', { name: 'Postal code' }).fill('10001')
    await dashboard.getByRole('button', { name: 'Save head office' }).click()
    await expect(dashboard.getByText(/^Active\. Head office/)).toBeVisible()
    await own.reload()
    await expect(own.getByText("You're all set!")).toBeVisible()
    const page = await openAs(await people.join(), `/trader/${trader.username}`)
    await expect(page.getByRole('button', { name: 'Subscribe', exact: true })).toBeVisible()
    await page.goto(`${product.url}/trader/${trader.username}/subscribe`)
    await expect(page.getByRole('button', { name: 'Continue on Stripe' })).toBeVisible()
  },
)
