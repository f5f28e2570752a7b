import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'

test('six pitches can be read without JavaScript', {
  tag: ['@LAND-01', '@LAND-02', '@LAND-03', '@LAND-04', '@LAND-05', '@LAND-06'],
}, async ({ browser, product }) => {
  const context = await browser.newContext({ javaScriptEnabled: false })
  const page = await context.newPage()
  await page.goto(`${product.url}/`)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  const pitches = page.getByRole('region', { name: 'Published, priced, and there to be checked' })
  await expect(pitches.getByRole('heading', { level: 3 })).toHaveText([
    'Subscribe to traders',
    'Get notified',
    'Build a track record',
    'Easy payment integration',
    'Merit-based leaderboard',
    'Open-door policy',
  ])
  for (const pitch of await pitches.getByRole('listitem').all()) await expect(pitch).toBeVisible()
  await expect(pitches.getByText('monthly subscription')).toBeVisible()
  await expect(pitches.getByText('in your inbox')).toBeVisible()
  await expect(pitches.getByText('Publish your own positions.')).toBeVisible()
  await expect(pitches.getByText('Paid through Stripe')).toBeVisible()
  await expect(pitches.getByText('Ranked by the average gain')).toBeVisible()
  await expect(pitches.getByText('The feedback form')).toBeVisible()
  for (const name of ['Login', 'Get started']) {
    await expect(page.getByRole('link', { name, exact: true })).toHaveAttribute('href', '/login')
  }
  await context.close()
})

test('the landing page fetches no script and asks the API nothing before there is an intent', async ({
  openAs,
  product,
}) => {
  const page = await openAs(null, '/healthz')
  const problems: string[] = []
  const fetched: string[] = []
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('request', (request) => fetched.push(new URL(request.url()).pathname))
  const scripts = () => fetched.filter((path) => path.endsWith('.js'))
  const calls = () => fetched.filter((path) => /^\/(v1|auth)\//.test(path))

  await page.goto(`${product.url}/`)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  // Scrolling, and pointing at other things, fetch nothing.
  await page.getByRole('heading', { name: 'How it works' }).scrollIntoViewIfNeeded()
  await page.getByRole('heading', { name: 'How it works' }).hover()
  expect(scripts()).toEqual([])
  await page.getByRole('link', { name: 'Login' }).hover()
  await expect.poll(() => scripts().length).toBeGreaterThan(1)
  expect(calls()).toEqual([])
  const before = scripts().length
  await page.getByRole('link', { name: 'Login' }).click()
  await expect(page.getByRole('textbox', { name: 'E-mail' })).toBeVisible()
  expect(calls()).toEqual([])
  // All that the login page runs was fetched at the intent.
  const later = new Set(scripts().slice(before))
  for (const path of scripts().slice(0, before)) later.delete(path)
  expect([...later]).toEqual([])
  expect(problems).toEqual([])
})

test('an open landing page becomes the home page when another tab signs in', async ({ people, openAs }) => {
  const { session } = await people.join()
  const page = await openAs(null, '/')
  await expect(page.getByRole('link', { name: 'Get started' })).toBeVisible()
  const other = await page.context().newPage()
  await other.goto(new URL('/healthz', page.url()).href)
  await other.evaluate((stored) => localStorage.setItem('tradepost-auth', stored), JSON.stringify(session))
  await expect(page.getByRole('heading', { name: 'Positions' })).toBeVisible()
})

test('the page describes itself to a person who shares it, and to one who installs it', async ({
  openAs,
  product,
}) => {
  const page = await openAs(null, '/')
  const content = (name: string) => page.locator(`meta[property="og:${name}"]`).getAttribute('content')
  expect(await content('title')).toBe('Follow traders by what they really achieved')
  expect(await content('url')).toBe(`${product.url}/`)
  const preview = await content('image')
  expect(await sizeOf(page, preview ?? '')).toBe('1200x630')

  const address = await page.locator('link[rel=manifest]').getAttribute('href')
  const answer = await page.request.get(new URL(address ?? '', page.url()).href)
  expect(answer.headers()['content-type']).toContain('application/manifest+json')
  const manifest = (await answer.json()) as {
    start_url: string
    shortcuts: { name: string; url: string }[]
    icons: { src: string; sizes: string }[]
    screenshots: { src: string; sizes: string }[]
  }
  expect(manifest.start_url).toBe('/')
  expect(manifest.shortcuts.map(({ name, url }) => [name, url])).toEqual([
    ['Activity', '/activity'],
    ['New position', '/trade'],
  ])
  expect(manifest.screenshots).toHaveLength(4)
  for (const { src, sizes } of [...manifest.icons, ...manifest.screenshots]) {
    if (sizes !== 'any') expect(await sizeOf(page, src)).toBe(sizes)
  }
  const touch = await page.locator('link[rel=apple-touch-icon]').getAttribute('href')
  expect(await sizeOf(page, touch ?? '')).toBe('180x180')
  // Programs ask for it that read no document.
  expect(await sizeOf(page, '/favicon.ico')).toBe('32x32')
  const icon = await page.request.get(new URL('/favicon.ico', page.url()).href)
  expect({ status: icon.status(), type: icon.headers()['content-type'] }).toEqual({
    status: 200,
    type: 'image/vnd.microsoft.icon',
  })
})

test('the form of /login is there before the app, and keeps what was typed into it', async ({
  browser,
  product,
}) => {
  const page = await (await browser.newContext()).newPage()
  const held = Promise.withResolvers<void>()
  await page.route('**/assets/*.js', async (route) => {
    await held.promise
    await route.continue()
  })
  await page.goto(`${product.url}/login`, { waitUntil: 'commit' })
  const field = page.getByRole('textbox', { name: 'E-mail' })
  await field.pressSequentially('somebody@people.example')
  await expect(page.locator('#early')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Continue' })).toBeDisabled()
  held.resolve()
  await expect(page.locator('#early')).toHaveCount(0)
  await expect(field).toHaveValue('somebody@people.example')
  await expect(field).toBeFocused()
  await expect(page.getByRole('button', { name: 'Continue' })).toBeEnabled()
  await page.context().close()
})

test('the landing page names the price, ends with a way in, and leads to terms, privacy, contact, status, the record and the API', async ({
  browser,
  product,
}) => {
  const context = await browser.newContext({ javaScriptEnabled: false })
  const page = await context.newPage()
  await page.goto(`${product.url}/`)
  const costs = page.getByRole('region', { name: 'What it costs' })
  await expect(costs).toContainText('$10.00a month, for each trader who names no other price')
  await expect(costs).toContainText('10 % of what followers pay stays with us')
  const call = page.getByRole('region', { name: 'See who is right, and how often' })
  await expect(call.getByRole('link', { name: 'Join with your e-mail' })).toHaveAttribute('href', '/login')
  const links = page.getByRole('contentinfo').getByRole('link')
  const paths = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href')))
  expect(paths).toEqual(['/terms', '/privacy', '/contact', '/status', '/record', '/docs'])
  for (const path of paths) expect((await page.goto(product.url + path))?.status(), String(path)).toBe(200)
  await context.close()
})

test('the wordmark stands at the same place on / and on /login', async ({ openAs, product }) => {
  const page = await openAs(null, '/')
  const mark = page.getByRole('banner').locator('[data-slot=wordmark]')
  const onLanding = await mark.boundingBox()
  await page.goto(`${product.url}/login`)
  await expect(page.locator('#early')).toHaveCount(0)
  expect(await mark.boundingBox()).toEqual(onLanding)
})

/** Loads a picture as the page would, by its policy. */
function sizeOf(page: Page, address: string): Promise<string> {
  return page.evaluate(async (src) => {
    const image = new Image()
    image.src = src
    await image.decode()
    return `${image.naturalWidth}x${image.naturalHeight}`
  }, address)
}
