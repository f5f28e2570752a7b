/**
 * When the largest thing of a first visit is painted (LCP) on a phone over slow 4G, as Lighthouse's mobile preset has them. The ceiling is a
 * document of one sentence over the same line: what no page can be faster than.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, BrowserContextOptions } from '@playwright/test'

/** Slow 4G: ms of a round trip, and bytes a second in each direction. */
const LINE = { offline: false, latency: 150, downloadThroughput: 204_800, uploadThroughput: 96_000 }
const TIMES_SLOWER = 4
const ROUNDS = 7
const LIMIT_MS = 1200
const PHONE = { viewport: { width: 412, height: 823 }, isMobile: true, hasTouch: true }

type State = BrowserContextOptions['storageState']

/** @param state of a browser in which somebody is signed in */
export async function benchLargestPaint(browser: Browser, url: string, state: State): Promise<void> {
  const bare = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.end(
      '<!doctype html><title>One</title><p style="font-size:40px">One sentence, and nothing else.</p>',
    )
  }).listen(0, '127.0.0.1')
  await once(bare, 'listening')
  const pages: [what: string, address: string, last: string, state?: State][] = [
    ['one sentence', `http://127.0.0.1:${(bare.address() as AddressInfo).port}/`, 'p'],
    ['landing page', `${url}/`, 'footer'],
    ['public page', `${url}/t/maria`, 'footer'],
    ['first signed-in page', `${url}/`, 'main table tbody tr', state],
  ]
  console.log(
    `\nlargest paint of a first visit, phone over slow 4G, ${ROUNDS} visits each (limit ${LIMIT_MS} ms)`,
  )
  let least = 0
  for (const [what, address, last, kept] of pages) {
    const paints: number[] = []
    for (let round = 0; round < ROUNDS; round += 1)
      paints.push(await largestPaint(browser, address, last, kept))
    const middle = paints.sort((a, b) => a - b)[(ROUNDS - 1) / 2] ?? 0
    least ||= middle
    console.log(`  ${what}: p50 ${Math.round(middle)} ms, ${(middle / least).toFixed(2)} times the sentence`)
  }
  bare.close()
}

/** @param last of what is drawn @returns ms from the beginning of the visit to the last candidate before anybody acts */
async function largestPaint(browser: Browser, address: string, last: string, state: State): Promise<number> {
  const context = await browser.newContext({ ...PHONE, ...(state && { storageState: state }) })
  try {
    const page = await context.newPage()
    const devTools = await context.newCDPSession(page)
    await devTools.send('Network.enable')
    await devTools.send('Network.emulateNetworkConditions', LINE)
    await devTools.send('Emulation.setCPUThrottlingRate', { rate: TIMES_SLOWER })
    // To look into the page runs a script in it, which would delay by a tenth of a second the paint that is waited for.
    const painted = new Promise((resolve) => devTools.once('PerformanceTimeline.timelineEventAdded', resolve))
    await devTools.send('PerformanceTimeline.enable', { eventTypes: ['largest-contentful-paint'] })
    await page.goto(address)
    await painted
    await page.locator(last).first().waitFor()
    await page.evaluate(() => document.fonts.ready.then(() => undefined))
    return await page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          new PerformanceObserver((list) => resolve(list.getEntries().at(-1)?.startTime ?? 0)).observe({
            type: 'largest-contentful-paint',
            buffered: true,
          })
        }),
    )
  } finally {
    await context.close()
  }
}
