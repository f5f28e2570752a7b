import { codeIn, expect, test } from './fixtures.ts'
import { askForCode, CONTINUE, FAILURE, newAddress, positions } from './sign-in-steps.ts'

/** A paste as people do it, through the clipboard's event. */
const PASTE = 'ControlOrMeta+V'

test('a pasted sentence is a code, and what cannot be one uses up no try', async ({ openAs, mailbox }) => {
  const email = newAddress()
  const page = await openAs(null, '/login')
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await askForCode(page, `Somebody <${email}>,`)
  await expect(page.getByText(`We sent a code to ${email}.`)).toBeVisible()
  const code = page.getByRole('textbox', { name: 'Code' })
  for (const typed of ['', '12345', 'abcdef', '1234567', '123456 or 654321', '------']) {
    await code.fill(typed)
    const answer = page.waitForResponse('**/auth/v1/verify**')
    await page.keyboard.press('Enter')
    expect((await answer).status(), typed).toBeGreaterThanOrEqual(400)
    await expect(page.getByText(FAILURE, { exact: true })).toBeVisible()
  }
  const digits = codeIn(await mailbox.latest(email))
  await page.evaluate((text) => navigator.clipboard.writeText(text), `Your code is ${digits}. It works once.`)
  await code.fill('')
  await code.press(PASTE)
  await expect(code).toHaveValue(digits)
  await page.keyboard.press('Enter')
  await expect(positions(page)).toBeVisible()
})

test('an address at an international domain is one account in either spelling', async ({
  openAs,
  mailbox,
}) => {
  const name = `kunde-${Date.now()}`
  // The mailbox shows an international domain in its letters.
  const mails = () => mailbox.all(`${name}@bücher.example`)
  for (const [before, domain] of ['bücher.example', 'xn--bcher-kva.example'].entries()) {
    const page = await openAs(null, '/login')
    await askForCode(page, `${name}@${domain}`)
    await expect(page.getByText(`We sent a code to ${name}@${domain}.`)).toBeVisible()
    await expect.poll(async () => (await mails()).length).toBe(before + 1)
    const [mail] = await mails()
    await page.getByRole('textbox', { name: 'Code' }).fill(mail ? codeIn(mail) : '')
    await page.getByRole('button', CONTINUE).click()
    await expect(positions(page)).toBeVisible()
    await page.getByRole('link', { name: 'Account' }).click()
    await expect(page.getByText(`Signed in as ${name}@xn--bcher-kva.example`)).toBeVisible()
  }
})

test('an address with accents before the sign is refused with the reason', async ({ openAs }) => {
  const page = await openAs(null, '/login')
  await page.getByRole('textbox', { name: 'E-mail' }).fill('jörg@example.com')
  await page.getByRole('button', CONTINUE).click()
  await expect(page.getByText(FAILURE, { exact: true })).toBeVisible()
  await expect(page.getByText('plain letters, without accents, before the @')).toBeVisible()
})

test('a trader is found by the name with its sign, in search and in addresses', async ({
  openAs,
  people,
  product,
}) => {
  const trader = await people.join()
  const reader = await people.join()
  const page = await openAs(reader, '/search')
  const field = page.getByPlaceholder('Search by username')
  await field.fill(` @${trader.username.toUpperCase()} `)
  await page.getByRole('button', { name: 'Search' }).click()
  await expect(field).toHaveValue(trader.username.toUpperCase())
  await expect(page.getByRole('link', { name: 'View Profile' })).toBeVisible()
  for (const [typed, path] of [
    [`/trader/@${trader.username}`, `/trader/${trader.username}`],
    [`/trader/%EF%BC%A0${trader.username}/subscribe`, `/trader/${trader.username}/subscribe`],
  ] as const) {
    const answer = await page.goto(product.url + typed)
    expect(answer?.status(), typed).toBe(200)
    await expect(page).toHaveURL(product.url + path)
    await expect(page.getByRole('heading', { level: 1 })).toContainText(trader.username)
  }
})
