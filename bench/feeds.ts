/**
 * The live feed: how long after the trader's 200 a position stands in a follower's open page, beside 499 more streams and a server
 * that does nothing but write the same bytes to as many; and the cost of a stream without messages.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Browser, chromium, type Page } from '@playwright/test'
import { AUTH_STORAGE_KEY } from '../contract/src/storage-keys.ts'
import { chromiumArguments, findChromium } from '../scripts/chromium.ts'
import { startEmbeddedPostgres } from '../server/src/dev/embedded-postgres.ts'
import { connectDatabase } from '../server/src/platform/database/database.ts'
import { makeLog } from '../server/src/platform/log.ts'
import { migrate } from '../server/src/platform/upgrade/migrate.ts'
import { testSettings } from '../server/test/build-test-app.ts'
import { type QuoteServer, startQuoteServer } from '../server/test/prices/quote-server.ts'
import { openStreams } from './feeds/streams.ts'
import { fillWorld, type Viewer, type World } from './feeds/world.ts'
import { MAIN, type ServerProcess, startServer } from './server-process.ts'
import { get } from './sign-in/http-line.ts'

const STREAMS = 500
const IDLE = 5000
/** A round is an open and a close. */
const ROUNDS = Number(process.env.FEEDS_ROUNDS ?? 100)
const REASON = 'For a reason that is long enough.'

export async function benchFeeds(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tradepost-bench-'))
  const log = makeLog('silent', false)
  const postgres = await startEmbeddedPostgres({ dataDir: folder, log })
  const quotes = await startQuoteServer()
  const started: ServerProcess[] = []
  try {
    await migrate(postgres.url, log)
    const database = connectDatabase({ url: postgres.url, size: 4, log })
    const world = await fillWorld(database, IDLE)
    await database.close()
    const api = await startApi(postgres.url, quotes)
    started.push(api)
    await benchIdle(api, world.followers)
    const bare = await startServer([join(import.meta.dirname, 'feeds/bare-stream.ts')], 'ready', {})
    started.push(bare)
    await benchPublishing(api, bare, { ...world, followers: world.followers.slice(0, STREAMS) }, quotes)
  } finally {
    await Promise.all(started.map((server) => server.stop()))
    await quotes.close()
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

function startApi(url: string, { provider }: QuoteServer): Promise<ServerProcess> {
  return startServer(['--max-semi-space-size=4', MAIN, 'api'], 'Tradepost', {
    DATABASE_URL: url,
    APP_URL: testSettings().origin,
    AUTH_SECRET: testSettings().authSecret,
    SMTP_URL: 'smtp://127.0.0.1:9',
    QUOTES_API_BASE: provider.base,
    QUOTES_API_KEY: provider.key,
    MARKET_OVERRIDE: 'open',
    // One trader publishes more in a minute than a person may in an hour.
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'error',
  })
}

const feedOf = ({ token }: Viewer) => get('/v1/feed', [`Authorization: Bearer ${token}`])

/** The memory of a process, in kB of 1,024 bytes, as Linux counts it. */
function residentKb(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
}

async function benchIdle(api: ServerProcess, followers: Viewer[]): Promise<void> {
  // Code is compiled, connections to the database are opened.
  const warm = await openStreams(api.port, followers.slice(0, STREAMS).map(feedOf))
  warm.close()
  await pause(5000)
  const before = residentKb(api.pid)
  const began = performance.now()
  const streams = await openStreams(api.port, followers.map(feedOf))
  const seconds = (performance.now() - began) / 1000
  const opened = residentKb(api.pid)
  // Each has sent a heartbeat by then.
  await pause(40_000)
  const idle = residentKb(api.pid)
  const each = (kb: number) => (((kb - before) * 1.024) / followers.length).toFixed(1)
  console.log(`\n${followers.length} streams that have nothing to say, one process`)
  console.log(`  opened at ${(followers.length / seconds).toFixed(0)} a second`)
  console.log(`  memory: ${each(idle)} kB each, ${each(opened)} once they are open`)
  streams.close()
  await pause(5000)
}

type Times = number[]

async function benchPublishing(
  api: ServerProcess,
  bare: ServerProcess,
  world: World,
  quotes: QuoteServer,
): Promise<void> {
  const executablePath = findChromium()
  const browser = await chromium.launch({
    ...(executablePath && { executablePath }),
    args: chromiumArguments(),
  })
  const [inPage, ...others] = world.followers
  if (!inPage) throw new Error('no followers')
  const ours = await openStreams(api.port, others.map(feedOf))
  const theirs = await openStreams(bare.port, Array(STREAMS).fill(get('/', [])))
  const page = await openPage(browser, api, inPage)
  const streams: Times = []
  const rows: Times = []
  const written: Times = []
  try {
    for (let round = 0; round <= ROUNDS; round += 1) {
      const symbol = `S${round}`
      quotes.set(symbol, { price: 100 + round, at: new Date() })
      for (const order of ['open', 'close'] as const) {
        const drawn = page.evaluate(whenRow, { symbol, there: order === 'open' })
        const received = ours.received(`"${symbol}"`)
        const answered = await publish(api, world.trader, symbol, order)
        const [times, row] = [await received, await drawn]
        const text = `id: ${'A'.repeat(60)}\ndata: {"symbol":"${symbol}-${order}","pad":"${'x'.repeat(300)}"}\n\n`
        const passed = theirs.received(`${symbol}-${order}`)
        const posted = await post(bare, '/', text)
        const bareTimes = await passed
        // The first round compiles code.
        if (round === 0) continue
        streams.push(...times.map((at) => Math.max(0, at - answered)))
        rows.push(Math.max(0, row - (performance.timeOrigin + answered)))
        written.push(...bareTimes.map((at) => Math.max(0, at - posted)))
      }
    }
  } finally {
    ours.close()
    theirs.close()
    await browser.close()
  }
  console.log(`\nfrom the trader's 200 to ${STREAMS} streams of one process, ${2 * ROUNDS} events`)
  console.log(`  on the wire of ${others.length} of them: ${percentiles(streams)}`)
  console.log(`  drawn in the open page of one: ${percentiles(rows)}`)
  console.log(`  node:http alone, the same bytes to as many: ${percentiles(written)}`)
}

/** @returns when it was answered, by the clock of `performance` */
async function publish(
  api: ServerProcess,
  { token }: Viewer,
  symbol: string,
  order: 'open' | 'close',
): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const call = async (path: string, body: object) => {
    const answer = await fetch(`http://127.0.0.1:${api.port}/v1/positions/${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    const answered = performance.now()
    if (!answer.ok) throw new Error(`${path} is answered ${answer.status}: ${await answer.text()}`)
    return { answered, json: (await answer.json()) as { key: string } }
  }
  const { json } = await call('preview', { symbol })
  const reason =
    order === 'open' ? { openNotes: REASON, positionLength: 'one_to_three_weeks' } : { closeNotes: REASON }
  return (await call(order, { symbol, key: json.key, ...reason })).answered
}

async function post({ port }: ServerProcess, path: string, body: string): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body })
  const answered = performance.now()
  await answer.text()
  return answered
}

/** A follower's list of positions, with its feed open. */
async function openPage(
  browser: Browser,
  api: ServerProcess,
  { email, token, userId }: Viewer,
): Promise<Page> {
  const origin = `http://127.0.0.1:${api.port}`
  const session = {
    access_token: token,
    refresh_token: 'unused',
    token_type: 'bearer',
    expires_in: 3600,
    expires_at: Math.floor(Date.now() / 1000) + 3600,
    user: { id: userId, email, factors: [] },
  }
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    storageState: {
      cookies: [],
      origins: [{ origin, localStorage: [{ name: AUTH_STORAGE_KEY, value: JSON.stringify(session) }] }],
    },
  })
  const page = await context.newPage()
  const opened = page.waitForResponse('**/v1/feed')
  await page.goto(`${origin}/?tab=all`)
  await opened
  return page
}

/** In the page: when a frame shows the row of a symbol, or shows it no more, in ms of the Unix clock. */
function whenRow({ symbol, there }: { symbol: string; there: boolean }): Promise<number> {
  return new Promise((resolve) => {
    const look = () => {
      const found = [...document.querySelectorAll('main tbody button')].some(
        ({ textContent }) => textContent === symbol,
      )
      if (found === there) resolve(performance.timeOrigin + performance.now())
      else requestAnimationFrame(look)
    }
    look()
  })
}

function percentiles(times: Times): string {
  const sorted = times.toSorted((one, other) => one - other)
  const at = (share: number) => sorted[Math.ceil(sorted.length * share) - 1]?.toFixed(1)
  return `p50 ${at(0.5)}, p99 ${at(0.99)}, most ${at(1)} ms`
}
