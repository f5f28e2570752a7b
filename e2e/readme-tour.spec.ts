import { test as base, expect, type Person } from './fixtures.ts'
import { type Product, startSeededProduct } from './product.ts'
import { signInByCode } from './sign-in-by-code.ts'
import { expectToast } from './toasts.ts'
import { fillInClose, fillInPosition, startClosing } from './trading-steps.ts'

/** A Sunday night, four days after the demo world was made. */
const SUNDAY_NIGHT = new Date('2026-11-22T03:00:00.000Z')
const SAME_DAY = 'You cannot close this position on the same day'

/** What a newcomer runs: the sandbox's market as it is unless it is told otherwise, and the demo world in it. */
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

async function signInMaria(product: Product): Promise<Person> {
  const email = 'maria@people.example'
  const session = await signInByCode(product, email)
  return { email, username: 'maria', session, id: session.user.id }
}

test('MKT-04 DLG-12 TRADE-23: a newcomer publishes on a Sunday night, cannot close that on the same day, and closes what was opened earlier', async ({
  product,
  openAs,
  setTime,
}) => {
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

  const earlier = await startClosing(page, 'JPM')
  await expect(earlier.getByText(SAME_DAY)).toBeHidden()
  await fillInClose(earlier)
  await earlier.getByRole('button', { name: 'Submit' }).click()
  await expectToast(page, 'Position for JPM has been closed!')
})
