import { startCountingSink } from '../server/test/mails/counting-sink.ts'
import { test as common, expect } from './fixtures.ts'
import { type Product, startProduct } from './product.ts'
import { askForCode, CONTINUE, FAILURE, positions } from './sign-in-steps.ts'

const BACK = 'Mails to this address come back. Is it spelled right?'

/** The mail server is the test's own: it knows nobody at a domain that is often mistyped. */
const test = common.extend<
  object,
  { workerProduct: Product; sink: Awaited<ReturnType<typeof startCountingSink>> }
>({
  sink: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern to know what a fixture needs
    async ({}, use) => {
      const sink = await startCountingSink()
      await use(sink)
      await sink.close()
    },
    { scope: 'worker' },
  ],
  workerProduct: [
    async ({ sink }, use) => {
      const product = await startProduct({ SMTP_URL: sink.url })
      await use(product)
      await product.stop()
    },
    { scope: 'worker', timeout: 600_000 },
  ],
})

const refuseTypos = {
  recipient: (to: string) => (to.endsWith('@gmial.example') ? '550 5.1.2 no such domain' : null),
}

for (const [device, tag] of [
  ['desktop', []],
  ['phone', ['@phone']],
] as const) {
  test(`somebody on a ${device} who mistypes their address learns of it where they wait, and gets a code at another`, {
    tag: [...tag],
  }, async ({ openAs, sink }) => {
    sink.script = refuseTypos
    const name = `typo-${device}-${Date.now()}`
    const page = await openAs(null, '/login')
    await askForCode(page, `${name}@gmial.example`)
    const code = page.getByRole('textbox', { name: 'Code' })
    // Nobody presses anything: the page asks by itself while it waits.
    await expect(page.getByText(BACK, { exact: true })).toBeVisible()
    await expect(page.getByText(FAILURE, { exact: true })).toBeVisible()
    await expect(code).toHaveAccessibleDescription(`${FAILURE} ${BACK}`)
    const [failure, back] = await Promise.all(
      [FAILURE, BACK].map((text) => page.getByText(text, { exact: true }).boundingBox()),
    )
    expect(back?.y).toBeGreaterThanOrEqual((failure?.y ?? 0) + (failure?.height ?? 0))
    await page.reload()
    await expect(page.getByText(BACK, { exact: true })).toBeVisible()

    await page.getByRole('button', { name: 'Use a different e-mail' }).click()
    const field = page.getByRole('textbox', { name: 'E-mail' })
    // The second try gets that answer at once.
    const answer = page.waitForResponse('**/auth/v1/otp**')
    await page.getByRole('button', CONTINUE).click()
    expect((await answer).status()).toBe(422)
    await expect(page.getByText(FAILURE, { exact: true })).toBeVisible()
    await expect(page.getByText(BACK, { exact: true })).toBeVisible()
    await page.getByRole('button', { name: 'Use a different e-mail' }).click()
    await expect(field).toBeFocused()
    await expect(field).toHaveValue('')
    await expect(page.getByText(BACK, { exact: true })).toHaveCount(0)
    await askForCode(page, `${name}@gmail.example`)
    await sink.until(() => sink.byRecipient.get(`${name}@gmail.example`) === 1)
    await expect(page.getByText(BACK, { exact: true })).toHaveCount(0)
  })
}

test('a mail server that was wrong for a minute keeps nobody out', async ({ openAs, product, sink }) => {
  sink.script = refuseTypos
  const email = `minute-${Date.now()}@gmial.example`
  const page = await openAs(null, '/login')
  await askForCode(page, email)
  await expect(page.getByText(BACK, { exact: true })).toBeVisible()
  sink.script = {}
  await page.reload()
  await page.getByRole('button', { name: 'Use a different e-mail' }).click()
  await page.getByRole('button', CONTINUE).click()
  await page.getByRole('link', { name: 'I have a code' }).click()
  await sink.until(() => sink.byRecipient.get(email) === 1)
  const mail = sink.kept.findLast(({ recipients }) => recipients.includes(email))
  const code = /^Subject: (\d{6})/m.exec(mail?.raw ?? '')?.[1] ?? ''
  // The text as it is copied from the mail.
  await page.getByRole('textbox', { name: 'Code' }).fill(`${code} is your code`)
  await expect(page.getByRole('textbox', { name: 'Code' })).toHaveValue(code)
  await page.getByRole('button', CONTINUE).click()
  await expect(positions(page)).toBeVisible()
  await expect(page).toHaveURL(`${product.url}/`)
})
