import type { Page } from '@playwright/test'
import { expectAccessible, sideways } from './accessible.ts'
import { expect, type Person, test } from './fixtures.ts'
import { onboard, subscribe } from './paying-steps.ts'
import type { Product } from './product.ts'
import { signInByCode } from './sign-in-by-code.ts'

/** Names the price of a month, as the form of Account > Payments sends it. */
async function namePrice(product: Product, trader: Person, monthly: string): Promise<void> {
  const session = await signInByCode(product, trader.email)
  const answer = await fetch(`${product.url}/v1/accounts/prices`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${session.access_token}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ monthly, yearly: null, currency: 'usd' }),
  })
  expect(answer.status).toBe(200)
}

const agree = (page: Page) => page.getByRole('button', { name: 'Agree to $15 a month' })

for (const [device, tag] of [
  ['a desktop', []],
  ['a phone', ['@phone']],
] as const)
  test(`on ${device} a follower reads of a higher price, agrees with one press, and takes that back`, {
    tag: [...tag],
  }, async ({ people, openAs, product, mailbox, setTime }) => {
    const [trader, follower] = [await people.join(), await people.join()]
    await onboard(await openAs(trader, '/account'))
    const page = await openAs(follower, '/')
    await subscribe(page, product, trader.username)
    await namePrice(product, trader, '15')
    await setTime(new Date(product.now().getTime() + 61 * 60_000))
    const subject = `@${trader.username} asks $15 a month from you instead of $10 a month`
    expect((await mailbox.latest(follower.email, subject)).text).toContain('you go on paying $10 a month')

    await page.goto(`${product.url}/account`)
    const proposal = page.getByText(`@${trader.username} asks $15 a month. Without your answer you keep $10`)
    await expect(proposal).toBeVisible()
    await expect(agree(page)).toHaveAccessibleDescription(/the first renewal that has it is that of/)
    await expectAccessible(page)
    if (device === 'a phone') {
      await page.setViewportSize({ width: 320, height: 844 })
      expect(await sideways(page)).toBe(0)
      await page.setViewportSize({ width: 390, height: 844 })
    }
    await agree(page).click()
    const back = page.getByRole('button', { name: 'Take back' })
    await expect(back).toBeVisible()
    await expect(page.getByText(/You have agreed to \$15 a month, from the renewal of .* on\./)).toBeVisible()
    await expectAccessible(page)
    await page.reload()
    await back.press('Enter')
    await expect(proposal).toBeVisible()

    // Another amount by now: the press is refused, and the new one stands there.
    await expect(agree(page)).toBeVisible()
    const pressed = Promise.withResolvers<void>()
    await page.route('**/v1/subscriptions', async (route) => {
      await pressed.promise
      await route.continue()
    })
    await namePrice(product, trader, '20')
    await agree(page).click()
    pressed.resolve()
    await expect(page.getByRole('button', { name: 'Agree to $20 a month' })).toBeVisible()
  })
