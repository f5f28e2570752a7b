import { mkdtempSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, expect, type Page, test } from '@playwright/test'
import { buildServiceWorker } from '../scripts/build-service-worker.ts'

/** A server of a small app with the product's service worker, in as many versions as a test wants. */
async function serveVersions() {
  const folder = mkdtempSync(join(tmpdir(), 'worker-versions-'))
  const served = { document: 'one', worker: 'one', files: 'one', price: 10, isBad: false }
  const workerOf = (version: string) => {
    const entry = `/assets/${version}.js`
    const outfile = join(folder, `${version}.js`)
    buildServiceWorker(
      { version, entry, verify: entry, files: [entry, `/assets/${version}-part.js`] },
      outfile,
    )
    return readFileSync(outfile)
  }
  const documentOf = (version: string) =>
    `<html><body><p>document ${version}</p><p id="price">${served.price}</p><p id="script"></p><script type="module" src="/assets/${version}.js"></script></body></html>`
  const scriptOf = (version: string) => `script.textContent = 'script ${version}'`
  const server = createServer(({ url = '' }, response) => {
    if (served.isBad) return response.writeHead(502).end('Bad gateway')
    const [, version, part] = /^\/assets\/(\w+?)(-part)?\.js$/.exec(url) ?? []
    if (url === '/service-worker.js')
      response.setHeader('content-type', 'text/javascript').end(workerOf(served.worker))
    else if (version === served.files)
      response.setHeader('content-type', 'text/javascript').end(part ? 'export {}' : scriptOf(version))
    else if (url.startsWith('/assets/')) response.writeHead(404).end()
    else response.setHeader('content-type', 'text/html').end(documentOf(served.document))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, served, close: () => server.close() }
}

/** A browser that keeps the first version. */
async function openFirst(browser: Browser) {
  const { url, served, close } = await serveVersions()
  const context = await browser.newContext({ serviceWorkers: 'allow' })
  const page = await context.newPage()
  await page.goto(url)
  await page.evaluate(async () => {
    await navigator.serviceWorker.register('/service-worker.js')
    await navigator.serviceWorker.ready
  })
  await expect.poll(() => caches(page)).toEqual(['tradepost-app-one'])
  const end = async () => {
    await context.close()
    close()
  }
  return { url, served, context, page, close: end }
}

/** Has the browser look for a newer worker, and waits until it is in charge. */
async function update(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const registration = await navigator.serviceWorker.getRegistration()
    const newer = new Promise((resolve) =>
      navigator.serviceWorker.addEventListener('controllerchange', resolve),
    )
    await registration?.update()
    await newer
  })
}

const caches = (page: Page) => page.evaluate(() => window.caches.keys())

/** The text of a start without a network. */
async function startOffline(page: Page, url: string): Promise<string> {
  await page.context().setOffline(true)
  await page.goto(url)
  await expect(page.locator('#script')).not.toBeEmpty()
  const shown = await page.locator('body').innerText()
  await page.context().setOffline(false)
  return shown.replaceAll(/\s+/g, ' ').trim()
}

test('an update of the worker never mixes two versions, and a page of the one before keeps its parts', async ({
  browser,
}) => {
  const { url, served, context, page, close } = await openFirst(browser)
  expect(await startOffline(page, url)).toBe('document one 10 script one')

  // In the middle of a deploy: the newer worker is there, and the document comes from a process of the older version.
  await page.goto(url)
  served.worker = 'two'
  await update(page)
  expect(await startOffline(page, url)).toBe('document one 10 script one')

  Object.assign(served, { document: 'two', files: 'two' })
  const old = await context.newPage()
  await context.setOffline(true)
  await old.goto(url)
  await expect(old.locator('#script')).toHaveText('script one')
  await context.setOffline(false)
  await page.goto(url)
  await expect
    .poll(() =>
      page.evaluate(async () =>
        Boolean(await window.caches.match('/search', { cacheName: 'tradepost-app-two' })),
      ),
    )
    .toBe(true)
  expect(await startOffline(page, url)).toBe('document two 10 script two')
  // The server has taken it away.
  expect((await fetch(`${url}/assets/one-part.js`)).status).toBe(404)
  expect(await old.evaluate(() => fetch('/assets/one-part.js').then(({ status }) => status))).toBe(200)

  Object.assign(served, { worker: 'three', document: 'three', files: 'three' })
  await page.goto(url)
  await update(page)
  await expect.poll(() => caches(page)).toEqual(['tradepost-app-two', 'tradepost-app-three'])
  expect(await startOffline(page, url)).toBe('document three 10 script three')
  await close()
})

test('a start without a network shows the server’s settings of the last visit', async ({ browser }) => {
  const { url, served, context, page, close } = await openFirst(browser)
  served.price = 12
  const wire = await context.newCDPSession(page)
  await wire.send('ServiceWorker.enable')
  await wire.send('ServiceWorker.stopAllWorkers')
  await page.goto(url)
  await expect
    .poll(() => page.evaluate(async () => (await window.caches.match('/search'))?.text()))
    .toContain('>12<')
  expect(await startOffline(page, url)).toBe('document one 12 script one')
  await close()
})

test('the document that the worker keeps has no date of its own, and a page that the server answers is the server’s', async ({
  browser,
}) => {
  const { url, served, context, page, close } = await openFirst(browser)
  const online = await page.goto(url)
  expect(online?.headers()).toHaveProperty('date')
  await expect(page.locator('html')).not.toHaveAttribute('data-kept')
  await context.setOffline(true)
  const offline = await page.goto(url)
  expect(offline?.headers()).not.toHaveProperty('date')
  await expect(page.locator('html')).toHaveAttribute('data-kept', '')
  await context.setOffline(false)
  served.isBad = true
  await page.goto(url)
  await expect(page.locator('#script')).toHaveText('script one')
  served.isBad = false
  await context.setOffline(true)
  // A path that is no page of the app is not answered in its place.
  await expect(page.goto(`${url}/terms`)).rejects.toThrow('ERR_INTERNET_DISCONNECTED')
  await close()
})
