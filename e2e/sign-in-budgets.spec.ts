import { KNOWN_DEVICE_HEADER } from '../contract/src/auth.ts'
import { AUTH_STORAGE_KEY } from '../contract/src/settings.ts'
import { codeIn, test as common, expect } from './fixtures.ts'
import { type Product, startProduct } from './product.ts'
import { mailsTo } from './sign-in-by-code.ts'
import { askForCode, CONTINUE, FAILURE, newAddress, positions } from './sign-in-steps.ts'

/** As in production: five mails an hour go to an address for those whom it does not know. */
const test = common.extend<object, { workerProduct: Product }>({
  workerProduct: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern to know what a fixture needs
    async ({}, use) => {
      const product = await startProduct({ RATE_LIMITS: 'on' })
      await use(product)
      await product.stop()
    },
    { scope: 'worker', timeout: 600_000 },
  ],
})

/** Strangers ask for codes of an address, one after another, until no more are mailed. @returns how many were */
async function useUpMails(product: Product, email: string): Promise<number> {
  const before = (await mailsTo(product, email)).length
  for (let mailed = 0; ; mailed++) {
    await expect.poll(async () => (await mailsTo(product, email)).length).toBe(before + mailed)
    const answer = await fetch(`${product.url}/auth/v1/otp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email }),
    })
    if (answer.status === 429) return mailed
    expect(answer.status).toBe(200)
  }
}

for (const [device, tag] of [
  ['desktop', []],
  ['phone', ['@phone']],
] as const) {
  test(`somebody on a ${device} who gets no more mails chooses that they have a code, and it signs them in`, {
    tag: [...tag],
  }, async ({ openAs, mailbox, product }) => {
    const email = newAddress()
    expect(await useUpMails(product, email)).toBe(5)
    const page = await openAs(null, '/login')
    await page.getByRole('textbox', { name: 'E-mail' }).fill(email)
    const answer = page.waitForResponse('**/auth/v1/otp**')
    await page.getByRole('button', CONTINUE).click()
    expect((await answer).status()).toBe(429)
    await expect(page.getByText(FAILURE, { exact: true })).toBeVisible()
    const link = page.getByRole('link', { name: 'I have a code' })
    const box = await link.boundingBox()
    expect(box?.height).toBeGreaterThanOrEqual(36)
    await link.press('Enter')

    const code = page.getByRole('textbox', { name: 'Code' })
    await expect(code).toBeFocused()
    await expect(page.getByText(`Type the newest code that went to ${email}`)).toBeVisible()
    await page.reload()
    await expect(code).toBeFocused()
    await code.fill(codeIn(await mailbox.latest(email)))
    await page.getByRole('button', CONTINUE).click()
    await expect(positions(page)).toBeVisible()
  })
}

test('a device that has signed in before is not locked out by strangers, also after its session has ended', async ({
  openAs,
  mailbox,
  product,
}) => {
  const email = newAddress()
  const page = await openAs(null, '/login')
  await askForCode(page, email)
  await page.getByRole('textbox', { name: 'Code' }).fill(codeIn(await mailbox.latest(email)))
  await page.getByRole('button', CONTINUE).click()
  await expect(positions(page)).toBeVisible()
  // The stored proof is no secret of a session, and names nobody.
  const kept = () =>
    page.evaluate(async () => {
      const open = indexedDB.open('tradepost')
      await new Promise((resolve) => (open.onsuccess = resolve))
      const names = open.result.transaction('known-devices').objectStore('known-devices').getAllKeys()
      await new Promise((resolve) => (names.onsuccess = resolve))
      return names.result
    })
  await expect.poll(kept).toEqual([expect.stringMatching(/^[\da-f]{64}$/)])
  // The server ends the session, and the page forgets everything but this.
  await product.database.pool.query('update sessions set revoked_at = now() where revoked_at is null')
  await page.reload()
  await expect(page.getByRole('link', { name: 'Get started' })).toBeVisible()
  expect(await page.evaluate((key) => localStorage.getItem(key), AUTH_STORAGE_KEY)).toBeNull()

  expect(await useUpMails(product, email)).toBe(4)
  const before = (await mailbox.all(email)).length
  await page.goto(`${product.url}/login`)
  const asking = page.waitForRequest('**/auth/v1/otp**')
  await askForCode(page, ` ${email.toUpperCase()}`)
  expect(await (await asking).headerValue(KNOWN_DEVICE_HEADER)).toMatch(/^[\w-]{63}$/)
  await expect.poll(async () => (await mailbox.all(email)).length).toBeGreaterThan(before)
  const [mail] = await mailbox.all(email)
  const code = mail ? codeIn(mail) : ''

  // Strangers try to use up the code as well.
  for (let tried = 0; tried < 12; tried++) {
    await fetch(`${product.url}/auth/v1/verify`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, token: code === '000000' ? '000001' : '000000', type: 'email' }),
    })
  }
  await page.getByRole('textbox', { name: 'Code' }).fill(code)
  await page.getByRole('button', CONTINUE).click()
  await expect(positions(page)).toBeVisible()

  // To an address that has not signed in here it is a stranger's device.
  const other = newAddress()
  const elsewhere = await openAs(null, '/login')
  const asked = elsewhere.waitForRequest('**/auth/v1/otp**')
  await askForCode(elsewhere, other)
  expect(await (await asked).headerValue(KNOWN_DEVICE_HEADER)).toBeNull()
})
