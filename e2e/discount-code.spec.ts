import type { Page } from '@playwright/test'
import { expectAccessible, sideways } from './accessible.ts'
import { expect, test } from './fixtures.ts'
import { CARDS, onboard, payWith } from './paying-steps.ts'

const codes = (page: Page) => page.getByRole('region', { name: 'Discount codes' })

for (const [where, tag] of [
  ['a desktop', []],
  ['a phone', ['@phone']],
] as const)
  test(`a trader gives a code by the keyboard on ${where}, a follower sees what it does and pays that`, {
    tag: [...tag],
  }, async ({ people, openAs, product }) => {
    const [trader, follower] = [await people.join(), await people.join()]
    const own = await openAs(trader, '/account')
    await onboard(own)
    const add = codes(own).getByRole('button', { name: 'Add a code' })
    await add.focus()
    await own.keyboard.press('Enter')
    await codes(own).getByRole('textbox', { name: 'Code', exact: true }).fill('spring')
    const off = codes(own).getByRole('textbox', { name: /^Discount/ })
    await off.fill('95 %')
    await off.press('Enter')
    await expect(off).toBeFocused()
    await expect(off).toHaveAccessibleDescription('Type a discount such as 20 %, at most 90 %, or 5.00.')
    await expectAccessible(own, 'a code with a fault')
    await off.fill('20 %')
    await expect(codes(own)).toContainText('A month costs $8.00 in place of $10.00.')
    if (where === 'a phone') await own.setViewportSize({ width: 320, height: 700 })
    expect(await sideways(own), 'the form of a code').toBeLessThanOrEqual(0)
    await off.press('Enter')
    await expect(codes(own)).toContainText('20 % off the first month · 0 used')
    await expectAccessible(own, 'the list of codes')

    const page = await openAs(follower, `/trader/${trader.username}/subscribe?discount=Spring`)
    const line = 'SPRING: 20 % off the first month. You pay $8.00 for the first month. Then $10.00 a month.'
    await expect(page.getByText('SPRING')).toBeVisible()
    await expect(page.getByRole('status').filter({ hasText: 'SPRING' })).toHaveText(line)
    await expectAccessible(page, 'the subscribe page with a code')
    if (where === 'a phone') await page.setViewportSize({ width: 320, height: 700 })
    expect(await sideways(page), 'the subscribe page with a code').toBeLessThanOrEqual(0)
    await page.getByRole('button', { name: /^Continue/ }).click()
    await expect(page.getByRole('textbox', { name: 'Card number' })).toBeVisible()
    await expect(page.getByText('$8.00').first()).toBeVisible()
    await page.goBack()
    await expect(page.getByRole('status').filter({ hasText: 'SPRING' })).toHaveText(line)
    await page.getByRole('button', { name: /^Continue/ }).click()
    await payWith(page, CARDS.good)
    await page.waitForURL(/\/payment\/success/)
    await expect(page.getByText(/is confirmed|You follow/).first()).toBeVisible()

    await own.goto(`${product.url}/account`)
    await expect(codes(own)).toContainText('20 % off the first month · 1 used')
    await codes(own).getByRole('button', { name: 'End' }).click()
    await expect(codes(own)).not.toContainText('SPRING')
    const late = await openAs(await people.join(), `/trader/${trader.username}/subscribe?discount=spring`)
    await expect(late.getByRole('status').filter({ hasText: 'spring' })).toHaveText(
      'spring: That code is not valid here.',
    )
  })
