import type { Locator, Page } from '@playwright/test'
import { expectReadable } from './accessible.ts'
import { expect, test } from './fixtures.ts'
import { translateAlways } from './translated.ts'

test.use({ contextOptions: { reducedMotion: 'reduce' } })

/** The errors that the browser reports of a page. */
async function complaintsOf(page: Page): Promise<string[]> {
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(error.message))
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
  await page.exposeFunction('complain', (what: string) => errors.push(what))
  await page.addInitScript(() => {
    addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
      Reflect.get(window, 'complain')(`policy: ${violatedDirective} ${blockedURI}`),
    )
  })
  return errors
}

/** A call by its path, folded or not. */
function callOf(page: Page, path: string): Locator {
  const line = page.locator('summary', { has: page.getByText(path, { exact: true }) })
  return page.locator('details', { has: line }).first()
}
const unfold = (call: Locator) => call.locator('summary').first().click()

test('/docs shows a call with its request, its answer and each refusal, loads nothing from elsewhere, breaks no policy', async ({
  openAs,
  product,
}) => {
  const page = await openAs(null, '/healthz')
  const complaints = await complaintsOf(page)
  const elsewhere: string[] = []
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url())
    if (origin !== product.url && protocol !== 'data:') elsewhere.push(request.url())
  })
  const answer = await page.goto(`${product.url}/docs`)
  const policy = answer?.headers()['content-security-policy'] ?? ''
  expect(policy).toContain("style-src 'self';")
  expect(policy).toMatch(/require-trusted-types-for 'script'; trusted-types 'none'$/)
  expect(policy).not.toMatch(/unsafe|\*|https?:/)
  const call = callOf(page, '/v1/positions/open')
  await unfold(call)
  await expect(call).toContainText('"positionLength": "one_to_three_weeks"')
  await expect(call).toContainText('"openPrice": 187.52')
  await expect(call).toContainText('position_exists: You already have an open position in AAPL.')
  await call.getByText('Examples of the refusals').click()
  await expect(call.getByText('"code": "position_exists"')).toBeVisible()
  await call.getByRole('button', { name: 'Try it out' }).click()
  await call.getByRole('button', { name: 'Execute' }).click()
  await expect(call.getByRole('status')).toContainText('401')
  await page.getByText('Authorize', { exact: true }).click()
  await expectReadable(page, '/docs with a call that was made')
  // Chromium logs every refusal.
  expect(complaints.filter((text) => !text.includes('status of 401'))).toEqual([])
  expect(elsewhere).toEqual([])
})

test('without a script /docs lists what each call takes, answers and refuses, with examples', async ({
  browser,
  product,
}) => {
  const context = await browser.newContext({ javaScriptEnabled: false })
  const page = await context.newPage()
  await page.goto(`${product.url}/docs`)
  const first = page.locator('details.call').first()
  await expect(first).toContainText('GET')
  await expect(first).toContainText('/v1/accounts/configuration')
  await unfold(first)
  await expect(first.getByText('"email": "maria@people.example"')).toBeVisible()
  await expect(first.getByText('account_suspended: This account is suspended.')).toBeVisible()
  const sent = callOf(page, '/v1/positions/open')
  await unfold(sent)
  await expect(sent.getByText('openNotes string, 10 to 500 characters')).toBeVisible()
  const asked = callOf(page, '/v1/accounts/search')
  await unfold(asked)
  await expect(asked.getByText('username query, required, string, 3 to 15 characters')).toBeVisible()
  // Nothing is shown that needs a script.
  await expect(page.getByRole('button', { name: 'Try it out' })).toHaveCount(0)
  await expect(page.getByText('Authorize', { exact: true })).toBeHidden()
  // The address of a call unfolds it.
  await page.goto('about:blank')
  await page.goto(`${product.url}/docs#/Live%20feed/feed`)
  await expect(page.getByText('text/event-stream')).toBeInViewport()
  await context.close()
})

/** The scripts that a page asks for, in their order, by the beginning of their name, with their bytes as they are run. */
function scriptsOf(page: Page): { names: string[]; bytes: () => Promise<number> } {
  const names: string[] = []
  const bodies: Promise<Buffer>[] = []
  page.on('response', (answer) => {
    if (answer.request().resourceType() !== 'script') return
    names.push(/\/assets\/([\w-]+)-[\w-]{8}\.js$/.exec(answer.url())?.[1] ?? answer.url())
    bodies.push(answer.body())
  })
  return {
    names,
    bytes: async () => (await Promise.all(bodies)).reduce((sum, body) => sum + body.length, 0),
  }
}

test('the first call on /docs is read before 400 kB of script are there, and the rest comes with the first call that is tried', async ({
  browser,
  product,
}) => {
  const context = await browser.newContext()
  const page = await context.newPage()
  const scripts = scriptsOf(page)
  await page.goto(`${product.url}/docs`, { waitUntil: 'networkidle' })
  const first = page.locator('details.call').first()
  await unfold(first)
  await expect(first.getByText('"email": "maria@people.example"')).toBeVisible()
  expect(scripts.names).toEqual(['main'])
  const before = await scripts.bytes()
  expect(before).toBeGreaterThan(0)
  expect(before).toBeLessThan(400_000)

  const folded = await page.locator('details.call > summary').all()
  for (const call of folded.slice(1)) await call.click()
  await expect(page.locator('details.call[open]')).toHaveCount(folded.length)
  await page.getByRole('contentinfo').scrollIntoViewIfNeeded()
  expect(scripts.names, 'nothing more for reading').toEqual(['main'])

  const tried = callOf(page, '/v1/accounts/search')
  await tried.getByRole('button', { name: 'Try it out' }).click()
  await expect(tried.getByRole('textbox', { name: 'username (query)' })).toHaveValue('maria')
  expect(scripts.names).toEqual(['main', 'try-call'])
  expect(await scripts.bytes(), 'all of it').toBeLessThan(400_000)
  await context.close()
})

/** The controls, other than links in a sentence, that are lower or narrower than 44 px, with their size. */
function smallTargets(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const pressed = 'a[href]:not(p a), button, input, select, textarea, summary, [role=button]'
    // Above the calls stands the frame of every page, whose targets are 40 px high where there is a mouse.
    const part = innerWidth < 640 ? document.body : document.querySelector('#api-docs')
    return [...(part?.querySelectorAll<HTMLElement>(pressed) ?? [])]
      .filter((element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
      .map((element) => ({ element, box: element.getBoundingClientRect() }))
      .filter(({ box }) => box.width < 44 || box.height < 44)
      .map(
        ({ element, box }) =>
          `${element.outerHTML.slice(0, 120)} is ${Math.round(box.width)} by ${Math.round(box.height)}`,
      )
  })
}

test('everything on /docs can be pressed with a finger: 44 px, also in a call that is tried out', async ({
  people,
  openAs,
}) => {
  const page = await openAs(await people.join(), '/docs')
  const expectNoSmallTargets = async (what: string) => {
    for (const width of [1280, 390, 320]) {
      await page.setViewportSize({ width, height: 844 })
      expect(await smallTargets(page), `${what}, ${width} px`).toEqual([])
    }
  }
  await expectNoSmallTargets('the calls')
  const call = callOf(page, '/v1/positions/open')
  await unfold(call)
  await expect(call.getByRole('button', { name: 'Try it out' })).toBeVisible()
  await expectNoSmallTargets('a call')
  await call.getByRole('button', { name: 'Try it out' }).click()
  await call.getByRole('button', { name: 'Execute' }).click()
  await expect(call.getByRole('status')).toContainText('422')
  await expectNoSmallTargets('a call that was made')
  await page.getByText('Authorize', { exact: true }).click()
  await expect(page.getByRole('textbox', { name: 'Access token' })).toBeVisible()
  await expectNoSmallTargets('the field for a token')
})

test('a call is tried out on /docs as the person who is signed in, or with a token that was given', async ({
  people,
  openAs,
}) => {
  const [maria, jonas] = [await people.join(), await people.join()]
  const page = await openAs(maria, '/docs')
  const call = callOf(page, '/v1/accounts/configuration')
  await unfold(call)
  await call.getByRole('button', { name: 'Try it out' }).click()
  await call.getByRole('button', { name: 'Execute' }).click()
  await expect(call.getByRole('status')).toContainText('Answer: 200')
  await expect(call.locator('.answer')).toContainText(`"username": "${maria.username}"`)
  // The text to be copied contains nobody's token.
  await expect(call.locator('.answer')).toContainText('Bearer $TOKEN')
  await expect(call.locator('.answer')).not.toContainText(maria.session.access_token)

  await page.getByText('Authorize', { exact: true }).click()
  await page.getByRole('textbox', { name: 'Access token' }).fill(jonas.session.access_token)
  await call.getByRole('button', { name: 'Execute' }).click()
  await expect(call.locator('.answer')).toContainText(`"username": "${jonas.username}"`)
  await expect(call.locator('.answer')).not.toContainText(jonas.session.access_token)

  const stranger = await openAs(null, '/docs')
  const asked = callOf(stranger, '/v1/accounts/configuration')
  await unfold(asked)
  await stranger.getByRole('button', { name: 'Try it out' }).click()
  await stranger.getByRole('button', { name: 'Execute' }).click()
  await expect(asked.locator('.answer')).toContainText('"unauthorized"')
})

test('a call of /docs is found, opened, filled in, made and left by keyboard', async ({ people, openAs }) => {
  const maria = await people.join()
  const page = await openAs(maria, '/docs')
  const call = callOf(page, '/v1/accounts/search')
  await call.locator('summary').first().focus()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/docs#\/Accounts\/search$/)
  const tryOut = call.getByRole('button', { name: 'Try it out' })
  // Between the two stand the fields of the answer and the examples of the refusals, both folded.
  for (let tab = 0; tab < 3; tab++) await page.keyboard.press('Tab')
  await expect(tryOut).toBeFocused()
  await page.keyboard.press('Enter')
  const username = call.getByRole('textbox', { name: 'username (query)' })
  await expect(username).toBeFocused()
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.type(maria.username)
  await page.keyboard.press('Enter')
  await expect(call.locator('.answer')).toContainText(`"username": "${maria.username}"`)
  await expect(username).toBeFocused()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await expect(call.getByRole('button', { name: 'Cancel' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(tryOut).toBeFocused()

  // The address of the call opens it again.
  await page.reload()
  await expect(tryOut).toBeInViewport()
})

test('the live feed is shown on /docs as it comes, until it is stopped', async ({ people, openAs }) => {
  const page = await openAs(await people.join(), '/docs')
  const call = callOf(page, '/v1/feed')
  await unfold(call)
  await call.getByRole('button', { name: 'Try it out' }).click()
  await call.getByRole('button', { name: 'Execute' }).click()
  await expect(call.locator('.answer')).toContainText('"type":"ready"')
  await call.getByRole('button', { name: 'Stop' }).click()
  await expect(call.getByRole('status')).toHaveText('Stopped.')
  await expect(call.locator('.answer')).toContainText('"type":"ready"')
  const ended = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/v1/feed'))
  await call.getByRole('button', { name: 'Execute' }).click()
  await expect(call.getByRole('status')).toContainText('Answer: 200')
  await call.getByRole('button', { name: 'Cancel' }).click()
  await ended
  await expect(call.getByRole('button', { name: 'Try it out' })).toBeFocused()
})

test('a call is sent with what its path needs and never without, and its command line can be copied', async ({
  people,
  openAs,
}) => {
  const page = await openAs(await people.join(), '/docs')
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const call = callOf(page, '/v1/subscriptions/{id}/manage')
  await unfold(call)
  await call.getByRole('button', { name: 'Try it out' }).dblclick()
  await expect(call.locator('form')).toHaveCount(1)
  const id = call.getByRole('textbox', { name: 'id (path)' })
  await expect(id).toHaveValue('019aa1c2-6d1f-7c3e-9a55-2f0f4f1f7a10')
  const sent: string[] = []
  page.on('request', (request) => sent.push(new URL(request.url()).pathname))
  await id.fill('')
  await call.getByRole('button', { name: 'Execute' }).click()
  await id.fill('a/b')
  await call.getByRole('button', { name: 'Execute' }).click()
  await expect(call.getByRole('status')).toContainText('404')
  await expect(call.locator('.answer')).toContainText('"code": "subscription_not_found"')
  expect(sent.filter((path) => path.startsWith('/v1/'))).toEqual(['/v1/subscriptions/a%2Fb/manage'])
  await call.getByRole('button', { name: 'Copy' }).click()
  await expect(call.getByRole('button', { name: 'Copied' })).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(
    "/v1/subscriptions/a%2Fb/manage'",
  )
})

test('a call whose form could not be loaded shows the failure, and is loaded when it is tried again', async ({
  openAs,
}) => {
  const page = await openAs(null, '/docs')
  await page.route('**/openapi.json', (route) => route.abort())
  const call = callOf(page, '/v1/feedback')
  await unfold(call)
  await call.getByRole('button', { name: 'Try it out' }).click()
  await expect(call.getByRole('alert')).toHaveText(
    'The call could not be loaded. Please try again in a moment.',
  )
  await page.unroute('**/openapi.json')
  await call.getByRole('button', { name: 'Try it out' }).click()
  await expect(call.getByRole('textbox', { name: 'Request body' })).toBeFocused()
  await expect(call.getByRole('alert')).toHaveCount(0)

  await page.route('**/v1/feedback', (route) => route.abort())
  await call.getByRole('button', { name: 'Execute' }).click()
  await expect(call.getByRole('status')).toHaveText(
    'The server did not answer. Please try again in a moment.',
  )
})

test('a form that a new version took away is fetched with the page of that version, once', async ({
  openAs,
}) => {
  const page = await openAs(null, '/docs')
  await page.route('**/assets/try-call-*', (route) => route.fulfill({ status: 404 }))
  const call = callOf(page, '/v1/feedback')
  await unfold(call)
  const loaded = page.waitForEvent('load')
  await call.getByRole('button', { name: 'Try it out' }).click()
  await loaded
  await expect(call.getByText('At most 16384 bytes.')).toBeVisible()
  await call.getByRole('button', { name: 'Try it out' }).click()
  await expect(call.getByRole('alert')).toBeVisible()
})

test('no page of the app loads anything of /docs', async ({ people, openAs, product }) => {
  const drawn: string[] = []
  const visitor = await openAs(null, '/docs')
  visitor.on('request', (request) => drawn.push(new URL(request.url()).pathname))
  await visitor.reload()
  const call = callOf(visitor, '/v1/marks')
  await unfold(call)
  await call.getByRole('button', { name: 'Try it out' }).click()
  await expect(call.getByRole('button', { name: 'Execute' })).toBeVisible()
  const own = drawn.filter((path) => /\/assets\/(main|try-call)-/.test(path))
  expect(own).toHaveLength(3)
  const page = await openAs(await people.join(), '/')
  const loaded: string[] = []
  page.on('request', (request) => loaded.push(new URL(request.url()).pathname))
  for (const path of ['/', '/account', '/trade']) {
    await page.goto(product.url + path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  }
  expect(loaded.filter((path) => own.includes(path))).toEqual([])
})

test('under a translator an answer is shown with its lines, and the command that is copied is the one that was made', async ({
  people,
  openAs,
  product,
}) => {
  const person = await people.join()
  const page = await openAs(person, '/healthz')
  const complaints = await complaintsOf(page)
  await translateAlways(page)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto(`${product.url}/docs#/Accounts/configuration`)
  const call = page.locator('details.call[open]')
  await call.getByRole('button', { name: 'Try it out' }).click()
  await call.getByRole('button', { name: 'Execute' }).click()
  await expect.poll(() => call.locator('.answer pre').first().textContent()).toMatch(/^\{\n {2}"username": /)
  await call.getByRole('button', { name: 'Copy' }).click()
  await expect(call.getByRole('button', { name: 'Copied' })).toBeVisible()
  const copied = await page.evaluate(() => navigator.clipboard.readText())
  expect(copied).toContain(`curl -X GET '${product.url}/v1/accounts/configuration'`)
  expect(copied).toMatch(/\$TOKEN"$/)
  expect(complaints).toEqual([])
})
