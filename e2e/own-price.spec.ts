import type { Locator, Page } from '@playwright/test'
import { expectAccessible, sideways } from './accessible.ts'
import { expect, type Person, test } from './fixtures.ts'
import { CARDS, completePayouts, onboard, payWith } from './paying-steps.ts'
import { expectToast } from './toasts.ts'
import { translate } from './translated.ts'

const yourPrice = (page: Page) => page.getByRole('region', { name: 'Your price' })
const month = (page: Page) => yourPrice(page).getByRole('textbox', { name: 'A month, in USD' })
const year = (page: Page) => yourPrice(page).getByRole('textbox', { name: 'A year, in USD' })
const byYear = (page: Page) => yourPrice(page).getByRole('switch', { name: 'Paid by the year too' })
const option = (page: Page, name: RegExp) =>
  page.getByRole('group', { name: 'How often you pay' }).getByRole('radio', { name })
const OF_MONTH = /^\$12\.50 a month$/
const OF_YEAR = /^\$125\.00 a year/

/** Gives a trader with payouts a price of a month and the usual one of a year. */
async function name(
  call: (person: Person, method: 'POST', path: string, body: object) => Promise<{ status: number }>,
  trader: Person,
  monthly: string,
): Promise<void> {
  const named = await call(trader, 'POST', '/v1/accounts/prices', { monthly, yearly: '', currency: 'usd' })
  expect(named).toMatchObject({ status: 200 })
}

async function searchFor(page: Page, username: string): Promise<Locator> {
  await page.getByPlaceholder('Search by username').fill(username)
  await page.getByRole('button', { name: 'Search' }).click()
  return page.getByRole('row').filter({ has: page.getByRole('link', { name: 'View Profile' }) })
}

test('a trader names a price of a month and a year, every place names it, and a follower pays the year of it', async ({
  people,
  openAs,
  call,
  rank,
  product,
}) => {
  const [trader, follower] = [await people.join(), await people.join()]
  await rank(trader, 7000)
  const own = await openAs(trader, '/account')
  await onboard(own)
  await expect(yourPrice(own)).toContainText('Until you name a price, a month costs $10.00')
  await month(own).fill('12.50')
  await byYear(own).check()
  await expect(year(own)).toHaveAttribute('placeholder', '125.00')
  await expect(yourPrice(own)).toContainText('You get $11.25 of each month, and $112.50 of each year.')
  await yourPrice(own).getByRole('button', { name: 'Save price' }).click()
  await expectToast(own, 'Your price is saved.')
  await expect(yourPrice(own)).not.toContainText('Until you name a price')
  await own.reload()
  await expect(month(own)).toHaveValue('12.50')
  await expect(year(own)).toHaveValue('')

  expect(await call(trader, 'POST', '/v1/accounts/public-page', { enabled: true })).toMatchObject({
    status: 200,
  })
  const visitor = await openAs(null, `/t/${trader.username}`)
  await expect(visitor.getByText('$12.50 a month or $125 a year, cancel any time')).toBeVisible()

  const page = await openAs(follower, '/')
  const offered = page.getByRole('link', { name: trader.username })
  await expect(offered).toContainText('$12.50 a month')
  await expect(offered).toContainText('or $125 a year')
  await page.getByRole('link', { name: 'Search', exact: true }).first().click()
  await page.getByPlaceholder('Search by username').fill(trader.username.slice(0, -1))
  const suggestion = page
    .getByRole('region', { name: /^Names that begin with/ })
    .getByRole('link', { name: trader.username })
  await expect(suggestion).toContainText('$12.50 a month')
  await expect(suggestion).toContainText('or $125 a year')
  const result = await searchFor(page, trader.username)
  await expect(result).toContainText('$12.50 a month')
  await expect(result).toContainText('or $125 a year')
  await result.getByRole('link', { name: 'View Profile' }).click()
  await expect(page.getByText('$12.50 a month', { exact: true })).toBeVisible()
  await expect(page.getByText('or $125 a year')).toBeVisible()
  await page.getByRole('button', { name: 'Subscribe', exact: true }).click()

  await expect(option(page, OF_MONTH)).toBeChecked()
  await expect(option(page, OF_YEAR)).toHaveAccessibleName(/^\$125\.00 a year Saves \$25\.00, 16 %$/)
  const go = page.getByRole('button', { name: 'Continue on Stripe' })
  await expect(go).toHaveAccessibleDescription(
    'You pay by card at Stripe, where you agree to the terms. It renews each month, on the day of the first payment, until you cancel.',
  )
  await option(page, OF_MONTH).press('ArrowDown')
  await expect(option(page, OF_YEAR)).toBeChecked()
  await expect(go).toHaveAccessibleDescription(
    'You pay by card at Stripe, where you agree to the terms. It renews each year, on the day of the first payment, until you cancel.',
  )
  const asked = page.waitForRequest('**/v1/subscriptions/new')
  await go.click()
  expect((await asked).postDataJSON()).toEqual({
    username: trader.username,
    interval: 'year',
    priceCents: 12_500,
  })
  await expect(page.getByText('$125.00 a year')).toBeVisible()
  await payWith(page, CARDS.good)
  await page.waitForURL(/\/payment\/success/)
  await expect(page.getByText(/is confirmed|You follow/).first()).toBeVisible()

  await page.goto(`${product.url}/account#subscriptions`)
  const row = page.getByRole('row').filter({ hasText: trader.username })
  await expect(row).toContainText('$125 a year')
  // The day of the next payment is that of the first, a year later.
  await expect(row).toContainText(`, ${product.now().getUTCFullYear() + 1}`)
})

test('a price that has changed since it was shown is refused, and the new one stands there', async ({
  people,
  openAs,
  call,
  product,
}) => {
  const [trader, follower] = [await people.join(), await people.join()]
  const own = await openAs(trader, '/account')
  await onboard(own)
  await expect(yourPrice(own)).toBeVisible()
  await name(call, trader, '12.50')
  const page = await openAs(follower, `/trader/${trader.username}/subscribe`)
  await option(page, OF_YEAR).check()
  await name(call, trader, '14')
  const go = page.getByRole('button', { name: /^Continue/ })
  await go.click()
  const sentence = 'The price has changed. Look at it again. Nothing has been charged.'
  await expect(page.getByRole('alert').getByText(sentence)).toBeVisible()
  await expect(option(page, /^\$140\.00 a year/)).toBeChecked()
  await expect(page).toHaveURL(`${product.url}/trader/${trader.username}/subscribe`)
  await go.click()
  await expect(page.getByText('$140.00 a year')).toBeVisible()
  await expect(page.getByRole('textbox', { name: 'Card number' })).toBeVisible()
})

const REFUSED: [typed: string, sentence: string][] = [
  ['0', 'Choose a price from $3.00 to $500.00 a month.'],
  ['-12', 'Type an amount such as 12 or 12.50.'],
  ['a lot', 'Type an amount such as 12 or 12.50.'],
  ['12.505', 'Type an amount such as 12 or 12.50.'],
  ['500.01', 'Choose a price from $3.00 to $500.00 a month.'],
  ['€12', 'Prices are in USD here.'],
]

test('what cannot be a price gets its sentence, by the keyboard alone, and what was typed stays when it cannot be sent', async ({
  people,
  openAs,
  product,
}) => {
  const trader = await people.join()
  await completePayouts(product, trader)
  const page = await openAs(trader, '/account')
  let sent = 0
  await page.route('**/v1/accounts/prices', (route) => {
    if (route.request().method() === 'GET') return route.fallback()
    sent += 1
    return route.abort()
  })
  await month(page).focus()
  for (const [typed, sentence] of REFUSED) {
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.type(typed)
    await page.keyboard.press('Enter')
    await expect(month(page), typed).toHaveAccessibleDescription(`${sentence} From $3.00 to $500.00.`)
    await expect(month(page)).toHaveAttribute('aria-invalid', 'true')
    await expect(month(page)).toBeFocused()
  }
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.type('20')
  await page.keyboard.press('Tab')
  await expect(byYear(page)).toBeFocused()
  await page.keyboard.press('Space')
  await page.keyboard.press('Tab')
  await page.keyboard.type('19.99')
  await page.keyboard.press('Enter')
  await expect(year(page)).toHaveAccessibleDescription(/^Choose a price from \$20\.00 to \$240\.00 a year\./)
  await expect(month(page)).not.toHaveAttribute('aria-invalid')
  await expectAccessible(page, 'a price with a fault')
  expect(sent).toBe(0)

  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.type('190')
  await page.keyboard.press('Enter')
  await expect(yourPrice(page).getByRole('alert').filter({ hasText: 'Something went wrong' })).toBeVisible()
  expect(sent).toBe(1)
  await expect(month(page)).toHaveValue('20')
  await expect(year(page)).toHaveValue('190')
  await page.unroute('**/v1/accounts/prices')
  await page.keyboard.press('Enter')
  await expectToast(page, 'Your price is saved.')
  await expect(year(page)).toHaveValue('190.00')
})

for (const [where, tag] of [
  ['a desktop', []],
  ['a phone', ['@phone']],
] as const)
  test(`the screens of a price have no violation on ${where}, none is wider than its window, and they bear a translator`, {
    tag: [...tag],
  }, async ({ people, openAs, call, rank, product }) => {
    const [trader, reader] = [await people.join(), await people.join()]
    await rank(trader, 6)
    await completePayouts(product, trader)
    await name(call, trader, '12.50')
    const narrow = async (page: Page, what: string) => {
      await expectAccessible(page, what)
      if (where === 'a phone') await page.setViewportSize({ width: 320, height: 700 })
      expect(await sideways(page), what).toBeLessThanOrEqual(0)
    }
    const own = await openAs(trader, '/account')
    await expect(month(own)).toHaveValue('12.50')
    await narrow(own, 'Account > Payments')
    await translate(own)
    await month(own).fill('0')
    await month(own).press('Enter')
    await expect(month(own)).toHaveAttribute('aria-invalid', 'true')
    await month(own).fill('13')
    await month(own).press('Enter')
    await expect(own.getByText('Change a price first.')).toBeVisible()

    const page = await openAs(reader, `/trader/${trader.username}`)
    await expect(page.getByText('$13 a month')).toBeVisible()
    await narrow(page, 'a profile')
    await page.getByRole('button', { name: 'Subscribe', exact: true }).click()
    await expect(page.getByRole('radio')).toHaveCount(2)
    await narrow(page, 'the subscribe page')
    await translate(page)
    await page.getByRole('radio').nth(1).check()
    await expect(page.getByText(/It renews each year/)).toBeVisible()
    await page.getByRole('radio').nth(0).check()
    await expect(page.getByText(/It renews each month/)).toBeVisible()
    await page.goto(`${product.url}/search`)
    const result = await searchFor(page, trader.username)
    await expect(result).toContainText('$13 a month')
    await narrow(page, 'a search result')
  })
