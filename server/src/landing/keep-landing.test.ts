import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BOARD_PLACE, type LandingBoard } from '@tradepost/contract/landing-board'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { buildTestApp, TEST_NOW } from '../../test/build-test-app.ts'
import { silentLog } from '../../test/database/database.ts'
import { call, close, makeTrader, open } from '../../test/factories.ts'
import { startQuoteServer } from '../../test/prices/quote-server.ts'
import { keepDelivery } from '../activity/read-delivery.ts'
import { makeHttpServer } from '../platform/http/http-server.ts'
import { readWebDocuments } from '../platform/http/web-documents.ts'
import { serveWebPages } from '../platform/http/web-pages.ts'
import { keepLanding } from './keep-landing.ts'
import { readBoard } from './read-board.ts'

const quotes = await startQuoteServer()
const product = await buildTestApp({ quotes })
const { clock, db, pool } = product
afterAll(async () => {
  await product.close()
  await quotes.close()
})
beforeEach(async () => {
  clock.set(TEST_NOW)
  await pool.query('truncate trader_stats')
})

const origin = 'https://tradepost.example'
const SAMPLE = 'the sample of the build'

/** / as a process of the product serves it, with the facts of its board as JSON in the place of the drawing. */
async function serve() {
  const dist = mkdtempSync(join(tmpdir(), 'tradepost-landing-'))
  const files = {
    'index.html': `before ${BOARD_PLACE.begin}${SAMPLE}${BOARD_PLACE.end} after`,
    'login.html': '',
    'app.html': '',
    'csp.json': '{"scripts":[],"styles":[]}',
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dist, name), text)
  const app = await makeHttpServer({ log: silentLog, origin, trustProxy: null, limitsOn: false })
  const money = { platformFeePercent: 10, subscription: { priceCents: 1000, currency: 'usd' } }
  const documents = readWebDocuments({ marketOverride: null, sandbox: null, ...money }, origin, dist)
  const state = { readings: 0, drawing: async (board: LandingBoard) => JSON.stringify(board) }
  const delivery = keepDelivery(db)
  const landing = keepLanding({
    clock,
    log: silentLog,
    documents,
    readBoard() {
      state.readings += 1
      return readBoard(db, delivery(clock.now()))
    },
    draw: (board) => state.drawing(board),
  })
  await serveWebPages(app, { dist, documents, renewed: { 'index.html': landing.document } })
  /** The facts that the page holds; null for the sample. */
  async function shown(): Promise<LandingBoard | null> {
    const { body, statusCode } = await app.inject({ url: '/', headers: { accept: 'text/html' } })
    expect(statusCode).toBe(200)
    const [before, rest = ''] = body.split(BOARD_PLACE.begin)
    const [board = '', after] = rest.split(BOARD_PLACE.end)
    expect([before, after]).toEqual(['before ', ' after'])
    return board === SAMPLE ? null : JSON.parse(board)
  }
  return {
    app,
    state,
    shown,
    async [Symbol.asyncDispose]() {
      landing.stop()
      await app.close()
      rmSync(dist, { recursive: true })
    },
  }
}

/** Somebody with so many closed positions of 10 % each, straight into the statistics. */
async function makeRanked(name: string, gain: number, figures = { closed: 5, wins: 4 }) {
  const trader = await makeTrader(product, name)
  await pool.query(
    'insert into trader_stats (trader_id, closed_count, gain_sum, win_count) values ($1, $2::int, $2::int * $3::numeric, $4)',
    [trader.userId, figures.closed, gain, figures.wins],
  )
  return trader
}

const namesOf = (board: LandingBoard | null) => board?.traders.map(({ username }) => username)

test('the page holds the sample until three are ranked, then the best five, the sums, and no name', async () => {
  await using page = await serve()
  await makeRanked('first', 9)
  await makeRanked('second', 8, { closed: 4, wins: 4 })
  expect(await page.shown()).toBe(null)
  for (const [nth, name] of ['third', 'fourth', 'fifth', 'sixth'].entries()) await makeRanked(name, 7 - nth)
  clock.advance(60_000)
  await expect.poll(page.shown).not.toBe(null)
  const board = await page.shown()
  expect(board).toMatchObject({ closed: 29, ranked: 6, halfSeconds: null })
  expect(board?.traders.map(({ averageGain }) => Number(averageGain))).toEqual([9, 8, 7, 6, 5])
  expect(board?.traders.slice(0, 2)).toEqual([
    { username: null, averageGain: expect.any(String), closed: 5, wins: 4, sparkline: null },
    { username: null, averageGain: expect.any(String), closed: 4, wins: null, sparkline: null },
  ])
  expect(JSON.stringify(board)).not.toMatch(/first|second|third|fourth|fifth|sixth/)
})

test('those whose public page is on are named, and nobody else; who is suspended is not there', async () => {
  const [open, , , away] = [
    await makeRanked('Openly', 9),
    await makeRanked('hidden1', 8),
    await makeRanked('hidden2', 7),
    await makeRanked('Suspended', 6),
    await makeRanked('hidden3', 5),
  ]
  const turn = (enabled: boolean) => call(product, open, 'POST', '/v1/accounts/public-page', { enabled })
  expect((await turn(true)).status).toBe(200)
  await pool.query('update trader_stats set suspended = true where trader_id = $1', [away?.userId])
  await using page = await serve()
  await expect.poll(async () => namesOf(await page.shown())).toEqual(['Openly', null, null, null])
  expect((await turn(false)).status).toBe(200)
  clock.advance(60_000)
  await expect.poll(async () => namesOf(await page.shown())).toEqual([null, null, null, null])
})

test('a close is on the page within a minute, whoever asks, and the answer that finds it due does not wait', async () => {
  const trader = await makeTrader(product)
  await open(product, quotes, trader, 'ONE', 100)
  for (const name of ['other1', 'other2', 'other3']) await makeRanked(name, 5)
  clock.set(new Date('2026-03-05T15:00:00Z'))
  await using page = await serve()
  await expect.poll(async () => (await page.shown())?.ranked).toBe(3)
  expect((await close(product, quotes, trader, 'ONE', 110)).status).toBe(200)
  clock.advance(49_999)
  expect((await page.shown())?.ranked).toBe(3)
  const held = Promise.withResolvers<string>()
  page.state.drawing = () => held.promise
  clock.advance(1)
  expect((await page.shown())?.ranked).toBe(3)
  held.resolve('{"ranked":4}')
  await expect.poll(async () => (await page.shown())?.ranked).toBe(4)
})

test('a hundred visitors cost no reading, and one begins only once the last has ended', async () => {
  for (const name of ['many1', 'many2', 'many3']) await makeRanked(name, 5)
  await using page = await serve()
  await expect.poll(page.shown).not.toBe(null)
  expect(page.state.readings).toBe(1)
  await Promise.all(Array.from({ length: 100 }, page.shown))
  expect(page.state.readings).toBe(1)
  const held = Promise.withResolvers<string>()
  page.state.drawing = () => held.promise
  for (let minute = 0; minute < 2; minute += 1) {
    clock.advance(60_000)
    await Promise.all(Array.from({ length: 100 }, page.shown))
    expect(page.state.readings).toBe(2)
  }
  held.resolve('{"ranked":7}')
  await expect.poll(async () => [(await page.shown())?.ranked, page.state.readings]).toEqual([7, 3])
  for (let nth = 0; nth < 100; nth += 1) await page.shown()
  expect(page.state.readings).toBe(3)
})

test('while the database is away the last board is served, and at a fresh start the sample', async () => {
  for (const name of ['kept1', 'kept2', 'kept3']) await makeRanked(name, 5)
  await using page = await serve()
  await expect.poll(page.shown).not.toBe(null)
  await pool.query('alter table trader_stats rename to away')
  try {
    clock.advance(60_000)
    expect((await page.shown())?.ranked).toBe(3)
    await expect.poll(() => page.state.readings).toBe(2)
    clock.advance(60_000)
    expect((await page.shown())?.ranked).toBe(3)
    await using fresh = await serve()
    expect(await fresh.shown()).toBe(null)
    await pool.query('alter table away rename to trader_stats')
    clock.advance(60_000)
    await expect.poll(fresh.shown).not.toBe(null)
  } finally {
    await pool.query('alter table if exists away rename to trader_stats')
  }
})
