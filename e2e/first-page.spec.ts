import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { callsAnswered, expect, type Fixtures, test } from './fixtures.ts'
import { NEUTRAL } from './visiting-steps.ts'

test.use({ coldBrowser: true })

/** Bytes over the wire with their headers, by path. */
type Asked = Map<string, { path: string; bytes: number; isAnswered: boolean }>

/** Notes everything that the browser asks for from now on, as it comes over the wire. */
async function watchWire(page: Page): Promise<Asked> {
  const asked: Asked = new Map()
  const wire = await page.context().newCDPSession(page)
  await wire.send('Network.enable')
  await wire.send('Network.clearBrowserCache')
  wire.on('Network.requestWillBeSent', ({ requestId, request }) => {
    asked.set(requestId, { path: new URL(request.url).pathname, bytes: 0, isAnswered: false })
  })
  const note = (requestId: string, bytes: (before: number) => number, ends: boolean) => {
    const one = asked.get(requestId)
    if (one) Object.assign(one, { bytes: bytes(one.bytes), isAnswered: one.isAnswered || ends })
  }
  wire.on('Network.responseReceived', ({ requestId, response }) => {
    // The live feed goes on for as long as the page.
    note(requestId, () => response.encodedDataLength, response.url.endsWith('/v1/feed'))
  })
  wire.on('Network.dataReceived', ({ requestId, encodedDataLength }) =>
    note(requestId, (before) => before + encodedDataLength, false),
  )
  wire.on('Network.loadingFinished', ({ requestId, encodedDataLength }) =>
    note(requestId, () => encodedDataLength, true),
  )
  wire.on('Network.loadingFailed', ({ requestId }) => note(requestId, (before) => before, true))
  return asked
}

/** Waits until everything is answered and nothing has followed for a second. */
async function untilQuiet(asked: Asked): Promise<void> {
  let before = 0
  const isQuiet = () => {
    const isSame = before === asked.size
    before = asked.size
    return isSame && [...asked.values()].every(({ isAnswered }) => isAnswered)
  }
  await expect.poll(isQuiet, { intervals: [1000] }).toBe(true)
  await callsAnswered()
}

/** Icon and manifest, which only a browser with a window asks for. @returns bytes by path */
async function askedByWindows(page: Page): Promise<Map<string, number>> {
  const named = await page.evaluate(() =>
    [...document.querySelectorAll<HTMLLinkElement>('link[rel=icon], link[rel=manifest]')].map(
      ({ href }) => href,
    ),
  )
  const answers = await Promise.all(named.map(async (url) => [url, await fetch(url)] as const))
  return new Map(
    await Promise.all(
      answers.map(async ([url, answer]) => {
        const headers = [...answer.headers].map(([name, value]) => `${name}: ${value}\r\n`).join('')
        return [new URL(url).pathname, headers.length + (await answer.arrayBuffer()).byteLength] as const
      }),
    ),
  )
}

/** So long after a change a list's answer certainly contains it; sooner, the live feed asks once more. */
const SETTLED_MS = 30_000

type Means = Pick<Fixtures, 'people' | 'follow' | 'publish' | 'call' | 'setTime' | 'product'>

/** Somebody whose first page has something to show, or nothing. */
async function joinWith(state: string, { people, follow, publish, call, setTime, product }: Means) {
  const [reader, trader] = [await people.join(), await people.join()]
  if (state === 'nothing') return reader
  await follow(reader, trader)
  for (const [symbol, price] of [
    ['AAPL', 187.52],
    ['KO', 61.3],
    ['TSLA', 242],
  ] as const)
    await publish(trader, symbol, price)
  await publish(reader, 'MSFT', 410)
  const { body } = await call(reader, 'GET', '/v1/activity/unread')
  expect(body).toEqual({ unread: 3 })
  await setTime(new Date(product.now().getTime() + SETTLED_MS))
  return reader
}

const LEAST = { requests: 12, bytes: 184_000 }

for (const { state, where, tag, most } of [
  { state: 'positions and an unread mark', where: 'a desktop', tag: [], most: LEAST },
  { state: 'positions and an unread mark', where: 'a phone', tag: ['@phone'], most: LEAST },
  // The first run adds three scripts, the traders whom it offers, and one's own profile, however many traders there are.
  { state: 'nothing', where: 'a desktop', tag: [], most: { requests: 17, bytes: 194_000 } },
]) {
  test(`the first signed-in page on ${where}, with ${state}, needs at most ${most.requests} requests and ${most.bytes} bytes over the wire`, {
    tag,
  }, async ({ people, follow, publish, call, setTime, openAs, product }) => {
    const reader = await joinWith(state, { people, follow, publish, call, setTime, product })
    const page = await openAs(reader, NEUTRAL)
    const asked = await watchWire(page)
    await page.goto(product.url)
    if (state === 'nothing') await expect(page.getByText('No positions available.')).toBeVisible()
    else {
      await expect(page.getByRole('row').filter({ hasText: 'MSFT' })).toContainText('%')
      await expect(page.getByRole('link', { name: 'Activity 3 unread' })).toBeVisible()
    }
    await expect.poll(() => [...asked.values()].map(({ path }) => path)).toContain('/v1/feed')
    await untilQuiet(asked)
    const all = [...asked.values()].map(({ path, bytes }) => [path, bytes] as const)
    for (const [path, bytes] of await askedByWindows(page))
      if (![...asked.values()].some((one) => one.path === path)) all.push([path, bytes])
    const listed = JSON.stringify(all)
    expect(
      all.map(([path]) => path),
      listed,
    ).toEqual(
      expect.arrayContaining(['/', '/v1/positions', '/v1/feed', '/favicon.svg', '/manifest.webmanifest']),
    )
    const aboutTraders = all.flatMap(([path]) => (/leaderboard|profile|suggestions/.test(path) ? [path] : []))
    expect(aboutTraders.sort()).toEqual(
      state === 'nothing' ? ['/v1/accounts/profile', '/v1/leaderboard/offered'] : [],
    )
    expect(all.length, listed).toBeLessThanOrEqual(most.requests)
    expect(
      all.reduce((sum, [, bytes]) => sum + bytes, 0),
      listed,
    ).toBeLessThanOrEqual(most.bytes)
  })
}

test('the window of a position is fetched once somebody points at the table, and not before', async ({
  people,
  publish,
  setTime,
  openAs,
  product,
}) => {
  const reader = await people.join()
  await publish(reader, 'MSFT', 410)
  await setTime(new Date(product.now().getTime() + SETTLED_MS))
  const page = await openAs(reader, NEUTRAL)
  const asked = await watchWire(page)
  await page.goto(product.url)
  const row = page.getByRole('row').filter({ hasText: 'MSFT' })
  await expect(row).toContainText('%')
  await untilQuiet(asked)
  const scripts = () => [...asked.values()].filter(({ path }) => path.endsWith('.js')).length
  expect(scripts()).toBe(2)
  await row.hover()
  await expect.poll(scripts).toBe(4)
  await untilQuiet(asked)
  await row.click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await untilQuiet(asked)
  expect(scripts()).toBe(4)
})

const FONTS = {
  whole: '../node_modules/@fontsource-variable/geist/files/geist-latin-wght-normal.woff2',
  cut: '../web/src/geist-latin.woff2',
}

test('the cut font draws every letter of the whole one, at every weight that pages use, as wide and as dark', async ({
  browser,
}) => {
  const page = await browser.newPage()
  const read = (file: string) => readFileSync(join(import.meta.dirname, file)).toString('base64')
  const differing = await page.evaluate(
    async ({ whole, cut }) => {
      for (const [name, data, weight] of [
        ['whole', whole, '100 900'],
        ['cut', cut, '300 700'],
      ] as const) {
        const font = new FontFace(name, `url(data:font/woff2;base64,${data})`, { weight })
        document.fonts.add(await font.load())
      }
      const size = 100
      const canvas = new OffscreenCanvas(3 * size, 2 * size)
      const context = canvas.getContext('2d', { willReadFrequently: true })
      if (context === null) throw new Error('no canvas')
      /** How wide a letter is, and how much of it is dark, both in pixels. */
      const draw = (font: string, weight: number, letter: string) => {
        context.clearRect(0, 0, canvas.width, canvas.height)
        context.font = `${weight} ${size}px ${font}, monospace`
        context.fillText(letter, size, 1.3 * size)
        const { data } = context.getImageData(0, 0, canvas.width, canvas.height)
        let dark = 0
        for (let at = 3; at < data.length; at += 4) dark += (data[at] ?? 0) / 255
        return { width: context.measureText(letter).width, dark }
      }
      const from = (first: number, last: number) =>
        Array.from({ length: last - first + 1 }, (_, nth) => String.fromCodePoint(first + nth))
      const letters = [
        ...from(0x20, 0x7e),
        ...from(0xa0, 0xff),
        ...'ıŒœ',
        ...'ʼˆ˚˜–—‘’‚“”„•…′″‹›⁄€™↑↓−',
        'e\u0301',
        '->',
        'fi',
        'tt',
        '$1.2',
      ]
      const found: string[] = []
      for (const weight of [300, 400, 500, 600, 700])
        for (const letter of letters) {
          const [one, other] = [draw('whole', weight, letter), draw('cut', weight, letter)]
          // Widths are whole pixels of each letter, here as on a page.
          const isWider = Math.abs(one.width - other.width) > letter.length
          // Outlines lie on whole units of the font's grid, here a tenth of a pixel: three pixels of the thinnest letters, whose edge is
          // long beside what it encloses.
          if (isWider || Math.abs(one.dark - other.dark) > 0.03 * one.dark + 3)
            found.push(`${weight} ${letter} ${JSON.stringify([one, other])}`)
        }
      return found
    },
    { whole: read(FONTS.whole), cut: read(FONTS.cut) },
  )
  await page.close()
  expect(differing).toEqual([])
})
