import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { AUTH_STORAGE_KEY } from '../contract/src/settings.ts'
import { authenticatorCode, wrongAuthenticatorCode } from '../server/test/authenticator.ts'
import { qrSquares } from '../server/test/qr-code.ts'
import {
  codeMails,
  giveAuthenticator,
  mailedCode,
  nextCode,
  proveMailbox,
  readMailedCode,
} from './authenticator-steps.ts'
import { codeIn, expect, type Person, test } from './fixtures.ts'
import { signInByCode } from './sign-in-by-code.ts'
import { askForCode, CONTINUE, FAILURE, hearEvents, linkIn, positions } from './sign-in-steps.ts'
import { beforeExpiry, landing, NEUTRAL, returnTo, stored, storedToken } from './visiting-steps.ts'

const SET_UP = { name: 'Set up two-step verification' }
const TOKEN = '**/auth/v1/token?*'

const codeField = (page: Page) => page.getByRole('textbox', { name: 'Code from the app' })
const secondStep = (page: Page) => page.getByRole('textbox', { name: 'Authenticator code' })
const isOn = (page: Page) => page.getByText('On. Signing in also takes a code from your authenticator app.')

/** Begins the set-up on the account page. @returns what the server told of it */
async function beginSetUp(page: Page): Promise<{ secret: string; uri: string }> {
  const enrolled = page.waitForResponse((answer) => answer.url().endsWith('/auth/v1/factors'))
  await page.getByRole('button', SET_UP).click()
  const { totp } = await (await enrolled).json()
  await expect(codeField(page)).toBeVisible()
  return totp
}

/** Whether the picture on the page shows these squares: each is looked at in its middle. */
async function showsSquares(page: Page, squares: boolean[][]): Promise<boolean> {
  return page.getByRole('img', { name: 'QR code' }).evaluate(async (image: HTMLImageElement, rows) => {
    await image.decode()
    const QUIET = 4
    const SCALE = 8
    const canvas = document.createElement('canvas')
    const width = (rows.length + 2 * QUIET) * SCALE
    canvas.width = canvas.height = width
    const context = canvas.getContext('2d')
    context?.drawImage(image, 0, 0, width, width)
    const seen = context?.getImageData(0, 0, width, width).data
    const at = (index: number) => (index + QUIET) * SCALE + SCALE / 2
    const isDark = (index: number, line: number) => (seen?.[4 * (at(line) * width + at(index))] ?? 255) < 128
    return rows.every((row, line) => row.every((dark, index) => isDark(index, line) === dark))
  }, squares)
}

test('two-step verification is set up with a picture that apps can read, after a wrong code and a reload; other devices are out', async ({
  people,
  openAs,
  product,
  mailbox,
}) => {
  const person = await people.join()
  const elsewhere = await openAs({ ...person, session: await signInByCode(product, person.email) }, '/')
  await expect(positions(elsewhere)).toBeVisible()
  const page = await openAs(person, '/account')
  const refused: string[] = []
  page.on(
    'console',
    (message) => message.text().includes('Content Security Policy') && refused.push(message.text()),
  )
  const other = await page.context().newPage()
  await other.goto(page.url())
  await expect(other.getByRole('button', SET_UP)).toBeVisible()
  const events = await hearEvents(other)

  const abandoned = await beginSetUp(page)
  expect(await showsSquares(page, qrSquares(abandoned.uri))).toBe(true)
  expect(refused).toEqual([])
  await expect(page.getByText(abandoned.secret.replace(/(.{4})(?=.)/g, '$1 '))).toBeVisible()
  const wrong = wrongAuthenticatorCode(abandoned.secret, product.now())
  await codeField(page).fill(wrong)
  await page.getByRole('button', { name: 'Confirm' }).click()
  await expect(page.getByText('That code is not right. Type the one that your app shows now.')).toBeVisible()
  await expect(codeField(page)).toHaveValue(wrong)
  await expect(codeField(page)).toBeFocused()

  await page.reload()
  await expect(page.getByText('A set-up was begun and not finished.')).toBeVisible()
  const { secret } = await beginSetUp(page)
  expect(secret).not.toBe(abandoned.secret)
  expect(await showsSquares(page, qrSquares(abandoned.uri))).toBe(false)
  const code = authenticatorCode(secret, product.now())
  await codeField(page).fill(` ${code.slice(0, 3)} ${code.slice(3)}`)
  await page.keyboard.press('Enter')
  await expect(isOn(page)).toBeFocused()
  await expect(page.getByText('Authenticator app, since Nov 18, 2026')).toBeVisible()
  const told = await mailbox.latest(person.email, 'Two-step verification was turned on')
  expect(told.text).toContain('Network: local')
  expect(told.text).toContain(`${product.url}/account#profile`)
  expect(told.text + told.html).not.toContain(secret)
  await expect(isOn(other)).toBeVisible()
  // A load tells of the session that it found; the rest is news.
  const news = () => events.filter((event) => event !== 'SIGNED_IN')
  await expect.poll(news).toEqual(['MFA_CHALLENGE_VERIFIED'])
  expect(await storedToken(page)).not.toBe(person.session.access_token)

  // Whatever was signed in without the second step is signed out, this browser is not.
  await elsewhere.getByRole('link', { name: 'Leaderboard' }).click()
  await expect(landing(elsewhere)).toBeVisible()
  await other.getByRole('link', { name: 'Leaderboard' }).click()
  await expect(other.getByRole('heading', { name: 'Leaderboard' })).toBeVisible()
  await expect(other.getByRole('main').getByRole('alert')).toHaveCount(0)
})

test('two-step verification is removed after a second thought, with the session renewed, and both changes are mailed', {
  tag: ['@AUTH-29'],
}, async ({ people, openAs, product, mailbox }) => {
  const person = await people.join()
  const { session } = await giveAuthenticator(product, person)
  const page = await openAs({ ...person, session }, '/account')
  const other = await page.context().newPage()
  await other.goto(page.url())
  await expect(isOn(other)).toBeVisible()
  const events = await hearEvents(other)
  await page.getByRole('button', { name: 'Remove' }).click()
  const dialog = page.getByRole('dialog', { name: 'Remove two-step verification?' })
  await expect(dialog).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  await expect(page.getByRole('button', { name: 'Remove' })).toBeFocused()
  await page.keyboard.press('Enter')
  await dialog.getByRole('button', { name: 'Remove' }).click()
  await expect(page.getByRole('button', SET_UP)).toBeFocused()
  await expect(other.getByRole('button', SET_UP)).toBeVisible()
  await expect.poll(() => events).toEqual(['TOKEN_REFRESHED'])
  await mailbox.latest(person.email, 'Two-step verification was turned on')
  await mailbox.latest(person.email, 'Two-step verification was turned off')
  const { user } = JSON.parse((await stored(page))[AUTH_STORAGE_KEY] ?? '{}')
  expect(user.factors).toEqual([])
  await page.reload()
  await expect(page.getByText(/^Off\./)).toBeVisible()
})

test('after the code the app asks for the second one, and until then it counts as signed out', async ({
  people,
  openAs,
  product,
  setTime,
  mailbox,
}) => {
  const person = await people.join()
  const { secret } = await giveAuthenticator(product, person)
  const page = await openAs(null, NEUTRAL)
  const listener = await page.context().newPage()
  await listener.goto(page.url())
  const events = await hearEvents(listener)
  const called: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.startsWith('/v1/')) called.push(pathname)
  })
  await page.goto(`${product.url}/login`)
  await askForCode(page, person.email)
  await expect.poll(async () => (await mailbox.all(person.email)).length).toBe(3)
  await page.getByRole('textbox', { name: 'Code' }).fill(codeIn(await mailbox.latest(person.email)))
  await page.keyboard.press('Enter')
  await expect(secondStep(page)).toBeFocused()
  await expect(page.getByText(person.email)).toBeVisible()

  await page.goto(`${product.url}/account`)
  await expect(secondStep(page)).toBeVisible()
  await expect(page).toHaveURL(`${product.url}/login`)
  await page.goto(`${product.url}/`)
  await expect(landing(page)).toBeVisible()
  await page.getByRole('link', { name: 'Login' }).click()
  await page.reload()
  await secondStep(page).fill(wrongAuthenticatorCode(secret, product.now()))
  await page.getByRole('button', CONTINUE).click()
  await expect(page.getByText(FAILURE, { exact: true })).toBeVisible()
  await expect(secondStep(page)).toBeFocused()
  expect(called).toEqual([])

  await secondStep(page).fill(await nextCode(product, setTime, secret))
  await page.getByRole('button', CONTINUE).click()
  await expect(positions(page)).toBeVisible()
  await expect(page).toHaveURL(`${product.url}/`)
  await expect.poll(() => events.filter((event) => event !== 'SIGNED_IN')).toEqual(['MFA_CHALLENGE_VERIFIED'])
  expect(events[0]).toBe('SIGNED_IN')
  await page.reload()
  await expect(positions(page)).toBeVisible()
})

test('after the link too the second code is due, and a different e-mail ends this session and no other', {
  tag: ['@phone'],
}, async ({ people, openAs, product, mailbox, setTime }) => {
  const person = await people.join()
  const { secret, session } = await giveAuthenticator(product, person)
  await askForCode(await openAs(null, '/login'), person.email)
  await expect.poll(async () => (await mailbox.all(person.email)).length).toBe(3)
  const link = linkIn(await mailbox.latest(person.email))
  const page = await openAs(null, link.slice(product.url.length))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(secondStep(page)).toBeVisible()
  await expect(page).toHaveURL(`${product.url}/login`)
  const ended = page.waitForResponse('**/auth/v1/logout?scope=local')
  await page.getByRole('button', { name: 'Use a different e-mail' }).click()
  await expect(page.getByRole('textbox', { name: 'E-mail' })).toBeFocused()
  expect(await stored(page)).toEqual({})
  expect((await ended).status()).toBe(204)

  const own = await openAs({ ...person, session }, '/')
  await expect(positions(own)).toBeVisible()

  // And in: two tabs wait, one is given the code.
  await askForCode(page, person.email)
  await expect.poll(async () => (await mailbox.all(person.email)).length).toBe(4)
  const tab = await page.context().newPage()
  await tab.goto(linkIn(await mailbox.latest(person.email)))
  await expect(secondStep(tab)).toBeVisible()
  await expect(secondStep(page)).toBeVisible()
  await secondStep(page).fill(await nextCode(product, setTime, secret))
  await page.getByRole('button', CONTINUE).click()
  await expect(positions(page)).toBeVisible()
  await expect(positions(tab)).toBeVisible()
})

test('a session that the product API refuses for its second step ends once, and asks nobody again', async ({
  people,
  openAs,
  product,
}) => {
  const person = await people.join()
  await giveAuthenticator(product, person)
  const session = await signInByCode(product, person.email)
  // A browser that has not heard of the second step.
  const unaware: Person = { ...person, session: { ...session, user: { ...session.user, factors: [] } } }
  const page = await openAs(unaware, NEUTRAL)
  const asked: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.startsWith('/v1/')) asked.push(pathname)
  })
  const refused = page.waitForResponse('**/v1/**')
  await page.goto(`${product.url}/`)
  expect((await (await refused).json()).code).toBe('second_factor_required')
  await expect(landing(page)).toBeVisible()
  expect(await stored(page)).toEqual({})
  expect(asked).toHaveLength(new Set(asked).size)
  asked.length = 0
  await page.reload()
  await expect(landing(page)).toBeVisible()
  expect(asked).toEqual([])
})

test('a tab whose refresh is overtaken by the confirmation of another stays signed in', async ({
  people,
  openAs,
  product,
  setTime,
}) => {
  const person = await people.join()
  const page = await openAs(person, '/account')
  const { secret } = await beginSetUp(page)
  const other = await page.context().newPage()
  await other.goto(`${product.url}/leaderboard`)
  await expect(other.getByRole('heading', { name: 'Leaderboard' })).toBeVisible()
  let release = () => {}
  const confirmed = new Promise<void>((resolve) => {
    release = resolve
  })
  await other.route(TOKEN, async (route) => {
    await confirmed
    await route.continue()
  })
  // Near enough to the end for a tick of the client, too far for a call to look.
  await setTime(beforeExpiry(person, 119))
  const asked = other.waitForRequest(TOKEN)
  await returnTo(other)
  await asked
  await codeField(page).fill(authenticatorCode(secret, product.now()))
  await page.keyboard.press('Enter')
  // The sign-in has grown old meanwhile.
  await proveMailbox(product, page, person)
  await expect(codeField(page)).toBeFocused()
  await codeField(page).fill(authenticatorCode(secret, product.now()))
  await page.keyboard.press('Enter')
  await expect(isOn(page)).toBeVisible()
  const newest = await storedToken(page)
  const refused = other.waitForResponse(TOKEN)
  release()
  expect([(await refused).status(), (await (await refused).json()).code]).toEqual([
    400,
    'refresh_token_already_used',
  ])
  await other.getByRole('link', { name: 'Account' }).click()
  await expect(isOn(other)).toBeVisible()
  expect(await storedToken(other)).toBe(newest)
})

test('a person who signed in a while ago enters a mailed code before two-step verification is turned on, and again before it is turned off', {
  tag: ['@phone'],
}, async ({ people, openAs, product, setTime }) => {
  const person = await people.join()
  const page = await openAs(person, '/account')
  await expect(page.getByRole('button', SET_UP)).toBeVisible()
  const later = async () => setTime(new Date(product.now().getTime() + 6 * 60_000))
  await later()
  await page.getByRole('button', SET_UP).click()
  await expect(page.getByText('You signed in a while ago, so we sent a code to your e-mail.')).toBeVisible()
  await expect(page.getByRole('img', { name: 'QR code' })).toHaveCount(0)
  const code = await readMailedCode(product, person)
  await mailedCode(page).fill(code === '000000' ? '000001' : '000000')
  await page.keyboard.press('Enter')
  await expect(page.getByText('That code is not right, or it has expired.')).toBeVisible()
  await expect(mailedCode(page)).toBeFocused()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByRole('button', SET_UP)).toBeFocused()

  // A new mail ends the code before; this journey reads the one that comes last.
  const mails = async () => (await codeMails(product, person)).length
  const before = await mails()
  await page.keyboard.press('Enter')
  await expect.poll(mails).toBe(before + 1)
  await mailedCode(page).fill(await readMailedCode(product, person))
  const enrolled = page.waitForResponse((answer) => answer.url().endsWith('/auth/v1/factors'))
  await page.keyboard.press('Enter')
  const { totp } = await (await enrolled).json()
  await codeField(page).fill(authenticatorCode(totp.secret, product.now()))
  await page.keyboard.press('Enter')
  await expect(isOn(page)).toBeVisible()

  await later()
  const sent = await mails()
  await page.getByRole('button', { name: 'Remove' }).click()
  const dialog = page.getByRole('dialog', { name: 'Remove two-step verification?' })
  await dialog.getByRole('button', { name: 'Remove' }).click()
  await expect(mailedCode(page)).toBeFocused()
  await expect.poll(mails).toBe(sent + 1)
  await proveMailbox(product, page, person)
  await expect(dialog).toBeHidden()
  await expect(page.getByRole('button', SET_UP)).toBeFocused()
})

test('the set-up shows ten codes once and downloads them; one of them signs in where the app is lost, and Account says how many are left', {
  tag: ['@phone'],
}, async ({ people, openAs, product, mailbox }) => {
  const person = await people.join()
  const page = await openAs(person, '/account')
  const { secret } = await beginSetUp(page)
  await codeField(page).fill(authenticatorCode(secret, product.now()))
  await page.keyboard.press('Enter')
  const shown = page.getByRole('region', { name: 'Your recovery codes' })
  await expect(shown.getByRole('listitem')).toHaveCount(10)
  const codes = await shown.getByRole('listitem').allInnerTexts()
  const downloading = page.waitForEvent('download')
  await shown.getByRole('button', { name: 'Download' }).click()
  const file = await downloading
  expect(file.suggestedFilename()).toBe('tradepost-recovery-codes.txt')
  const text = await readFile(await file.path(), 'utf8')
  expect(text.split('\n').filter((line) => /^[0-9A-Z]{5}-[0-9A-Z]{5}$/.test(line))).toEqual(codes)
  await shown.getByRole('button', { name: 'I have saved them' }).click()
  await expect(page.getByText('10 recovery codes left')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Make new codes' })).toBeFocused()
  await page.reload()
  await expect(page.getByText('10 recovery codes left')).toBeVisible()
  await mailbox.latest(person.email, 'Two-step verification was turned on')

  const elsewhere = await openAs(null, '/login')
  const before = (await mailbox.all(person.email)).length
  await askForCode(elsewhere, person.email)
  await expect.poll(async () => (await mailbox.all(person.email)).length).toBe(before + 1)
  await elsewhere.getByRole('textbox', { name: 'Code' }).fill(codeIn(await mailbox.latest(person.email)))
  await elsewhere.keyboard.press('Enter')
  await expect(secondStep(elsewhere)).toBeFocused()
  await elsewhere.getByRole('button', { name: 'Use a recovery code' }).click()
  const recovery = elsewhere.getByRole('textbox', { name: 'Recovery code' })
  await expect(recovery).toBeFocused()
  await recovery.fill('ZZZZZ-ZZZZZ')
  await elsewhere.keyboard.press('Enter')
  await expect(elsewhere.getByText(FAILURE, { exact: true })).toBeVisible()
  await recovery.fill(codes[3]?.toLowerCase() ?? '')
  await elsewhere.keyboard.press('Enter')
  await expect(positions(elsewhere)).toBeVisible()
  const told = await mailbox.latest(person.email, 'A recovery code was used to sign in')
  expect(told.text).toContain('Recovery codes left: 9')
  await elsewhere.goto(`${product.url}/account`)
  await expect(elsewhere.getByText('9 recovery codes left')).toBeVisible()
})

test('the link of the mail undoes what somebody else set up, with a mailed code, without being signed in', {
  tag: ['@phone'],
}, async ({ people, openAs, product, mailbox }) => {
  const person = await people.join()
  const { session } = await giveAuthenticator(product, person)
  const thief = await openAs({ ...person, session }, '/')
  await expect(positions(thief)).toBeVisible()
  const told = await mailbox.latest(person.email, 'Two-step verification was turned on')
  const link = /https?:\/\/\S+\/mail\/second-step\/\S+/.exec(told.text)?.[0] ?? ''
  const owner = await openAs(null, link.slice(product.url.length))
  await expect(
    owner.getByRole('heading', { name: 'Remove the authenticator app that was added?' }),
  ).toBeVisible()
  await owner.getByRole('button', { name: 'Send me a code' }).click()
  await expect(owner.getByText('We sent a code to your e-mail.')).toBeVisible()
  let code = ''
  await expect
    .poll(async () => {
      const mail = (await mailbox.all(person.email)).find(({ subject }) =>
        subject.includes('undoes a change'),
      )
      code = mail ? codeIn(mail) : ''
      return code
    })
    .toMatch(/^\d{6}$/)
  const field = owner.getByRole('textbox', { name: 'Code from your e-mail' })
  await field.fill(code === '000000' ? '000001' : '000000')
  await owner.keyboard.press('Enter')
  await expect(owner.getByText('That code is not right, or it has expired.')).toBeVisible()
  await field.fill(code)
  await owner.getByRole('button', { name: 'Undo the change' }).click()
  await expect(owner.getByRole('heading', { name: 'The authenticator app has been removed' })).toBeVisible()
  await mailbox.latest(person.email, 'Two-step verification was turned off')

  await thief.reload()
  await expect(landing(thief)).toBeVisible()
  await owner.getByRole('link', { name: 'Sign in again' }).click()
  const before = (await mailbox.all(person.email)).length
  await askForCode(owner, person.email)
  await expect.poll(async () => (await mailbox.all(person.email)).length).toBe(before + 1)
  await owner.getByRole('textbox', { name: 'Code' }).fill(codeIn(await mailbox.latest(person.email)))
  await owner.keyboard.press('Enter')
  await expect(positions(owner)).toBeVisible()
})
