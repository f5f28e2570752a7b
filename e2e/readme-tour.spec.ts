import type { Page } from '@playwright/test'
import { test as base, expect, type Person } from './fixtures.ts'
import { type Product, startSeededProduct } from './product.ts'
import { signInByCode } from './sign-in-by-code.ts'
import { expectToast } from './toasts.ts'
import { fillInClose, fillInPosition, startClosing } from './trading-steps.ts'

/** A Sunday night, four days after the demo world was made. */
const SUNDAY_NIGHT = new Date('2026-11-22T03:00:00.000Z')
const SAME_DAY = 'You cannot close this position on the same day'

/** The product as a newcomer runs it: the sandbox's market in its default state, and the demo world in it. */
const test = base.extend<object, { workerProduct: Product }>({
  workerProduct: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern to know what a fixture needs
    async ({}, use) => {
      const product = await startSeededProduct({ MARKET_OVERRIDE: '' })
      await use(product)
      await product.stop()
    },
    { scope: 'worker', timeout: 180_000 },
  ],
})

/** The next documents come as from a server with another override of the market. */
async function forceMarket(page: Page, override: 'open' | null): Promise<void> {
  await page.route('**/trade', async (route) => {
    const answer = await route.fetch()
    const text = await answer.text()
    expect(text).toContain('"marketOverride":"hours"')
    const body = text.replace('"marketOverride":"hours"', `"marketOverride":${JSON.stringify(override)}`)
    await route.fulfill({ response: answer, body })
  })
}

async function signInMaria(product: Product): Promise<Person> {
  const email = 'maria@people.example'
  const session = await signInByCode(product, email)
  return { email, username: 'maria', session, id: session.user.id }
}

test('a newcomer publishes on a Sunday night, cannot close that on the same day, and closes what was opened earlier', {
  tag: ['@MKT-04'],
}, async ({ call, product, openAs, setTime }) => {
  await setTime(SUNDAY_NIGHT)
  const maria = await signInMaria(product)
  const page = await openAs(maria, '/trade')
  await expect(page.getByText('Sandbox: no real money, the market is always open').first()).toBeVisible()
  await expect(page.getByText('Market Closed')).toBeHidden()
  await fillInPosition(page, 'ORCL')
  await page.getByRole('button', { name: 'Open Position' }).click()
  await expectToast(page, 'A position for ORCL has been opened!')

  const today = await startClosing(page, 'ORCL')
  await fillInClose(today)
  await expect(today.getByText(SAME_DAY)).toBeVisible()
  await expect(today.getByRole('button', { name: 'Submit' })).toBeDisabled()
  await page.keyboard.press('Escape')

  const { body } = await call(maria, 'GET', '/v1/positions')
  const { positions } = body as { positions: { stock: string; user: string }[] }
  const held = positions.find(({ stock, user }) => user === 'maria' && stock !== 'ORCL')?.stock ?? ''
  const earlier = await startClosing(page, held)
  await expect(earlier.getByText(SAME_DAY)).toBeHidden()
  await fillInClose(earlier)
  await earlier.getByRole('button', { name: 'Submit' }).click()
  await expectToast(page, `Position for ${held} has been closed!`)

  // The hours alone are forced here. Without a setting nothing is forced, and the days are forced too where the setting asks for it.
  await forceMarket(page, null)
  await page.goto(`${product.url}/trade`)
  await expect(page.getByText('Market Closed')).toBeVisible()
  await page.unrouteAll()
  await forceMarket(page, 'open')
  await page.goto(`${product.url}/trade`)
  await expect(page.getByRole('textbox', { name: 'Ticker' })).toBeVisible()
  await expect(page.getByText('Market Closed')).toBeHidden()
  await page.getByRole('link', { name: 'Home' }).click()
  const forced = await startClosing(page, 'ORCL')
  await expect(forced.getByText(SAME_DAY)).toBeHidden()
})
