import type { Page } from '@playwright/test'
import { AUTH_STORAGE_KEY } from '../contract/src/settings.ts'
import { type WebRoute, webRoutes } from '../contract/src/web-routes.ts'
import { expect, type Person, test } from './fixtures.ts'
import { landing, NEUTRAL } from './visiting-steps.ts'

const GUARDED = [
  '/leaderboard',
  '/search',
  '/trade',
  '/trader/maria',
  '/trader/maria/subscribe',
  '/payment/success',
  '/payment/success?trader=maria',
  '/account',
]

function withExpiredToken(person: Person): Person {
  const expires_at = (person.session.expires_at ?? 0) - 7200
  return { ...person, session: { ...person.session, expires_at } }
}

/** Notes on each following document when something was painted for the first time. */
async function watchPaints(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const note = (entry: PerformanceEntry) =>
      document.documentElement.setAttribute('data-painted', entry.name)
    new PerformanceObserver((list) => list.getEntriesByName('first-contentful-paint').forEach(note)).observe({
      type: 'paint',
      buffered: true,
    })
  })
}

function hasPainted(page: Page): Promise<boolean> {
  return page.evaluate(() => document.documentElement.hasAttribute('data-painted'))
}

test('a visitor has the landing page and two ways to /login', {
  tag: ['@NAV-02', '@NAV-03', '@NAV-04', '@NAV-28'],
}, async ({ openAs }) => {
  const page = await openAs(null, '/')
  await expect(landing(page)).toBeVisible()
  for (const name of ['Login', 'Get started']) {
    await page.getByRole('link', { name, exact: true }).click()
    await expect(page).toHaveURL(/\/login$/)
    await expect(page.getByRole('textbox', { name: 'E-mail' })).toBeVisible()
    await expect(page.getByRole('navigation')).toHaveCount(0)
    await expect(page.getByRole('link', { name: 'Logout' })).toHaveCount(0)
    await page.goBack()
    await expect(landing(page)).toBeVisible()
  }
  await expect(page.getByRole('navigation')).toHaveCount(0)
  const words = page.locator('[data-slot=wordmark] > span > span')
  await expect(words).toHaveText(['Trade', 'post'])
  await expect(words.nth(0)).toHaveCSS('font-weight', '700')
  await expect(words.nth(1)).toHaveCSS('font-weight', '300')
})

test('every other page leads a visitor to /login, and opens to a person who is signed in', {
  tag: ['@NAV-06', '@NAV-07', '@NAV-08', '@NAV-09', '@NAV-10', '@NAV-11', '@NAV-12', '@NAV-13', '@ROLE-01'],
}, async ({ people, openAs, product }) => {
  const page = await openAs(null, '/')
  await page.addInitScript(() => sessionStorage.setItem('entries', String(history.length)))
  for (const path of GUARDED) {
    await page.goto(product.url + path)
    await expect(page).toHaveURL(`${product.url}/login`)
    await expect(page.getByRole('heading', { name: 'Log in or sign up' })).toBeVisible()
    const [before, now] = await page.evaluate(() => [sessionStorage.getItem('entries'), history.length])
    expect(now, `${path} replaces history`).toBe(Number(before))
  }
  for (const _ of GUARDED.slice(1)) await page.goBack()
  await page.goBack()
  await expect(landing(page)).toBeVisible()
  expect(new URL(page.url()).pathname).toBe('/')

  const reader = await openAs(await people.join(), '/')
  for (const path of GUARDED) {
    await reader.goto(product.url + path)
    await expect(reader.getByRole('navigation', { name: 'Main' })).toBeVisible()
    await expect(reader).toHaveURL(product.url + path)
  }
})

test('a person who is signed in reaches every page, and / is the Positions page', {
  tag: ['@NAV-01', '@ROLE-02'],
}, async ({ people, openAs, product }) => {
  const person = await people.join()
  const { username } = person
  const page = await openAs(person, '/login')
  await expect(page.getByRole('heading', { name: 'Positions' })).toBeVisible()
  await expect(page).toHaveURL(`${product.url}/`)
  await expect(page.getByRole('tab', { name: 'All' })).toBeVisible()
  const headings = {
    '/leaderboard': 'Leaderboard',
    '/search': 'Search',
    '/trade': 'New position',
    [`/trader/${username}`]: username,
    [`/trader/${username}/subscribe`]: `Subscribe to @${username}`,
    '/payment/success': 'Success! Your subscription is complete.',
    [`/payment/success?trader=${username}`]: 'Success! Your subscription is complete.',
    '/account': 'Account',
  }
  for (const [path, name] of Object.entries(headings)) {
    await page.goto(product.url + path)
    await expect(page.getByRole('heading', { level: 1, name, exact: true })).toBeVisible()
    await expect(page).toHaveURL(product.url + path)
    await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible()
  }
})

test('a wrong address or method of the API is answered in JSON, to a browser too', async ({ product }) => {
  for (const [method, path, status] of [
    ['GET', '/v1', 404],
    ['GET', '/v1/nothing', 404],
    ['GET', '/v1%2Fnothing', 404],
    ['GET', '/v1/%zz', 404],
    ['GET', `/v1/${'x'.repeat(600)}`, 404],
    ['GET', '/v1/positions/open', 405],
    ['GET', '/auth', 404],
    ['GET', '/auth/v1', 404],
    ['GET', '/auth/v1/%zz', 404],
    ['GET', '/auth/v1/otp', 405],
    ['POST', '/leaderboard', 405],
    ['OPTIONS', '/v1/positions', 405],
  ] as const) {
    const answer = await fetch(product.url + path, { method, headers: { accept: 'text/html' } })
    expect(answer.status, path).toBe(status)
    expect(answer.headers.get('content-type'), path).toBe('application/json; charset=utf-8')
    expect(answer.headers.get('cache-control'), path).toBe('no-store')
    expect(answer.headers.has('allow'), path).toBe(status === 405)
    expect(await answer.json(), path).toMatchObject({ code: expect.anything() })
  }
})

test('an unknown address is named as such, inside the shell, and leads home', { tag: ['@NAV-29'] }, async ({
  people,
  openAs,
  product,
}) => {
  const page = await openAs(await people.join(), '/')
  const answer = await page.goto(`${product.url}/no/such/place`)
  expect(answer?.status()).toBe(404)
  await expect(page.getByRole('heading', { name: 'There is nothing here' })).toBeVisible()
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible()
  await page.getByRole('link', { name: 'Go to the home page' }).click()
  await expect(page).toHaveURL(`${product.url}/`)

  const visitor = await openAs(null, '/no/such/place')
  await expect(visitor.getByRole('heading', { name: 'There is nothing here' })).toBeVisible()
  await visitor.getByRole('link', { name: 'Go to the home page' }).click()
  await expect(landing(visitor)).toBeVisible()
})

test('every route of the table is a page of the server and of the browser, for a visitor and for somebody signed in', async ({
  people,
  openAs,
  product,
}) => {
  const person = await people.join()
  const signedIn = await openAs(person, NEUTRAL)
  const visitor = await openAs(null, NEUTRAL)
  const tables: [Page, 'signedIn' | 'visitor', string][] = [
    [signedIn, 'signedIn', '/'],
    [visitor, 'visitor', '/login'],
  ]
  for (const route of Object.values<WebRoute>(webRoutes)) {
    const path = route.path.replace(':username', person.username)
    for (const [page, who, elsewhere] of tables) {
      const answer = await page.goto(product.url + path)
      expect(answer?.status(), path).toBe(200)
      const shown = 'leadsTo' in route ? undefined : route[who]
      if (shown)
        await expect(page).toHaveTitle(
          shown.title === ''
            ? /^Tradepost/
            : `${shown.title.replace(':username', person.username)} · Tradepost`,
        )
      else if ('leadsTo' in route && who === 'signedIn')
        await expect(page).toHaveURL(product.url + route.leadsTo)
      else await expect(page).toHaveURL(product.url + elsewhere)
    }
  }
})

test('nothing is shown until the stored session has been checked', { tag: ['@NAV-14'] }, async ({
  people,
  openAs,
  product,
}) => {
  const page = await openAs(withExpiredToken(await people.join()), NEUTRAL)
  await watchPaints(page)
  const asked = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<void>()
  await page.route('**/auth/v1/token?*', async (route) => {
    asked.resolve()
    await answer.promise
    await route.continue()
  })
  await page.goto(`${product.url}/`)
  await asked.promise
  await expect(page.locator('#root')).toBeEmpty()
  await expect(page.locator('body')).toHaveText('', { useInnerText: true })
  expect(await hasPainted(page)).toBe(false)
  answer.resolve()
  await expect(page.getByRole('heading', { name: 'Positions' })).toBeVisible()
  await expect.poll(() => hasPainted(page)).toBe(true)
})

test('a dead stored session shows nothing either, then the landing page', async ({
  people,
  openAs,
  product,
}) => {
  const page = await openAs(withExpiredToken(await people.join()), NEUTRAL)
  await watchPaints(page)
  const asked = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<void>()
  await page.route('**/auth/v1/token?*', async (route) => {
    asked.resolve()
    await answer.promise
    await route.fulfill({ status: 400, json: { code: 'refresh_token_not_found', message: 'Gone' } })
  })
  await page.goto(`${product.url}/`)
  await asked.promise
  await expect(page.locator('body')).toHaveText('', { useInnerText: true })
  expect(await hasPainted(page)).toBe(false)
  answer.resolve()
  await expect(landing(page)).toBeVisible()
  const stored = await page.evaluate((key) => localStorage.getItem(key), AUTH_STORAGE_KEY)
  expect(stored).toBeNull()
  // A dead session needs no message.
  await expect(page.locator('[data-slot=toast]')).toHaveCount(0)
})

test('every change of path begins at the top, a change of the query does not', { tag: ['@NAV-15'] }, async ({
  people,
  openAs,
}) => {
  const page = await openAs(await people.join(), NEUTRAL)
  const openedAt = '2026-11-17T15:00:00.000Z'
  const rows = Array.from({ length: 80 }, (_, index) => `NR${index}`)
  await page.route('**/v1/positions', (route) => {
    const rest = { active: true, holdLength: 'one_to_three_weeks', openNotes: 'Notes.', openPrice: 1 }
    const positions = rows.map((stock) => ({ id: stock, stock, openedAt, user: 'maria', ...rest }))
    return route.fulfill({ json: { positions } })
  })
  await page.route('**/v1/leaderboard', (route) => {
    const leaderboard = rows.map((username) => ({ username, averageGain: '1.00' }))
    return route.fulfill({ json: { leaderboard } })
  })
  const scrolled = () => page.evaluate(() => scrollY)
  const scrollTo = (top: number) => page.evaluate((y) => window.scrollTo(0, y), top)
  await page.goto(new URL('/', page.url()).href)
  await expect(page.getByRole('row')).toHaveCount(81)
  await scrollTo(1500)
  expect(await scrolled()).toBe(1500)
  await page.getByRole('link', { name: 'Leaderboard' }).click()
  // Home has as many rows.
  await expect(page.getByRole('heading', { name: 'Leaderboard' })).toBeVisible()
  await expect(page.getByRole('row')).toHaveCount(81)
  await expect(page.getByRole('main')).toBeFocused()
  expect(await scrolled()).toBe(0)
  await scrollTo(1500)
  expect(await scrolled()).toBe(1500)
  // Home is loaded and long: only the rule scrolls the window to its top.
  await page.getByRole('link', { name: 'Home' }).click()
  await expect(page.getByRole('heading', { name: 'Positions' })).toBeVisible()
  await expect(page.getByRole('main')).toBeFocused()
  expect(await scrolled()).toBe(0)
  await scrollTo(1500)
  await page.goBack()
  await expect(page.getByRole('heading', { name: 'Leaderboard' })).toBeVisible()
  await expect.poll(scrolled).toBe(0)
  await page.goForward()
  await expect(page.getByRole('heading', { name: 'Positions' })).toBeVisible()
  await expect.poll(scrolled).toBe(0)
  await scrollTo(100)
  await page.getByRole('tab', { name: 'Subscription' }).click()
  await expect(page).toHaveURL(/\?tab=subscription$/)
  expect(await scrolled()).toBe(100)
})

test('the side navigation is for people who are signed in, beside a header area and a bounded content', {
  tag: ['@NAV-17', '@NAV-18', '@NAV-27'],
}, async ({ people, openAs }) => {
  const page = await openAs(await people.join(), NEUTRAL)
  const answer = Promise.withResolvers<void>()
  await page.route('**/v1/leaderboard', async (route) => {
    await answer.promise
    await route.continue()
  })
  await page.setViewportSize({ width: 2000, height: 900 })
  await page.goto(new URL('/leaderboard', page.url()).href)
  const links = page.getByRole('navigation', { name: 'Main' }).getByRole('link')
  await expect(links).toHaveText(['Home', 'Search', 'Leaderboard', 'Account', 'Logout'])
  const targets = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href')))
  expect(targets).toEqual(['/', '/search', '/leaderboard', '/account', '/'])
  await expect(links.nth(2)).toHaveAttribute('aria-current', 'page')
  await expect(page.getByRole('banner').locator('summary[aria-label=Theme]')).toBeVisible()
  const bold = page.getByRole('complementary').locator('[data-slot=wordmark] > span > span')
  await expect(bold).toHaveText(['Trade', 'post'])
  await expect(bold.nth(0)).toHaveCSS('font-weight', '700')
  await expect(bold.nth(1)).toHaveCSS('font-weight', '300')

  const skeleton = page.locator('main [data-slot=skeleton]')
  await expect(skeleton.first()).toBeVisible()
  answer.resolve()
  await expect(skeleton).toHaveCount(0)
  const content = await page.getByRole('main').boundingBox()
  expect(content?.width).toBeLessThanOrEqual(1128)
  expect(content?.x).toBeGreaterThan(400)

  const visitor = await openAs(null, '/')
  await expect(landing(visitor)).toBeVisible()
  await expect(visitor.getByRole('navigation')).toHaveCount(0)
})

test('Logout is a link to / that signs the user out everywhere', { tag: ['@NAV-19'] }, async ({
  people,
  openAs,
}) => {
  const page = await openAs(await people.join(), '/leaderboard')
  const logout = page.getByRole('link', { name: 'Logout' })
  await expect(logout).toHaveAttribute('href', '/')
  const asked = page.waitForRequest('**/auth/v1/logout?*')
  await logout.click()
  const request = await asked
  expect(request.method()).toBe('POST')
  expect(new URL(request.url()).searchParams.get('scope')).toBe('global')
  await expect(landing(page)).toBeVisible()
  expect(new URL(page.url()).pathname).toBe('/')
  expect(await page.evaluate((key) => localStorage.getItem(key), AUTH_STORAGE_KEY)).toBeNull()
  await page.reload()
  await expect(landing(page)).toBeVisible()
})
