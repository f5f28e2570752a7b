import type { Page } from '@playwright/test'
import { AUTH_STORAGE_KEY } from '../contract/src/settings.ts'
import { authenticatorCode, wrongAuthenticatorCode } from '../server/test/sign-in/authenticator.ts'
import { qrSquares } from '../server/test/sign-in/qr-code.ts'
import {
  beginSetUp,
  codeField,
  codeMails,
  giveAuthenticator,
  isOn,
  mailedCode,
  proveMailbox,
  readMailedCode,
  SET_UP,
} from './authenticator-steps.ts'
import { expect, test } from './fixtures.ts'
import { signInByCode } from './sign-in-by-code.ts'
import { positions, recordEvents } from './sign-in-steps.ts'
import { beforeExpiry, keepFeedAway, landing, returnTo, stored, storedToken } from './visiting-steps.ts'

const TOKEN = '**/auth/v1/token?*'

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
  const events = await recordEvents(other)

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
  const notice = await mailbox.latest(person.email, 'Two-step verification was turned on')
  expect(notice.text).toContain('Network: local')
  expect(notice.text).toContain(`${product.url}/account#profile`)
  expect(notice.text + notice.html).not.toContain(secret)
  await expect(isOn(other)).toBeVisible()
  // A load sends an event of the session that it found; the rest is news.
  const news = () => events.filter((event) => event !== 'SIGNED_IN')
  await expect.poll(news).toEqual(['MFA_CHALLENGE_VERIFIED'])
  expect(await storedToken(page)).not.toBe(person.session.access_token)

  // Every session without the second step is signed out, this browser is not.
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
  const events = await recordEvents(other)
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

test('a call that was on its way while two-step verification was turned on is made again, and its person stays signed in', async ({
  people,
  follow,
  publish,
  openAs,
  product,
}) => {
  const [trader, person] = [await people.join(), await people.join()]
  await follow(person, trader)
  const page = await openAs(person, '/account')
  // The call is held for as long as the rest takes here, which a page gives up after 15 s.
  await page.evaluate(() => {
    AbortSignal.timeout = () => new AbortController().signal
  })
  const { secret } = await beginSetUp(page)
  const turnedOn = Promise.withResolvers<void>()
  const UNREAD = '**/v1/activity/unread'
  await page.route(UNREAD, async (route) => {
    await turnedOn.promise
    await route.continue()
  })
  const asked = page.waitForRequest(UNREAD)
  await publish(trader, 'AAPL', 100)
  await asked
  // A feed that is opened with the newer token would ask once more, and cancel the held call.
  await keepFeedAway(page)
  const statuses: number[] = []
  page.on('response', (answer) => {
    if (answer.url().endsWith('/v1/activity/unread')) statuses.push(answer.status())
  })
  await codeField(page).fill(authenticatorCode(secret, product.now()))
  await page.keyboard.press('Enter')
  await expect(isOn(page)).toBeVisible()
  turnedOn.resolve()
  await expect.poll(() => statuses.slice(0, 2)).toEqual([401, 200])
  await expect(page.getByRole('link', { name: 'Activity 1 unread' })).toBeVisible()
  await expect(isOn(page)).toBeVisible()
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
  // The window stays while the removal is on its way, whatever is pressed.
  const { promise: pressed, resolve: sendAnswers } = Promise.withResolvers<void>()
  await page.route('**/auth/v1/factors/*', async (route) => {
    await pressed
    await route.continue()
  })
  const asked = page.waitForRequest((request) => request.method() === 'DELETE')
  await proveMailbox(product, page, person)
  await asked
  await page.keyboard.press('Escape')
  await dialog.getByRole('button', { name: 'Close window' }).click()
  await expect(dialog).toBeVisible()
  sendAnswers()
  await expect(dialog).toBeHidden()
  await expect(page.getByRole('button', SET_UP)).toBeFocused()
})
