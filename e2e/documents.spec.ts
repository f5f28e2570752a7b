import type { Page } from '@playwright/test'
import { violationsOf } from './accessible.ts'
import { expect, test } from './fixtures.ts'

test.use({ contextOptions: { reducedMotion: 'reduce' } })

/** Judges a document in both themes, at 1280 and 320 px. */
async function expectReadable(page: Page, what: string): Promise<void> {
  for (const width of [1280, 320]) {
    await page.setViewportSize({ width, height: 800 })
    for (const theme of ['dark', 'light'] as const) {
      // The pages that mails lead to follow the system.
      await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
      await page.evaluate((name) => {
        document.documentElement.classList.remove('light', 'dark')
        document.documentElement.classList.add(name)
      }, theme)
      expect(await violationsOf(page), `${what}, ${theme}, ${width} px`).toEqual([])
    }
    const sideways = await page.evaluate(() => {
      scrollTo({ left: 1000, behavior: 'instant' })
      return scrollX
    })
    expect(sideways, `${what} does not scroll sideways at ${width} px`).toBe(0)
  }
}

/** What the browser says against a page. */
async function complaintsOf(page: Page): Promise<string[]> {
  const said: string[] = []
  page.on('pageerror', (error) => said.push(error.message))
  page.on('console', (message) => message.type() === 'error' && said.push(message.text()))
  await page.exposeFunction('complain', (what: string) => said.push(what))
  await page.addInitScript(() => {
    addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
      Reflect.get(window, 'complain')(`policy: ${violatedDirective} ${blockedURI}`),
    )
  })
  return said
}

const callOf = (page: Page, path: string) => page.getByRole('button', { name: path, exact: false }).first()
const docsAreThere = (page: Page) =>
  expect(page.locator('#api-docs')).toHaveAttribute('aria-busy', 'false', { timeout: 30_000 })

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
  expect(policy).toContain("require-trusted-types-for 'script'; trusted-types dompurify")
  expect(policy).not.toMatch(/unsafe|\*|https?:/)
  await docsAreThere(page)
  await callOf(page, '/v1/positions/open').click()
  const call = page.locator('#operations-Positions-openPosition')
  await expect(call).toContainText('"positionLength": "one_to_three_weeks"')
  await expect(call).toContainText('"openPrice": 187.52')
  await expect(call).toContainText('position_exists: You already have an open position in AAPL.')
  await expect(call.getByRole('combobox', { name: 'Example' }).first()).toBeVisible()
  await expectReadable(page, '/docs')
  expect(complaints).toEqual([])
  expect(elsewhere).toEqual([])
})

/** What can be pressed or typed into, other than links in a sentence, and is lower or narrower than 44 px, with its size. */
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
  await docsAreThere(page)
  await expectNoSmallTargets('the calls')
  await callOf(page, '/v1/positions/open').click()
  const call = page.locator('#operations-Positions-openPosition')
  await expect(call.getByRole('button', { name: 'Try it out' })).toBeVisible()
  await expectNoSmallTargets('a call')
  await call.getByRole('button', { name: 'Try it out' }).click()
  await call.getByRole('button', { name: 'Execute' }).click()
  await expect(call.locator('.live-responses-table .response').first()).toContainText('422')
  await expectNoSmallTargets('a call that was made')
  await page.getByRole('button', { name: 'Authorize' }).first().click()
  await expect(page.getByRole('textbox', { name: 'auth-bearer-value' })).toBeVisible()
  await expectNoSmallTargets('the window for a token')
})

test('a call is tried out on /docs as the person who is signed in, or with a token that was given', async ({
  people,
  openAs,
}) => {
  const [maria, jonas] = [await people.join(), await people.join()]
  const page = await openAs(maria, '/docs')
  await docsAreThere(page)
  const answer = page.locator('.live-responses-table .response').first()
  const call = page.locator('#operations-Accounts-configuration')
  await callOf(page, '/v1/accounts/configuration').click()
  await call.getByRole('button', { name: 'Try it out' }).click()
  await call.getByRole('button', { name: 'Execute' }).click()
  await expect(answer).toContainText('200')
  await expect(answer).toContainText(`"username": "${maria.username}"`)
  // What is shown to be copied holds nobody's token.
  await expect(call.locator('.curl-command')).not.toContainText(maria.session.access_token)

  await page.getByRole('button', { name: 'Authorize' }).first().click()
  await page.getByRole('textbox', { name: 'auth-bearer-value' }).fill(jonas.session.access_token)
  await page.getByRole('button', { name: 'Apply credentials' }).click()
  await page.getByRole('button', { name: 'Close' }).first().click()
  await call.getByRole('button', { name: 'Execute' }).click()
  await expect(answer).toContainText(`"username": "${jonas.username}"`)

  const stranger = await openAs(null, '/docs')
  await docsAreThere(stranger)
  await callOf(stranger, '/v1/accounts/configuration').click()
  await stranger.getByRole('button', { name: 'Try it out' }).click()
  await stranger.getByRole('button', { name: 'Execute' }).click()
  await expect(stranger.locator('.live-responses-table .response').first()).toContainText('"unauthorized"')
})

test('no page of the app loads anything of /docs', async ({ people, openAs, product }) => {
  const drawn: string[] = []
  const visitor = await openAs(null, '/docs')
  visitor.on('request', (request) => drawn.push(new URL(request.url()).pathname))
  await visitor.reload()
  await docsAreThere(visitor)
  const own = drawn.filter((path) => /\/assets\/main-/.test(path))
  expect(own).toHaveLength(2)
  const page = await openAs(await people.join(), '/')
  const loaded: string[] = []
  page.on('request', (request) => loaded.push(new URL(request.url()).pathname))
  for (const path of ['/', '/account', '/trade']) {
    await page.goto(product.url + path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  }
  expect(loaded.filter((path) => own.includes(path))).toEqual([])
})

test('terms, privacy, contact and status can be read by anybody, lead to each other, and load no script', async ({
  openAs,
  product,
}) => {
  const page = await openAs(null, '/')
  const scripts: string[] = []
  page.on('request', (request) => request.resourceType() === 'script' && scripts.push(request.url()))
  for (const [name, path] of [
    ['Terms', '/terms'],
    ['Privacy', '/privacy'],
    ['Contact', '/contact'],
    ['Status', '/status'],
  ] as const) {
    await page.getByRole('contentinfo').getByRole('link', { name }).click()
    await expect(page).toHaveURL(product.url + path)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(name)
    await expect(page).toHaveTitle(`${name} · Tradepost`)
    const text = name === 'Status' ? 'What this is made of' : 'This is the text that Tradepost brings with it'
    await expect(page.getByText(text)).toBeVisible()
    await expectReadable(page, path)
    await page.setViewportSize({ width: 1280, height: 800 })
  }
  expect(scripts).toEqual([])
  await page.getByRole('contentinfo').getByRole('link', { name: 'API' }).click()
  await docsAreThere(page)
})

test('mails are stopped by one button, on pages that can be read in both themes and lead back to the trader', async ({
  people,
  follow,
  openAs,
  product,
}) => {
  const [trader, reader] = [await people.join(), await people.join()]
  await follow(reader, trader)
  const { token } = await product.database.db
    .selectFrom('unsubscribe_tokens')
    .select('token')
    .where('trader_id', '=', trader.id)
    .executeTakeFirstOrThrow()
  const page = await openAs(null, `/mail/unsubscribe/${token}`)
  await expect(page.getByRole('heading')).toHaveText(`Stop mails about @${trader.username}?`)
  await expectReadable(page, 'the question')
  await page.getByRole('button', { name: 'Stop these mails' }).click()
  await expect(page.getByRole('heading')).toHaveText(`Done: no more mails about @${trader.username}`)
  await expect(page.getByRole('link', { name: `View @${trader.username}` })).toHaveAttribute(
    'href',
    `/trader/${trader.username}`,
  )
  await expectReadable(page, 'the answer')
  await page.goto(`${product.url}/mail/unsubscribe/cut`)
  await expectReadable(page, 'a link that leads nowhere')
})
