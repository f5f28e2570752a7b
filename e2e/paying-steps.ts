import { expect, type Page } from '@playwright/test'
import type { Product } from './product.ts'

/** Actions of a person on the payment provider's pages, and of the desk behind them. */

export const CARDS = {
  good: '4242 4242 4242 4242',
  declined: '4000 0000 0000 0002',
  insufficientFunds: '4000 0000 0000 9995',
  failsWhenCharged: '4000 0000 0000 0341',
  asksOnce: '4000 0025 0000 3155',
} as const

/** Stores the state that the payment provider would have sent: payouts are complete. */
export async function completePayouts(product: Product, person: { id: string }): Promise<void> {
  const at = product.now()
  await product.database.db
    .insertInto('payout_accounts')
    .values({ user_id: person.id, transfers_status: 'active', complete_at: at, created_at: at })
    .execute()
}

/** Sets up payouts from the account page to its end. */
export async function onboard(page: Page, outcome = 'Complete onboarding'): Promise<void> {
  await agreeAndContinue(page)
  await page.getByRole('button', { name: outcome }).click()
  await page.waitForURL(/\/account/)
}

/** From the account page to the provider's onboarding, agreeing to the terms where that was not done yet. */
export async function agreeAndContinue(page: Page): Promise<void> {
  const payments = page.getByRole('region', { name: 'Payments' })
  const go = payments.getByRole('button', { name: 'Continue on Stripe' })
  await expect(go).toBeVisible()
  const terms = payments.getByRole('checkbox')
  if (await terms.isVisible()) await terms.check()
  await go.click()
  await expect(page.getByRole('button', { name: 'Complete onboarding' })).toBeVisible()
}

/** From a trader's profile to the checkout page. */
export async function goToCheckout(page: Page, product: Product, username: string): Promise<void> {
  await page.goto(`${product.url}/trader/${username}`)
  await page.getByRole('button', { name: 'Subscribe', exact: true }).click()
  await expect(page.getByRole('heading', { name: `Subscribe to @${username}` })).toBeVisible()
  await page.getByRole('button', { name: /^Continue( on Stripe)?$/ }).click()
  await expect(page.getByRole('textbox', { name: 'Card number' })).toBeVisible()
}

/** Fills the card form of the checkout and presses its button. */
export async function payWith(page: Page, number: string): Promise<void> {
  await fillInCard(page, number)
  await page.getByRole('button', { name: 'Subscribe' }).click()
}

/** Fills the card form in; the checkout's has a box to tick too, which asks for consent to the terms. */
export async function fillInCard(page: Page, number: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Card number' }).fill(number)
  await page.getByRole('textbox', { name: 'Expiry' }).fill('12 / 34')
  await page.getByRole('textbox', { name: 'CVC' }).fill('123')
  // The page is there by now.
  const agreement = page.getByRole('checkbox', { name: /^I agree to the terms/ })
  if (await agreement.isVisible()) await agreement.check()
}

/** A new payer on the checkout page of a trader, who pays with a good card and comes back. */
export async function subscribe(page: Page, product: Product, username: string): Promise<void> {
  await goToCheckout(page, product, username)
  await payWith(page, CARDS.good)
  await page.waitForURL(/\/payment\/success/)
}

/** Opens the billing portal from the account page. */
export async function openPortal(page: Page, product: Product): Promise<void> {
  await page.goto(`${product.url}/account`)
  await page.getByRole('button', { name: 'Manage billing' }).click()
  await expect(page.getByRole('button', { name: 'Update card' })).toBeVisible()
}

/** Presses a button of the sandbox's control desk and waits until every webhook that it caused was answered. */
export async function control(product: Product, action: string, input: object = {}): Promise<void> {
  const answer = await fetch(`${product.sandboxUrl}/control/api/${action}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...input, settle: true }),
  })
  expect(await answer.text()).toContain('"settled":true')
}

export type SandboxState = {
  subscriptions: { id: string; status: string; email: string | null }[]
  charges: { id: string; email: string | null; refunded: boolean; amount: number }[]
  accounts: { id: string; displayName: string | null }[]
  deliveries: { id: number }[]
}

export async function sandboxState(product: Product): Promise<SandboxState> {
  return (await (await fetch(`${product.sandboxUrl}/control/api/state`)).json()) as SandboxState
}

/** Ends what disturbs webhooks, and sends those that wait now; done when all have been answered. */
export async function deliverAtOnce(product: Product): Promise<void> {
  const { deliveries } = await sandboxState(product)
  const act = (action: string, input: object) =>
    fetch(`${product.sandboxUrl}/control/api/${action}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(input),
    })
  for (const { id } of deliveries) expect((await act('resend', { id: String(id) })).ok).toBe(true)
  await control(product, 'calm')
}
