import { expectAccessible, sideways } from './accessible.ts'
import { expect, test } from './fixtures.ts'
import { onboard } from './paying-steps.ts'

test('both sides read before they agree that a month without anything published goes back, and anybody how often it does', {
  tag: ['@phone'],
}, async ({ openAs, people, product }) => {
  const [trader, follower] = [await people.join(), await people.join()]
  const own = await openAs(trader, '/account')
  await onboard(own)
  await expect(own.getByText("You're all set!")).toBeVisible()
  await expect(
    own.getByText(
      'A paid month in which nothing of yours reaches the follower goes back to them by itself, and your part of it with it. A mail says so a week before.',
      { exact: true },
    ),
  ).toBeVisible()
  await expectAccessible(own)
  expect(await sideways(own)).toBe(0)

  const page = await openAs(follower, `/trader/${trader.username}/subscribe`)
  const promise = page.getByText('A month in which nothing is published comes back to you.', { exact: true })
  await expect(promise).toBeVisible()
  const button = page.getByRole('button', { name: 'Continue on Stripe', exact: true })
  const [above, below] = [await promise.boundingBox(), await button.boundingBox()]
  expect((above?.y ?? 0) + (above?.height ?? 0)).toBeLessThanOrEqual(below?.y ?? 0)
  await expectAccessible(page)
  expect(await sideways(page)).toBe(0)

  await page.goto(`${product.url}/status`)
  await expect(page.getByText('fewer than 10 paid months went back.')).toBeVisible()
  const answer = await page.request.get(`${product.url}/status.json`)
  expect(await answer.json()).toMatchObject({ lastMonth: { returnedMonths: 'fewer than 10' } })
})
