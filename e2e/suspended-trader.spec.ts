import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, type Person, test } from './fixtures.ts'
import { completePayouts } from './paying-steps.ts'

const OPERATOR = join(import.meta.dirname, '../server/src/operator.ts')
const NOT_AVAILABLE = 'This profile is not available'

test('the profile of a suspended trader shows that it is not available, to followers that nothing is charged; once restored it is there', async ({
  people,
  product,
  follow,
  publish,
  openAs,
}) => {
  const [trader, reader, follower] = [await people.join(), await people.join(), await people.join()]
  await completePayouts(product, trader)
  await follow(follower, trader)
  await publish(trader, 'CVX', 150)
  const operate = (command: string) =>
    promisify(execFile)(process.execPath, [OPERATOR, command, `@${trader.username}`, 'A reason.'], {
      env: product.environment,
    })
  const profileAs = (person: Person) => openAs(person, `/trader/${trader.username}`)
  const figures = { name: 'Open positions' }

  await operate('suspend')
  const page = await profileAs(reader)
  await expect(page.getByText(NOT_AVAILABLE)).toBeVisible()
  await expect(page.getByRole('heading', { name: trader.username })).toBeVisible()
  await expect(page.getByRole('group', figures)).toHaveCount(0)
  await expect(
    page.getByText(`@${trader.username} is suspended, and takes no new subscribers.`),
  ).toBeVisible()
  const button = page.getByRole('button', { name: 'Subscribing not available' })
  await expect(button).toBeDisabled()
  await expect(button).toHaveAccessibleDescription(/is suspended/)
  await page.goto(`${product.url}/trader/${trader.username}/subscribe`)
  await expect(page.getByText('You are already subscribed to this user.')).toBeVisible()
  await expect(page.getByText('Open positions')).toHaveCount(0)
  await page.goto(`${product.url}/search?username=${trader.username}`)
  await expect(page.getByText("That user doesn't seem to exist...")).toBeVisible()

  const followers = await profileAs(follower)
  await expect(followers.getByText(NOT_AVAILABLE)).toBeVisible()
  await expect(followers.getByText('You are not charged for following them meanwhile')).toBeVisible()
  await followers.locator('summary[aria-label="Your subscription"]').click()
  await followers.getByRole('link', { name: 'Their positions' }).click()
  await expect(followers.getByRole('button', { name: 'CVX' })).toBeVisible()

  await operate('restore')
  await page.goto(`${product.url}/trader/${trader.username}`)
  await expect(page.getByRole('group', figures)).toContainText('1')
  await expect(page.getByRole('button', { name: 'Subscribe', exact: true })).toBeEnabled()
})
