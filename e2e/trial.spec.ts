import { expectAccessible, sideways } from './accessible.ts'
import { expect, test } from './fixtures.ts'
import { CARDS, onboard, payWith, sandboxState } from './paying-steps.ts'
import type { Product } from './product.ts'
import { translate } from './translated.ts'

/** Each journey pays with the same card, which has one trial in thirty days: those of journeys before are another one's. */
async function forgetCards({ database }: Product): Promise<void> {
  await database.pool.query("update trials set card_hmac = sha256(convert_to(random()::text, 'UTF8'))")
}

test('a person reads how long it is free and what comes then, sees everything, and ends it by one press, also translated', {
  tag: ['@phone'],
}, async ({ call, mailbox, openAs, people, product, publish }) => {
  await forgetCards(product)
  const [trader, follower] = [await people.join(), await people.join()]
  const own = await openAs(trader, '/account')
  await onboard(own)
  await expect(own.getByText("You're all set!")).toBeVisible()
  const prices = { monthly: '12.50', yearly: null, currency: 'usd', trialDays: 7 }
  expect(await call(trader, 'POST', '/v1/accounts/prices', prices)).toMatchObject({ status: 200 })
  await publish(trader, 'AAPL', 187.52)

  const page = await openAs(follower, `/trader/${trader.username}`)
  await expect(page.getByText('7 days free', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Subscribe', exact: true }).click()
  await expect(page.getByText(/, then \$12\.50 a month from .+, until you cancel\./)).toBeVisible()
  await expectAccessible(page)
  expect(await sideways(page)).toBe(0)
  await page.getByRole('button', { name: 'Continue on Stripe' }).click()
  await expect(page.getByText('7 days free, then $12.50 a month').first()).toBeVisible()
  await payWith(page, CARDS.good)
  await page.waitForURL(/\/payment\/success/)
  await expect(page.getByText('Confirmed.')).toBeVisible()
  await expect(
    page.getByText(/^Free until .+; the first payment is on that day: \$12\.50 a month\./),
  ).toBeVisible()

  await page.goto(`${product.url}/account#subscriptions`)
  await expect(page.getByText(/^Trial until/)).toBeVisible()
  await expect(page.getByText('then $12.50 a month')).toBeVisible()
  await expectAccessible(page)
  await translate(page)
  await page.getByRole('button', { name: /^End trial/ }).press('Enter')
  await expect(page.getByText(/^then it ends/)).toBeVisible()
  await expect(page.locator('td > span[tabindex]').filter({ hasText: 'Trial until' })).toBeFocused()
  await page.reload()
  await expect(page.getByRole('button', { name: 'Manage', exact: true })).toBeVisible()
  await expect(page.getByText('then it ends')).toBeVisible()
  await page.goto(product.url)
  await expect(page.getByText('AAPL').first()).toBeVisible()
  const { charges } = await sandboxState(product)
  expect(charges.filter(({ email }) => email === follower.email)).toEqual([])

  // Somebody else with the same card: the page offers a trial, the card gets none.
  const second = await people.join()
  const other = await openAs(second, `/trader/${trader.username}/subscribe`)
  await other.getByRole('button', { name: 'Continue on Stripe' }).click()
  await payWith(other, CARDS.good)
  await other.waitForURL(/\/payment\/success/)
  await expect(other.getByRole('heading', { name: 'The free days were not granted.' })).toBeVisible()
  await expect(other.getByText(/^Nothing was charged, and you do not follow @/)).toBeVisible()
  await expect(other.getByText(/Success!/)).toHaveCount(0)
  await expectAccessible(other)
  expect(await sideways(other)).toBe(0)
  await other.getByRole('link', { name: 'Subscribe at the price' }).click()
  await expect(other.getByRole('button', { name: 'Continue', exact: true })).toBeVisible()
  await expect(other.getByText(/days free/)).toHaveCount(0)
  await mailbox.latest(
    second.email,
    `There is no trial of @${trader.username} for you, and nothing was charged`,
  )
  await other.goto(`${product.url}/trader/${trader.username}`)
  await expect(other.getByRole('button', { name: 'Subscribe', exact: true })).toBeVisible()
})

test('somebody whose free days are refused reads that nothing was charged, and subscribes at the price', async ({
  call,
  openAs,
  people,
  product,
}) => {
  await forgetCards(product)
  const [trader, first, second] = [await people.join(), await people.join(), await people.join()]
  const own = await openAs(trader, '/account')
  await onboard(own)
  await expect(own.getByText("You're all set!")).toBeVisible()
  const prices = { monthly: '12.50', yearly: null, currency: 'usd', trialDays: 7 }
  expect(await call(trader, 'POST', '/v1/accounts/prices', prices)).toMatchObject({ status: 200 })
  const begin = async (person: typeof first) => {
    const page = await openAs(person, `/trader/${trader.username}/subscribe`)
    await page.getByRole('button', { name: 'Continue on Stripe' }).click()
    await payWith(page, CARDS.good)
    await page.waitForURL(/\/payment\/success/)
    return page
  }
  await expect((await begin(first)).getByText('Confirmed.')).toBeVisible()

  const page = await begin(second)
  await expect(page.getByRole('heading', { name: 'The free days were not granted.' })).toBeVisible()
  await expect(page.getByText(/^Nothing was charged, and you do not follow @/)).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Subscribe at the price' }).click()
  await page.getByRole('button', { name: 'Continue', exact: true }).click()
  await expect(page.getByText(/days free/)).toHaveCount(0)
  await payWith(page, CARDS.good)
  await page.waitForURL(/\/payment\/success/)
  await expect(page.getByText('Confirmed.')).toBeVisible()
})
