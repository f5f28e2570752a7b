import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { proveMailbox } from './authenticator-steps.ts'
import { expect, test } from './fixtures.ts'
import { onboard, subscribe } from './paying-steps.ts'
import { expectToast } from './toasts.ts'
import { fillInClose, fillInPosition, nextMarketDay, startClosing } from './trading-steps.ts'
import { landing } from './visiting-steps.ts'

const DIST = join(import.meta.dirname, '../web/dist')

test('every document and every file of the app comes with the security headers, and the documents with Trusted Types', async ({
  product,
}) => {
  const files = readdirSync(DIST, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(DIST.length))
  const documents = ['/', '/login', '/leaderboard', '/search', '/trade', '/account', '/payment/success']
  documents.push('/feedback', '/trader/maria', '/trader/maria/subscribe', '/no/such/place', '/%')
  documents.push('/activity', '/verify')
  // Pages without the app make no policy; the app and /verify make one, for the address of the service worker.
  const texts = ['/terms', '/privacy', '/contact', '/status', '/record']
  documents.push(...texts)
  expect(files.length).toBeGreaterThan(20)
  const served = new Set<string>()
  for (const path of [...documents, ...files, '/assets/none.js']) {
    const answer = await fetch(product.url + path, { headers: { accept: 'text/html,*/*' } })
    const headers = Object.fromEntries(answer.headers)
    expect(headers, path).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    })
    const policy = headers['content-security-policy'] ?? ''
    expect(policy, path).toContain("default-src 'none'")
    expect(policy, path).toContain("frame-ancestors 'none'")
    expect(policy, path).not.toMatch(/unsafe|\*|https?:/)
    await answer.body?.cancel()
    if (!headers['content-type']?.startsWith('text/html')) {
      if (answer.ok) served.add(path)
      continue
    }
    expect(policy, path).toContain("require-trusted-types-for 'script'")
    expect(policy, path).toMatch(
      texts.includes(path) ? /trusted-types 'none'$/ : /trusted-types service-worker$/,
    )
    expect(policy, path).toContain("base-uri 'none'")
  }
  for (const kind of ['.js', '.css', '.woff2', '.svg', '.png']) {
    expect([...served].filter((path) => path.endsWith(kind)).length, kind).toBeGreaterThan(0)
  }
  for (const hidden of ['/csp.json', '/index.html', '/app.html']) expect(served).not.toContain(hidden)
})

/** Collects the browser's complaints about a page: breaches of its policy, errors in its console, faults in its code. */
async function listen(page: Page): Promise<string[]> {
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(`fault: ${error.message}`))
  page.on('console', (message) => {
    // On a busy machine the server may answer 503. Chromium logs that, and the page asks again.
    const isBusy = message.text().includes('status of 503')
    if (message.type() === 'error' && !isBusy)
      complaints.push(`console: ${message.text()} (${message.location().url})`)
  })
  await page.exposeFunction('complain', (what: string) => complaints.push(what))
  await page.addInitScript(() => {
    addEventListener('securitypolicyviolation', (event) => {
      const { violatedDirective, blockedURI, sample } = event
      Reflect.get(window, 'complain')(`policy: ${violatedDirective} ${blockedURI} ${sample}`)
    })
  })
  return complaints
}

test('a walk through every screen breaks no policy and leaves no error in the console', async ({
  people,
  publish,
  openAs,
  product,
  setTime,
}) => {
  const trader = await people.join()
  await publish(trader, 'V', 100)
  await setTime(nextMarketDay(product))
  const page = await openAs(trader, '/account')
  const complaints = await listen(page)
  await page.reload()
  const link = (name: string) => page.getByRole('link', { name, exact: true })
  const heading = (name: string) => expect(page.getByRole('heading', { level: 1, name })).toBeVisible()

  await heading('Account')
  await page.locator('summary[aria-label=Theme]:visible').click()
  await page.getByRole('banner').getByText('Light', { exact: true }).click()
  await link('Home').click()
  await heading('Positions')
  await page.getByRole('tab', { name: 'Personal' }).click()
  const dialog = await startClosing(page, 'V')
  await fillInClose(dialog)
  await dialog.getByRole('button', { name: 'Submit' }).click()
  await expectToast(page, 'Position for V has been closed!')
  await page.getByRole('button', { name: 'New Position' }).click()
  await heading('New position')
  await fillInPosition(page, 'KO')
  await page.getByRole('button', { name: 'Open Position' }).click()
  await expectToast(page, 'A position for KO has been opened!')
  await link('Leaderboard').click()
  await link(trader.username).click()
  await heading(trader.username)
  await link('Account').click()
  await page.getByRole('button', { name: 'Set up two-step verification' }).click()
  // A day has passed since the sign-in.
  await proveMailbox(product, page, trader)
  await expect(page.getByRole('textbox', { name: 'Code from the app' })).toBeVisible()
  await onboard(page)
  await expect(page.getByText("You're all set!")).toBeVisible()
  await page.setViewportSize({ width: 390, height: 800 })
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('dialog', { name: 'Menu' }).getByRole('link', { name: 'Search' }).click()
  await page.getByRole('searchbox').fill(trader.username)
  await page.keyboard.press('Enter')
  await link('View Profile').click()
  await heading(trader.username)
  await link('Tradepost').click()
  await heading('Positions')
  expect(complaints).toEqual([])

  const reader = await openAs(await people.join(), '/')
  const complaintsOfReader = await listen(reader)
  await reader.reload()
  await subscribe(reader, product, trader.username)
  await expect(reader.getByText('Confirmed.')).toBeVisible()
  await reader.getByRole('button', { name: 'Go Home' }).click()
  await expect(reader.getByRole('button', { name: 'KO' })).toBeVisible()
  await reader.getByRole('link', { name: 'Logout' }).click()
  await expect(landing(reader)).toBeVisible()
  await reader.getByRole('link', { name: 'Get started' }).first().click()
  await expect(reader.getByRole('textbox', { name: 'E-mail' })).toBeVisible()
  await reader.goto(`${product.url}/`)
  await expect(landing(reader)).toBeVisible()
  expect(complaintsOfReader).toEqual([])
})
