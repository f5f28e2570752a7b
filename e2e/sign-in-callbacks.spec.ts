import type { Page } from '@playwright/test'
import { AUTH_STORAGE_KEY } from '../contract/src/settings.ts'
import { expect, test } from './fixtures.ts'
import {
  askForCode,
  DEAD_LINK,
  FAILURE,
  linkIn,
  newAddress,
  positions,
  tokenHashIn,
} from './sign-in-steps.ts'
import { toastsOf } from './toasts.ts'
import { landing, NEUTRAL, stored } from './visiting-steps.ts'

const CODE_TRADE = '**/auth/v1/token?grant_type=pkce'
const OTHER_BROWSER = 'This link works only in the browser that asked for it.'

/** Opens an address as a link from another site does: the document is loaded again. */
async function follow(page: Page, url: string): Promise<void> {
  const { href } = new URL(url, page.url())
  await page.goto('about:blank')
  await page.goto(href)
}

/** The toasts of the page since it was loaded: this, and nothing else. */
async function expectToast(page: Page, sentence: string, where = ''): Promise<void> {
  await expect.poll(() => toastsOf(page), where).toEqual([sentence])
}

/** Follows a link of the sign-in wire, which redirects; ours go to the app instead. */
function redirecting(tokenHash: string, type = 'magiclink'): string {
  return `/auth/v1/verify?token=${tokenHash}&type=${type}`
}

test('every broken callback leads to a usable page with a sentence, and leaves a clean address', {
  tag: ['@AUTH-15'],
}, async ({ openAs, product }) => {
  const page = await openAs(null, NEUTRAL)
  const dead = 'Email link is invalid or has expired'
  const rows: [url: string, sentence: string, path: string][] = [
    ['/#error=access_denied', 'Error in URL with unspecified error_description', '/'],
    ['/?error=server_error&tab=all', 'Error in URL with unspecified error_description', '/?tab=all'],
    ['/#access_token=only', 'Not a valid PKCE flow url.', '/'],
    ['/?code=0b0c5f4e-5d1a-4c53-8d3a-4a5d4f3f8a11', OTHER_BROWSER, '/'],
    [
      '/login?error=access_denied&error_description=Email+link+is+invalid+or+has+expired&error_code=otp_expired',
      dead,
      '/login',
    ],
    ['/account#error=access_denied&error_description=User+is+banned', 'User is banned', '/login'],
    ['/#error=x&error_description=Call+%2B1+555+0100+to+keep+your+account', FAILURE, '/'],
    [redirecting('never-mailed'), dead, '/'],
    [redirecting('pkce_never-mailed'), dead, '/'],
    [
      `${redirecting('never-mailed')}&redirect_to=${encodeURIComponent(`${product.url}/login`)}`,
      dead,
      '/login',
    ],
    [`${redirecting('never-mailed')}&redirect_to=https%3A%2F%2Felsewhere.example%2Fsteal`, dead, '/'],
  ]
  for (const [url, sentence, path] of rows) {
    await follow(page, url)
    await expectToast(page, sentence, url)
    await expect(page, url).toHaveURL(product.url + path)
    if (path === '/login') {
      await expect(page.getByRole('textbox', { name: 'E-mail' })).toBeEditable()
    } else {
      await expect(landing(page)).toBeVisible()
    }
    // A guarded page that somebody asks for is remembered (rule G-02).
    const { 'tradepost-wanted': _, ...others } = await stored(page)
    expect(others, url).toEqual({})
  }
  await page.getByRole('link', { name: 'Login' }).click()
  await expect(page.getByRole('textbox', { name: 'E-mail' })).toBeEditable()
})

test('a broken link signs nobody out', async ({ people, openAs, product }) => {
  const page = await openAs(await people.join(), '/leaderboard')
  const rows = [
    ['/leaderboard#error=access_denied&error_description=Call+us', FAILURE],
    [redirecting('never-mailed'), 'Email link is invalid or has expired'],
  ] as const
  for (const [url, sentence] of rows) {
    await follow(page, url)
    await expectToast(page, sentence)
    await expect(page.getByRole('link', { name: 'Logout' })).toBeVisible()
    expect(new URL(page.url()).hash).toBe('')
  }
  await expect(page).toHaveURL(`${product.url}/`)
  await expect(positions(page)).toBeVisible()
})

test('a redirecting link carries a code that is good once and in the browser that asked', async ({
  openAs,
  mailbox,
  product,
}) => {
  const email = newAddress()
  const page = await openAs(null, '/login')
  await askForCode(page, email)
  const mail = await mailbox.latest(email)
  const link = redirecting(tokenHashIn(mail))
  let address = ''
  page.on('request', (request) => {
    if (request.isNavigationRequest() && request.url().includes('?code=')) address = request.url()
  })
  await follow(page, link)
  await expect(positions(page)).toBeVisible()
  await expect(page).toHaveURL(`${product.url}/`)
  expect(await stored(page)).toHaveProperty(AUTH_STORAGE_KEY)
  expect(await toastsOf(page)).toEqual([])

  // The code, again and elsewhere; the link it came from; and the same mail's other link.
  await follow(page, address)
  await expectToast(page, OTHER_BROWSER)
  await expect(positions(page)).toBeVisible()
  const stranger = await openAs(null, NEUTRAL)
  await follow(stranger, address)
  await expectToast(stranger, OTHER_BROWSER)
  await follow(stranger, link)
  await expectToast(stranger, 'Email link is invalid or has expired')
  await follow(stranger, linkIn(mail))
  await expect(stranger.getByText(DEAD_LINK, { exact: true })).toBeVisible()
})

test('a code that cannot be traded has the one sentence, and the next sign-in works', async ({
  openAs,
  mailbox,
  product,
}) => {
  const page = await openAs(null, NEUTRAL)
  for (const answer of [
    { status: 500, json: {} },
    null,
    { status: 404, json: { code: 'flow_state_not_found' } },
  ]) {
    await page.route(CODE_TRADE, (route) => (answer ? route.fulfill(answer) : route.abort()))
    // The client stores this when it asks for a mail, so that it takes the code for its own.
    const verifier = [`${AUTH_STORAGE_KEY}-code-verifier`, JSON.stringify('v'.repeat(56))] as const
    await page.evaluate(([key, value]) => localStorage.setItem(key, value), verifier)
    await follow(page, '/?code=0b0c5f4e-5d1a-4c53-8d3a-4a5d4f3f8a11')
    await expectToast(page, FAILURE)
    await expect(landing(page)).toBeVisible()
    await expect(page).toHaveURL(`${product.url}/`)
    await page.unrouteAll()
  }
  const email = newAddress()
  await page.getByRole('link', { name: 'Login' }).click()
  await askForCode(page, email)
  await follow(page, linkIn(await mailbox.latest(email)))
  await expect(positions(page)).toBeVisible()
})

test('a recovery mail that another client asked for signs in as well', async ({
  people,
  openAs,
  mailbox,
  product,
}) => {
  const { email } = await people.join()
  const ask = (address: string) =>
    fetch(`${product.url}/auth/v1/recover`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: address }),
    }).then(async (answer) => [answer.status, await answer.text()])
  expect(await ask(email)).toEqual([200, '{}'])
  expect(await ask(newAddress())).toEqual([200, '{}'])
  await expect.poll(async () => (await mailbox.all(email)).length).toBe(2)
  const link = linkIn(await mailbox.latest(email))
  expect(link).toContain('type=recovery')
  const page = await openAs(null, link.slice(product.url.length))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(positions(page)).toBeVisible()
})
