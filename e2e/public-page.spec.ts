import { expectReadable } from './accessible.ts'
import { codeIn, expect, test } from './fixtures.ts'
import { askForCode, positions } from './sign-in-steps.ts'
import { expectToast } from './toasts.ts'

test('a trader turns the public page on, a visitor reads it without JavaScript, and following leads back to the profile', async ({
  people,
  openAs,
  mailbox,
  product,
  browser,
}) => {
  const trader = await people.join()
  const address = `${product.url}/t/${trader.username}`
  const own = await openAs(trader, `/trader/${trader.username}`)
  await own.getByRole('link', { name: 'Turn on your public page' }).click()
  const part = own.getByRole('region', { name: 'Public page' })
  await expect(part).toContainText(address.replace('http://', ''))
  const answered = own.waitForResponse('**/v1/accounts/public-page')
  await part.getByRole('switch', { name: 'Public page' }).check()
  expect((await answered).status()).toBe(200)

  await own.goto(`${product.url}/trader/${trader.username}`)
  await own.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await own.evaluate(() => Reflect.deleteProperty(Navigator.prototype, 'share'))
  await own.getByRole('button', { name: 'Share this profile' }).click()
  await expectToast(own, 'Link copied')
  expect(await own.evaluate(() => navigator.clipboard.readText())).toBe(address)
  await expect(own).toHaveTitle(`${trader.username} · Tradepost`)

  const without = await browser.newContext({ javaScriptEnabled: false, colorScheme: 'light' })
  const plain = await without.newPage()
  expect((await plain.goto(address))?.status()).toBe(200)
  await expect(plain.getByRole('heading', { level: 1 })).toHaveText(trader.username)
  await expect(plain.getByRole('link', { name: `Follow @${trader.username}` })).toBeVisible()
  expect(await plain.locator('script, template').count()).toBe(0)
  // As the sign-in to which its button leads, and white on paper.
  await expect(plain.locator('html')).toHaveCSS('color-scheme', 'dark')
  await plain.emulateMedia({ media: 'print' })
  await expect(plain.locator('html')).toHaveCSS('color-scheme', 'light')
  await without.close()

  const newcomer = await people.join({ username: null })
  const page = await openAs(null, `/t/${trader.username}`)
  await expectReadable(page, 'the public page')
  await page.getByRole('link', { name: `Follow @${trader.username}` }).click()
  await expect(page).toHaveURL(`${product.url}/login`)
  const earlier = (await mailbox.all(newcomer.email)).length
  await askForCode(page, newcomer.email)
  await expect.poll(async () => (await mailbox.all(newcomer.email)).length).toBe(earlier + 1)
  await page.getByRole('textbox', { name: 'Code' }).fill(codeIn(await mailbox.latest(newcomer.email)))
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(positions(page)).toBeVisible()
  await expect(page).toHaveURL(`${product.url}/`)
  await expect(page.getByText('You came for')).toBeVisible()
  await page.getByRole('link', { name: 'View profile' }).click()
  await expect(page).toHaveURL(`${product.url}/trader/${trader.username}`)
  await page.goto(product.url)
  await expect(positions(page)).toBeVisible()
  await expect(page.getByText('You came for')).toHaveCount(0)
})

test('addresses without a public page show one page, in both themes and on a phone', async ({
  openAs,
  people,
  product,
}) => {
  const { username } = await people.join()
  const page = await openAs(null, `/t/${username}`)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('There is no public page here')
  await expectReadable(page, 'no public page')
  const answer = await page.goto(`${product.url}/t/nobody-here`)
  expect(answer?.status()).toBe(404)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('There is no public page here')
})
