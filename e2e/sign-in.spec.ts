import { AUTH_STORAGE_KEY } from '../contract/src/settings.ts'
import { codeIn, expect, test } from './fixtures.ts'
import { askForCode, CONTINUE, DEAD_LINK, FAILURE, linkIn, newAddress, positions } from './sign-in-steps.ts'
import { expectToastFor, toastsOf } from './toasts.ts'
import { NEUTRAL } from './visiting-steps.ts'

test('a new address gets a code by mail and signs in with it', {
  tag: ['@NAV-05', '@LOGIN-01', '@LOGIN-02', '@LOGIN-05', '@LOGIN-08'],
}, async ({ openAs, mailbox, product }) => {
  const email = newAddress()
  const page = await openAs(null, '/login')
  await expect(page.getByRole('heading', { name: 'Log in or sign up' })).toBeVisible()
  const field = page.getByRole('textbox', { name: 'E-mail' })
  const button = page.getByRole('button', CONTINUE)
  await expect(button).toBeDisabled()
  await field.fill('abcd')
  await expect(button).toBeDisabled()
  await field.fill('abcde')
  await expect(button).toBeEnabled()

  await field.fill(` ${email} `)
  const sending = page.waitForRequest('**/auth/v1/otp**')
  await button.click()
  const sent = await sending
  expect(sent.method()).toBe('POST')
  expect(sent.postDataJSON()).toMatchObject({ email, create_user: true })
  expect((await sent.response())?.status()).toBe(200)
  await expect(page.getByRole('heading', { name: 'Check your e-mail' })).toBeVisible()
  await expect(page.getByText(`We sent a code to ${email}.`)).toBeVisible()
  const code = page.getByRole('textbox', { name: 'Code' })
  await expect(code).toBeFocused()

  const mail = await mailbox.latest(email)
  expect(codeIn(mail)).toMatch(/^\d{6}$/)
  expect(linkIn(mail)).toContain(`${product.url}/login#token_hash=`)
  expect(mail.html).toContain(codeIn(mail))
  // The text as it is pasted from a mail.
  await code.fill(` ${codeIn(mail).slice(0, 3)} ${codeIn(mail).slice(3)} `)
  const checking = page.waitForRequest('**/auth/v1/verify**')
  await page.keyboard.press('Enter')
  const checked = await checking
  expect(checked.method()).toBe('POST')
  expect(checked.postDataJSON()).toMatchObject({ email, token: codeIn(mail), type: 'email' })
  await expect(positions(page)).toBeVisible()
  await expect(page).toHaveURL(`${product.url}/`)
  const session = await page.evaluate((key) => localStorage.getItem(key), AUTH_STORAGE_KEY)
  expect(JSON.parse(session ?? '{}')).toMatchObject({ token_type: 'bearer', user: { email } })
  await page.getByRole('link', { name: 'Account' }).click()
  await expect(page.getByText(`Signed in as ${email}`)).toBeVisible()
  await page.goto(`${product.url}/login`)
  await expect(positions(page)).toBeVisible()
  await expect(page).toHaveURL(`${product.url}/`)
})

test('a send that fails has one sentence, whatever the reason', { tag: ['@LOGIN-10'] }, async ({
  openAs,
}) => {
  const page = await openAs(null, '/login')
  const field = page.getByRole('textbox', { name: 'E-mail' })
  const button = page.getByRole('button', CONTINUE)
  // The server's own refusal: this is no address.
  await field.fill('abcde')
  await button.click()
  await expect(page.getByText(FAILURE, { exact: true })).toBeVisible()
  await expect(field).toHaveAttribute('aria-invalid', 'true')
  for (const status of [429, 500]) {
    await page.route('**/auth/v1/otp**', (route) =>
      route.fulfill({ status, json: { message: 'Something else' } }),
    )
    const asked = page.waitForResponse('**/auth/v1/otp**')
    await button.click()
    expect((await asked).status()).toBe(status)
    await expect(button).not.toHaveAttribute('aria-busy', 'true')
    await expect(page.getByText(FAILURE, { exact: true })).toBeVisible()
    await expect(page.getByText('Something else')).toHaveCount(0)
    await page.unrouteAll()
  }
  await expect(field).toHaveValue('abcde')
  await expect(page).toHaveURL(/\/login$/)
})

test('wrong codes of any length fail in the one sentence and sign nobody out, and five are the end of the right one', {
  tag: ['@LOGIN-06', '@LOGIN-11', '@ERR-07'],
}, async ({ openAs, mailbox }) => {
  const email = newAddress()
  const page = await openAs(null, '/login')
  await page.evaluate(() => localStorage.setItem('probe', 'stays'))
  await askForCode(page, email)
  const mail = await mailbox.latest(email)
  const code = page.getByRole('textbox', { name: 'Code' })
  for (const attribute of ['maxlength', 'minlength', 'pattern', 'required']) {
    await expect(code).not.toHaveAttribute(attribute)
  }
  await expect(page.getByRole('button', CONTINUE)).toBeEnabled()
  const right = codeIn(mail)
  const wrong = right === '000000' ? '111111' : '000000'
  for (const token of ['1', wrong, '9'.repeat(100), wrong, wrong, wrong, wrong, right]) {
    await code.fill(token)
    await expect(code).toHaveValue(token)
    const answer = page.waitForResponse('**/auth/v1/verify**')
    await page.getByRole('button', CONTINUE).click()
    expect((await answer).status()).toBe(403)
    await expect(page.getByText(FAILURE, { exact: true })).toBeVisible()
  }
  // A refusal of the sign-in server is not one of the product API: storage is left alone (rule G-71).
  expect(await page.evaluate(() => localStorage.getItem('probe'))).toBe('stays')

  // Back for another code: the limit was on that code, not on the address.
  await page.getByRole('button', { name: 'Use a different e-mail' }).click()
  await expect(page.getByRole('textbox', { name: 'E-mail' })).toHaveValue(email)
  await page.route('**/auth/v1/otp**', (route) => route.fulfill({ status: 500, json: {} }))
  await page.getByRole('button', CONTINUE).click()
  await expect(page.getByText(FAILURE, { exact: true })).toBeVisible()
  await page.unrouteAll()
  await page.getByRole('button', CONTINUE).click()
  await expect.poll(async () => (await mailbox.all(email)).length).toBe(2)
  await code.fill(codeIn(await mailbox.latest(email)))
  await page.getByRole('button', CONTINUE).click()
  await expect(positions(page)).toBeVisible()
})

test('a page that is reloaded at the code step, as a phone does after a visit to the mail, is there again', async ({
  openAs,
  mailbox,
}) => {
  const email = newAddress()
  const page = await openAs(null, '/login')
  await askForCode(page, email)
  const early = page.locator('#early')
  const code = page.getByRole('textbox', { name: 'Code' })
  const again = page.getByRole('button', { name: /^Send again/ })
  const kept = () =>
    page.evaluate(() => Object.keys(sessionStorage).filter((key) => key !== 'tradepost-visits').length)
  await page.clock.fastForward(30_000)

  await page.addInitScript(() => {
    const shifts: number[] = []
    Reflect.set(window, 'notedShifts', shifts)
    new PerformanceObserver((list) => shifts.push(list.getEntries().length)).observe({ type: 'layout-shift' })
  })
  // Before the app is there, nothing of the first step shows; with it comes the second, and nothing moves.
  const held = Promise.withResolvers<void>()
  await page.route('**/assets/*.js', async (route) => {
    await held.promise
    await route.continue()
  })
  await page.reload({ waitUntil: 'commit' })
  await expect(early).toBeAttached()
  await expect(early).toBeHidden()
  held.resolve()
  await expect(page.getByText(`We sent a code to ${email}.`)).toBeVisible()
  await expect(code).toBeFocused()
  await expect(again).toBeDisabled()
  const left = Number(/^Send again in (\d+) s$/.exec((await again.textContent()) ?? '')?.[1])
  expect(left).toBeGreaterThan(0)
  expect(left).toBeLessThanOrEqual(30)
  expect(await page.evaluate(() => Reflect.get(window, 'notedShifts'))).toEqual([])

  await code.fill(codeIn(await mailbox.latest(email)))
  await page.getByRole('button', CONTINUE).click()
  await expect(positions(page)).toBeVisible()
  expect(await kept()).toBe(0)
})

test('after its ten minutes, or once given up, the code step is gone with the next reload', async ({
  openAs,
  product,
}) => {
  const page = await openAs(null, '/login')
  const field = page.getByRole('textbox', { name: 'E-mail' })
  const kept = () => page.evaluate(() => sessionStorage.length)
  await askForCode(page, newAddress())
  expect(await kept()).toBe(1)
  await page.getByRole('button', { name: 'Use a different e-mail' }).click()
  await page.reload()
  await expect(field).toBeEditable()
  expect(await kept()).toBe(0)

  await askForCode(page, newAddress())
  await page.clock.setFixedTime(new Date(product.now().getTime() + 15 * 60_000))
  await page.reload()
  await expect(field).toBeEditable()
  await expect(field).toHaveValue('')
  expect(await kept()).toBe(0)
})

test('to somebody signed in another link shows that, goes from the address and is not used up', async ({
  people,
  openAs,
  mailbox,
  product,
}) => {
  const email = newAddress()
  await askForCode(await openAs(null, '/login'), email)
  const link = linkIn(await mailbox.latest(email))
  const somebody = await people.join()
  const page = await openAs(somebody, '/leaderboard')
  await page.goto(link)
  const notice = `You are signed in as ${somebody.email}. Sign out to use another link.`
  await expect.poll(() => toastsOf(page)).toEqual([notice])
  await expect(positions(page)).toBeVisible()
  await expect(page).toHaveURL(`${product.url}/`)
  await page.goto(`${product.url}/login`)
  await expect(positions(page)).toBeVisible()
  await expect(page).toHaveURL(`${product.url}/`)
  expect(await toastsOf(page)).toEqual([])

  // A sign-in by the link's owner shows no toast.
  const owner = await openAs(null, NEUTRAL)
  await owner.goto(link)
  await owner.getByRole('button', { name: 'Sign in' }).click()
  await expect(positions(owner)).toBeVisible()
  expect(await toastsOf(owner)).toEqual([])
})

test('the link signs in at once in the browser that asked, with its waiting tab, and by one button in another', {
  tag: ['@LOGIN-12'],
}, async ({ openAs, mailbox, product }) => {
  const email = newAddress()
  const page = await openAs(null, '/login')
  await askForCode(page, email)
  const link = linkIn(await mailbox.latest(email))
  const tab = await page.context().newPage()
  await tab.goto(link)
  await expect(positions(tab)).toBeVisible()
  await expect(tab).toHaveURL(`${product.url}/`)
  await expect(positions(page)).toBeVisible()
  await expect(page).toHaveURL(`${product.url}/`)
  // Signed in once: the same link is dead now, which disturbs nobody who is signed in.
  await tab.goto('about:blank')
  await tab.goto(link)
  await expect(positions(tab)).toBeVisible()

  // In a browser that did not ask it takes one button.
  const another = newAddress()
  await askForCode(await openAs(null, '/login'), another)
  const path = linkIn(await mailbox.latest(another)).slice(product.url.length)
  const elsewhere = await openAs(null, path)
  await elsewhere.getByRole('button', { name: 'Sign in' }).click()
  await expect(positions(elsewhere)).toBeVisible()
})

test('in another browser the link shows whose it is and waits, and looking uses nothing up', async ({
  openAs,
  mailbox,
  product,
}) => {
  const email = newAddress()
  await askForCode(await openAs(null, '/login'), email)
  const link = linkIn(await mailbox.latest(email))
  // A scanner that fetches the link, and one that runs the page.
  expect((await fetch(link)).status).toBe(200)
  const path = link.slice(product.url.length)
  const scanner = await openAs(null, path)
  await expect(scanner.getByText(email)).toBeVisible()

  const page = await openAs(null, path)
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  await expect(page.getByText(`This link signs you in as ${email}.`)).toBeVisible()
  await expect(page.getByRole('main').getByRole('button')).toHaveText(['Sign in', 'Use a different e-mail'])
  expect(await page.evaluate((key) => localStorage.getItem(key), AUTH_STORAGE_KEY)).toBeNull()
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(positions(page)).toBeVisible()
  await expect(page).toHaveURL(`${product.url}/`)

  // The link has been used: the tab that still shows it, and anyone who opens it now, read that it is dead.
  await scanner.getByRole('button', { name: 'Sign in' }).click()
  await expect(scanner.getByText(DEAD_LINK, { exact: true })).toBeVisible()
  await expect(scanner).toHaveURL(`${product.url}/login`)
  await scanner.goto(link)
  await expect(scanner.getByText(DEAD_LINK, { exact: true })).toBeVisible()
  await expect(scanner.getByRole('textbox', { name: 'E-mail' })).toBeVisible()
})

test('a success is shown for two seconds, a failure for four', async ({ openAs, product }) => {
  const page = await openAs(null, '/login')
  await askForCode(page, newAddress())
  const button = page.getByRole('button', { name: /^Send again/ })
  await expect(button).toBeDisabled()
  await page.clock.pauseAt(new Date(product.now().getTime() + 60_000))
  await page.clock.runFor(61_000)
  await expect(button).toHaveText('Send again')
  await button.click()
  await expectToastFor(page, 'A new code is on its way.', 2000)
  await page.clock.runFor(61_000)
  await page.route('**/auth/v1/otp**', (route) => route.abort())
  await button.click()
  await expectToastFor(page, FAILURE, 4000)
})

test('a callback with an error shows it bottom-centre and leaves a usable page', {
  tag: ['@NAV-16'],
}, async ({ openAs, product }) => {
  const page = await openAs(null, '/#error=access_denied&error_description=Call+%2B1+555+0100')
  const toast = page.locator('[data-slot=toast]')
  await expect(toast).toHaveText(FAILURE)
  const box = await toast.boundingBox()
  const { width, height } = page.viewportSize() ?? { width: 0, height: 0 }
  // The middle of the page, beside which a scroll bar may stand.
  expect(Math.abs((box?.x ?? 0) + (box?.width ?? 0) / 2 - width / 2)).toBeLessThan(9)
  await expect
    .poll(async () => {
      const now = await toast.boundingBox()
      return height - (now?.y ?? 0) - (now?.height ?? 0)
    })
    .toBe(16)
  await expect(page).toHaveURL(`${product.url}/`)
  expect(await page.evaluate((key) => localStorage.getItem(key), AUTH_STORAGE_KEY)).toBeNull()
  await page.getByRole('link', { name: 'Login' }).click()
  await expect(page.getByRole('textbox', { name: 'E-mail' })).toBeVisible()

  // A crafted link with tokens in it signs nobody in.
  await page.goto('about:blank')
  const tokens = 'access_token=x&refresh_token=y&expires_in=3600&token_type=bearer'
  await page.goto(`${product.url}/#${tokens}`)
  await expect(toast).toHaveText('Not a valid PKCE flow url.')
  await expect(page.getByRole('link', { name: 'Get started' })).toBeVisible()
  await expect(page).toHaveURL(`${product.url}/`)
  expect(await page.evaluate((key) => localStorage.getItem(key), AUTH_STORAGE_KEY)).toBeNull()
})
