import { expectAccessible, sideways } from './accessible.ts'
import { expect, test } from './fixtures.ts'
import { CARDS, onboard, payWith, sandboxState } from './paying-steps.ts'

test('a person reads how long it is free and what comes then, sees everything, and ends it by one press', {
  tag: ['@phone'],
}, async ({ call, mailbox, openAs, people, product, publish }) => {
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

  await page.goto(`${product.url}/account#subscriptions`)
  await expect(page.getByText(/^Trial until/)).toBeVisible()
  await expect(page.getByText('then $12.50 a month')).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'End trial' }).click()
  await expect(page.getByText('then it ends')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Manage', exact: true })).toBeVisible()
  await page.reload()
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
  await mailbox.latest(
    second.email,
    `There is no trial of @${trader.username} for you, and nothing was charged`,
  )
  await other.goto(`${product.url}/trader/${trader.username}`)
  await expect(other.getByRole('button', { name: 'Subscribe', exact: true })).toBeVisible()
})
