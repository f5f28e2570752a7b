import type { Page, Route } from '@playwright/test'
import { AUTH_STORAGE_KEY, THEME_STORAGE_KEY } from '../contract/src/settings.ts'
import { expect, type Person, test } from './fixtures.ts'
import { signInByCode } from './sign-in-by-code.ts'
import { expectToast, toastsOf } from './toasts.ts'
import { beforeExpiry, landing, NEUTRAL, stored, storedToken } from './visiting-steps.ts'

const FALLBACK = 'Something went wrong, please try again.'

/** Puts a person's session, and other things, into an otherwise empty browser. */
async function giveSession(page: Page, person: Person, others: Record<string, string> = {}): Promise<void> {
  await page.goto(new URL(NEUTRAL, page.url()).href)
  const entries = { [AUTH_STORAGE_KEY]: JSON.stringify(person.session), ...others }
  await page.evaluate((values) => {
    localStorage.clear()
    Object.assign(localStorage, values)
  }, entries)
}

const search = async (page: Page) => {
  await page.getByRole('searchbox').fill('somebody')
  await page.getByRole('button', { name: 'Search' }).click()
}
const checkPrice = async (page: Page) => {
  await page.getByRole('textbox', { name: 'Ticker' }).fill('AAPL')
  await page.getByRole('button', { name: 'Check Price' }).click()
}

/** A screen, the call that is refused there, and the action that leads to the call where opening the screen does not. */
const SCREENS: [path: string, call: string, act?: (page: Page) => Promise<void>][] = [
  ['/', '**/v1/positions'],
  ['/leaderboard', '**/v1/leaderboard'],
  ['/search', '**/v1/accounts/search?*', search],
  ['/trade', '**/v1/positions/preview', checkPrice],
  ['/trader/somebody', '**/v1/accounts/profile?*'],
  ['/account', '**/v1/**'],
]

for (const status of [401, 403]) {
  test(`a ${status} of the product API ends the session on every screen, and the theme stays`, {
    tag: ['@THEME-05', '@ROLE-09', '@ERR-01', '@ERR-02', '@ERR-03'],
  }, async ({ people, openAs, product }) => {
    const person = await people.join()
    const page = await openAs(null, NEUTRAL)
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    for (const [path, call, act] of SCREENS) {
      await giveSession(page, person, { probe: 'goes', [THEME_STORAGE_KEY]: 'light' })
      await page.route(call, (route) => route.fulfill({ status, json: { message: 'Please sign in again.' } }))
      await page.goto(product.url + path)
      await act?.(page)
      await expect(landing(page), path).toBeVisible()
      await expect(page).toHaveURL(`${product.url}/`)
      expect(await stored(page)).toEqual({ [THEME_STORAGE_KEY]: 'light' })
      await expect(page.locator('html')).toHaveClass('light')
      await page.unrouteAll()
    }
    // The session ends locally: no call to revoke it. The account page may have asked for its factors by then.
    expect(asked.filter((path) => path.startsWith('/auth/') && path !== '/auth/v1/user')).toEqual([])

    // It stays ended: no token is left in storage or in memory.
    asked.length = 0
    await page.getByRole('link', { name: 'Login' }).click()
    await expect(page.getByRole('textbox', { name: 'E-mail' })).toBeVisible()
    await page.reload()
    await page.goto(`${product.url}/account`)
    await expect(page).toHaveURL(`${product.url}/login`)
    await page.goto(`${product.url}/`)
    await expect(landing(page)).toBeVisible()
    expect(asked.filter((path) => path.startsWith('/v1/'))).toEqual([])
    // The page that was asked for last is remembered until somebody signs in (rule G-02).
    expect(await stored(page)).toEqual({
      [THEME_STORAGE_KEY]: 'light',
      'tradepost-wanted': expect.stringMatching(/^\d+ \/account$/),
    })
  })
}

test('every other error is shown on the screen and keeps the session', {
  tag: ['@ERR-04', '@ERR-05', '@ERR-06'],
}, async ({ people, openAs }) => {
  const page = await openAs(await people.join(), NEUTRAL)
  await page.evaluate(() => localStorage.setItem('probe', 'stays'))
  type Answer = NonNullable<Parameters<Route['fulfill']>[0]>
  const refused = (status: number): [string, Answer] => [
    `Refused with ${status}.`,
    { status, json: { message: `Refused with ${status}.` } },
  ]
  const answers: [string, Answer | null][] = [
    ...[400, 404, 409, 422, 429, 500, 503].map(refused),
    [FALLBACK, { status: 500, json: {} }],
    refused(418),
    [FALLBACK, { status: 502, contentType: 'text/html', body: '<html><h1>Bad gateway</h1></html>' }],
    refused(418),
    [FALLBACK, null],
  ]
  let answer = answers[0]?.[1] ?? null
  await page.route('**/v1/leaderboard', (route) => (answer ? route.fulfill(answer) : route.abort()))
  const alert = page.getByRole('main').getByRole('alert')
  for (const [index, [sentence, next]] of answers.entries()) {
    answer = next
    if (index === 0) await page.goto(new URL('/leaderboard', page.url()).href)
    else await alert.getByRole('button', { name: 'Try again' }).click()
    await expect(alert.getByText(sentence, { exact: true })).toBeVisible()
  }
  expect(await stored(page)).toMatchObject({ probe: 'stays', [AUTH_STORAGE_KEY]: expect.any(String) })
  await expect(page.getByRole('link', { name: 'Logout' })).toBeVisible()
  await page.unrouteAll()
  await alert.getByRole('button', { name: 'Try again' }).click()
  await expect(alert).toHaveCount(0)
})

test('every call carries credentials and the newest token, renewed 90 s before its end', {
  tag: ['@API-01', '@API-02', '@AUTH-17'],
}, async ({ people, openAs, product, setTime }) => {
  const person = await people.join()
  const page = await openAs(person, NEUTRAL)
  type Call = { path: string; credentials: string | null; authorization: string | null }
  const calls: Call[] = []
  await page.exposeFunction('noteCall', (call: Call) => calls.push(call))
  await page.addInitScript(() => {
    const send = window.fetch
    window.fetch = (input, init) => {
      const path = new URL(input instanceof Request ? input.url : input, location.href).pathname
      const authorization = new Headers(init?.headers).get('authorization')
      Reflect.get(window, 'noteCall')({ path, credentials: init?.credentials ?? null, authorization })
      return send(input, init)
    }
  })
  // One step after the other: a screen that is left too soon has asked for nothing yet.
  const expectCalls = async (...paths: string[]) => {
    for (const path of paths) {
      await expect.poll(() => calls.map((sent) => sent.path)).toContain(`/v1/${path}`)
    }
  }
  await page.goto(`${product.url}/trader/${person.username}/subscribe`)
  await expect(page.getByText('You cannot subscribe to your own account.')).toBeVisible()
  await page.getByRole('link', { name: 'Leaderboard' }).click()
  await expectCalls('leaderboard')
  await page.getByRole('link', { name: 'Account' }).click()
  await expectCalls('accounts/configuration', 'accounts/customer', 'accounts/stripe/status')
  await page.getByRole('link', { name: 'Home' }).click()
  await expectCalls('positions')
  await page.getByRole('button', { name: 'New Position' }).click()
  await checkPrice(page)
  await expectCalls('positions/preview')
  await page.getByRole('link', { name: 'Search' }).click()
  await search(page)
  await expectCalls('accounts/search')
  const first = `Bearer ${person.session.access_token}`
  for (const { path, ...how } of calls.filter((call) => call.path.startsWith('/v1/'))) {
    expect({ path, ...how }).toEqual({ path, credentials: 'include', authorization: first })
  }

  // Names that are alike are asked for a while after the search, and the best where none is, whenever that is; each page opens the
  // live feed again.
  const asides = ['/v1/accounts/suggestions', '/v1/leaderboard']
  const sent = () => calls.filter(({ path }) => !asides.includes(path) && !path.startsWith('/v1/feed'))
  const sentPaths = () => sent().map(({ path }) => path)
  // The page's clock stands still, or a machine that is slow between two steps would renew the token by itself.
  const stopAt = async (seconds: number) => {
    await setTime(beforeExpiry(person, seconds))
    await page.clock.setFixedTime(beforeExpiry(person, seconds))
  }
  // Between two ticks nothing but a call looks at the time.
  await page.reload()
  await expect(page.getByText("That user doesn't seem to exist...")).toBeVisible()
  await stopAt(96)
  calls.length = 0
  await search(page)
  await expect.poll(sentPaths).toEqual(['/v1/accounts/search'])
  expect(sent()[0]?.authorization).toBe(first)
  await stopAt(85)
  calls.length = 0
  await search(page)
  await expect.poll(sentPaths).toEqual(['/auth/v1/token', '/v1/accounts/search'])
  expect(sent()[1]?.authorization).toBe(`Bearer ${await storedToken(page)}`)
  expect(sent()[1]?.authorization).not.toBe(first)
})

const OTHERS_NOT_REACHED = 'Signed out here. Other devices could not be reached and may still be signed in.'

test('after any answer of the server to a sign-out, this browser is signed out, in all its tabs', {
  tag: ['@AUTH-27'],
}, async ({ people, openAs, product }) => {
  const person = await people.join()
  const page = await openAs(null, NEUTRAL)
  const other = await page.context().newPage()
  for (const status of [404, 401, 403, 500, null]) {
    await giveSession(page, person)
    await page.route('**/auth/v1/logout?*', (route) =>
      status === null ? route.abort() : route.fulfill({ status, json: { code: 'x', message: 'Refused' } }),
    )
    await page.goto(`${product.url}/search`)
    if (status === 404) {
      await other.goto(`${product.url}/account`)
      await expect(other.getByText(`Signed in as ${person.email}`)).toBeVisible()
    }
    await page.getByRole('link', { name: 'Logout' }).click()
    await expect(landing(page), String(status)).toBeVisible()
    await expect(page).toHaveURL(`${product.url}/`)
    expect(await stored(page)).toEqual({})
    // Where the server could not do it, other devices may still be signed in.
    const isSent = status === 500 || status === null
    if (isSent) await expectToast(page, OTHERS_NOT_REACHED)
    else expect(await toastsOf(page)).toEqual([])
    if (status === 404) {
      await expect(other).toHaveURL(`${product.url}/login`)
      await expect(other.getByText(person.email)).toHaveCount(0)
    }
    await page.unrouteAll()
  }
})

test('signing out everywhere ends every browser after a second thought, and shows when it could not', async ({
  people,
  openAs,
  product,
}) => {
  const person = await people.join()
  const elsewhere = await openAs({ ...person, session: await signInByCode(product, person.email) }, '/')
  await expect(elsewhere.getByRole('heading', { name: 'Positions' })).toBeVisible()
  const page = await openAs(person, '/account')
  const ask = page.getByRole('button', { name: 'Sign out everywhere' })
  const dialog = page.getByRole('dialog', { name: 'Sign out everywhere?' })
  await ask.click()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(ask).toBeFocused()
  await page.route('**/auth/v1/logout?*', (route) => route.fulfill({ status: 500, json: {} }))
  await page.keyboard.press('Enter')
  await dialog.getByRole('button', { name: 'Sign out' }).click()
  await expect(dialog.getByText(FALLBACK)).toBeVisible()
  expect(await storedToken(page)).toBe(person.session.access_token)
  await page.unrouteAll()
  const sent = page.waitForRequest('**/auth/v1/logout?*')
  await dialog.getByRole('button', { name: 'Sign out' }).click()
  expect(new URL((await sent).url()).searchParams.get('scope')).toBe('global')
  await expect(landing(page)).toBeVisible()
  await expect(page).toHaveURL(`${product.url}/`)
  expect(await stored(page)).toEqual({})
  await expect(landing(elsewhere)).toBeVisible()
})
