import type { Page } from '@playwright/test'
import { expectAccessible, sideways } from './accessible.ts'
import { expect, test } from './fixtures.ts'
import { CARDS, onboard } from './paying-steps.ts'
import { translate } from './translated.ts'

const RISK = 'You can lose money: past gains promise nothing, and nothing here is investment advice.'
const CONDITIONS = ['Today', 'Renews', 'To end it', 'To withdraw', /^If @.+ stops$/, 'Risk']

const conditions = (page: Page) => page.getByRole('region', { name: 'Before you pay' })
const box = (page: Page) =>
  page.getByRole('checkbox', { name: /^I agree to the terms, version [0-9a-f]{12}\./ })

async function fillInCardOnly(page: Page): Promise<void> {
  await page.getByRole('textbox', { name: 'Card number' }).fill(CARDS.good)
  await page.getByRole('textbox', { name: 'Expiry' }).fill('12 / 34')
  await page.getByRole('textbox', { name: 'CVC' }).fill('123')
}

for (const [where, tag] of [
  ['a desktop', []],
  ['a phone', ['@phone']],
] as const)
  test(`a person reads the conditions and agrees to the terms by the keyboard before paying on ${where}`, {
    tag: [...tag],
  }, async ({ people, openAs, product }) => {
    const [trader, follower] = [await people.join(), await people.join()]
    await onboard(await openAs(trader, '/account'))
    const page = await openAs(follower, `/trader/${trader.username}`)
    await expect(page.getByText(RISK)).toBeVisible()
    await page.goto(`${product.url}/leaderboard`)
    await expect(page.getByText(RISK)).toBeVisible()
    await expectAccessible(page, 'the leaderboard')

    await page.goto(`${product.url}/trader/${trader.username}/subscribe`)
    await expect(conditions(page).getByRole('term')).toHaveText(CONDITIONS)
    await expect(conditions(page).getByRole('definition').first()).toHaveText('$10.00')
    await expect(conditions(page).getByRole('definition').nth(1)).toHaveText(/^\$10\.00 on .+\d{4}$/)
    await expect(conditions(page).getByRole('definition').nth(2)).toHaveText(
      'In Account > Subscriptions, at any time. You have access to the end of what you paid for.',
    )
    await expect(conditions(page).getByRole('definition').nth(3)).toHaveText(
      'For 14 days from your first payment you can withdraw: your access ends at once, and you get back the part for the days that are left, or everything if the trader has published nothing since.',
    )
    await expect(conditions(page).getByRole('definition').nth(4)).toHaveText(
      'Nothing is charged while this trader cannot be paid or is suspended. After 30 days, or once the account is closed, it ends, and you get the unused part back.',
    )
    await expect(conditions(page).getByRole('definition').nth(5)).toHaveText(RISK)
    await expectAccessible(page, 'the subscribe page')
    if (where === 'a phone') await page.setViewportSize({ width: 320, height: 700 })
    expect(await sideways(page), 'the subscribe page').toBeLessThanOrEqual(0)
    await page.getByRole('button', { name: 'Continue on Stripe' }).press('Enter')

    await expect(box(page)).not.toBeChecked()
    await expect(page.getByRole('link', { name: 'terms', exact: true })).toHaveAttribute(
      'href',
      `${product.url}/terms`,
    )
    await fillInCardOnly(page)
    const pay = page.getByRole('button', { name: 'Subscribe' })
    await pay.press('Enter')
    await expect(page.getByRole('alert')).toHaveText('Agree to the terms of service to continue.')
    await expect(box(page)).toHaveAccessibleDescription('Agree to the terms of service to continue.')
    await expectAccessible(page, 'the hosted page')
    expect(await sideways(page), 'the hosted page').toBeLessThanOrEqual(0)
    await page.getByRole('textbox', { name: 'CVC' }).fill('123')
    await box(page).press('Space')
    await expect(box(page)).toBeChecked()
    await pay.press('Enter')
    await page.waitForURL(/\/payment\/success/)
    await expect(page.getByText('Confirmed.')).toBeVisible()
    const { rows } = await product.database.pool.query(
      'select terms_version, accepted_at is not null as dated from consents where user_id = $1',
      [follower.id],
    )
    expect(rows).toEqual([{ terms_version: expect.stringMatching(/^[0-9a-f]{12}$/), dated: true }])
    await page.goto(`${product.url}/terms`)
    await expect(page.getByText(`These terms are version ${rows[0].terms_version}.`)).toBeVisible()
  })

test('a page that is translated shows the conditions of what one chooses', async ({
  call,
  people,
  openAs,
}) => {
  const [trader, follower] = [await people.join(), await people.join()]
  await onboard(await openAs(trader, '/account'))
  const prices = { monthly: '12.50', yearly: '125', currency: 'usd' }
  // The account may be known as complete a moment later.
  await expect.poll(async () => (await call(trader, 'POST', '/v1/accounts/prices', prices)).status).toBe(200)
  const page = await openAs(follower, `/trader/${trader.username}/subscribe`)
  await expect(conditions(page).getByRole('definition').first()).toContainText('$12.50')
  await translate(page)
  await page.getByRole('radio').nth(1).check()
  await expect(conditions(page).getByRole('definition').first()).toContainText('$125.00')
  await page.getByRole('radio').nth(0).check()
  await expect(conditions(page).getByRole('definition').first()).toContainText('$12.50')
})
