/**
 * How fast the web app feels: from a click to painted data, and what 500 rows cost the main thread. The ceiling of a
 * route change is the bare call that its data needs, made in the same page.
 */
import { type Browser, chromium, type Locator, type Page } from '@playwright/test'
import { AUTH_STORAGE_KEY } from '../contract/src/settings.ts'
import { type Product, startSeededProduct } from '../e2e/product.ts'
import { signInByCode } from '../e2e/sign-in-by-code.ts'
import { chromiumArguments, findChromium } from '../scripts/chromium.ts'
import { benchCurve } from './curve.ts'
import { timeCall, timeChange, watchLongTasks } from './in-page.ts'
import { benchLargestPaint } from './largest-paint.ts'
import { reportLongTasks } from './long-tasks.ts'

const ROUNDS = 12
const ROWS = 500

/** The link that is clicked, the element that is painted there, and the call that brings it. */
type Change = { link: string; painted: string; call: string }
const CHANGES: Change[] = [
  { link: 'a[href="/leaderboard"]', painted: 'main table tbody a', call: '/v1/leaderboard' },
  {
    link: 'main table tbody tr a[href="/trader/maria"]',
    painted: 'main table tbody td',
    call: '/v1/accounts/profile?username=maria',
  },
  { link: 'a[href="/account"]', painted: 'main section', call: '/v1/accounts/configuration' },
  { link: 'nav a[href="/"]', painted: 'main table tbody button', call: '/v1/positions' },
]

export async function benchScreens(): Promise<void> {
  const product = await startSeededProduct()
  // The page's clock is the machine's: one that a test moves would measure nothing.
  product.setTime(new Date())
  const executablePath = findChromium()
  const browser = await chromium.launch({
    ...(executablePath && { executablePath }),
    args: chromiumArguments(),
  })
  try {
    const page = await openHome(browser, product)
    await benchLargestPaint(browser, product.url, await page.context().storageState())
    await benchRouteChanges(page)
    await fillPositions(product)
    await benchManyRows(page)
    await benchCurve(page, product)
  } finally {
    await browser.close()
    await product.stop()
  }
}

async function openHome(browser: Browser, product: Product): Promise<Page> {
  const session = await signInByCode(product, 'fan@people.example')
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    storageState: {
      cookies: [],
      origins: [
        {
          origin: product.url,
          localStorage: [{ name: AUTH_STORAGE_KEY, value: JSON.stringify(session) }],
        },
      ],
    },
  })
  const page = await context.newPage()
  await page.goto(product.url)
  await page.locator('main table tbody tr').first().waitFor()
  return page
}

/** Each round begins with a fresh page, so that every list is asked of the server. */
async function benchRouteChanges(page: Page): Promise<void> {
  const ours: number[] = []
  const bare: number[] = []
  for (let round = 0; round <= ROUNDS; round += 1) {
    await page.reload()
    await page.locator('main table tbody tr').first().waitFor()
    for (const change of CHANGES) {
      const call = await page.evaluate(timeCall, { path: change.call, key: AUTH_STORAGE_KEY })
      const painted = await page.evaluate(timeChange, change)
      // The first round fetches the screens' code; later ones have it, as a second visit has.
      if (round > 0) {
        ours.push(painted)
        bare.push(call)
      }
    }
  }
  console.log(`\nroute change to painted data, ${ours.length} changes on a seeded database`)
  console.log(`  ours: p50 ${at(ours, 0.5)} ms, p95 ${at(ours, 0.95)} ms`)
  console.log(`  the bare call: p50 ${at(bare, 0.5)} ms, p95 ${at(bare, 0.95)} ms`)
}

/**
 * The pointer and the keyboard are the browser's own and are given the place to press: looking for a row by its role among 500 would be a
 * long task of the benchmark's.
 */
async function benchManyRows(page: Page): Promise<void> {
  await page.reload()
  await untilRows(page, ROWS)
  const tabs = page.locator('[role=tab]')
  const [all, personal, subscription] = [
    await centre(tabs.nth(0)),
    await centre(tabs.nth(1)),
    await centre(tabs.nth(2)),
  ]
  const firstRow = await centre(page.locator('main table tbody button').first())
  await page.evaluate(watchLongTasks)
  console.log(`\n${ROWS} positions, tasks of the main thread over 50 ms`)
  await reportLongTasks(page, 'choosing a tab', async () => {
    for (const [tab, rows] of [
      [personal, 0],
      [subscription, ROWS],
      [all, ROWS],
    ] as const) {
      await page.mouse.click(tab.x, tab.y)
      await untilRows(page, rows)
    }
  })
  await reportLongTasks(page, 'scrolling', async () => {
    for (let step = 0; step < 60; step += 1) await page.mouse.wheel(0, 400)
    await page.mouse.wheel(0, -60 * 400)
    await page.waitForFunction(() => scrollY === 0)
  })
  await reportLongTasks(page, 'opening and closing the dialog', async () => {
    await page.mouse.click(firstRow.x, firstRow.y)
    await page.locator('dialog[open]').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('dialog').waitFor({ state: 'detached' })
  })
}

async function untilRows(page: Page, rows: number): Promise<void> {
  await page.waitForFunction(
    (wanted) => document.querySelectorAll('main table tbody button').length === wanted,
    rows,
  )
}

async function centre(element: Locator): Promise<{ x: number; y: number }> {
  const box = await element.boundingBox()
  if (box === null) throw new Error('nothing to press')
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
}

/** Gives the one who is followed so many open positions that the list is full, and ends what is kept of them (ADR 0070). */
async function fillPositions({ database, now }: Product): Promise<void> {
  await database.pool.query(
    `with filled as (
     insert into positions (trader_id, id, symbol, hold_length, open_price, open_notes, opened_at, open_preview_id)
     select trader_id, gen_random_uuid(), 'S' || n, 'one_to_three_weeks', 100, 'One of very many positions.',
       $1::timestamptz - n * interval '1 second', gen_random_uuid()
     from (select s.trader_id from subscriptions s join users u on u.id = s.subscriber_id
       where u.email = 'fan@people.example' limit 1) followed, generate_series(1, $2) n
     returning trader_id)
     update traders set last_event_no = last_event_no + 1 where trader_id in (select trader_id from filled)`,
    [now(), ROWS],
  )
}

function at(values: number[], share: number): string {
  const sorted = values.toSorted((a, b) => a - b)
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN).toFixed(0)
}
