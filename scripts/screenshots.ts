/**
 * `node scripts/screenshots.ts [folder]`: pictures of every screen of a seeded product, at 390 and 1280 px, in both
 * themes, for people to look at; docs/pictures holds the ones that the README shows.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from '@playwright/test'
import type { Session } from '@supabase/auth-js'
import { AUTH_STORAGE_KEY, THEME_STORAGE_KEY } from '../contract/src/settings.ts'
import { webPaths } from '../contract/src/web-paths.ts'
import { type Product, startSeededProduct } from '../e2e/product.ts'
import { signInByCode } from '../e2e/sign-in-by-code.ts'
import { chromiumArguments, findChromium } from './chromium.ts'

const folder = process.argv[2] ?? join(import.meta.dirname, '../.cache/screenshots')
const WIDTHS = [390, 1280]
const THEMES = ['dark', 'light'] as const

type Shot = {
  name: string
  as: 'visitor' | 'trader' | 'follower' | 'newcomer'
  path: string
  act?: (page: Page) => Promise<void>
}

/** Where the address has had its mails of the hour. */
async function askTooOften(page: Page): Promise<void> {
  await page.route('**/auth/v1/otp**', (route) => route.fulfill({ status: 429, json: {} }))
  await page.getByRole('textbox', { name: 'E-mail' }).fill('somebody@people.example')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('link', { name: 'I have a code' }).waitFor()
}

const shots: Shot[] = [
  { name: 'landing', as: 'visitor', path: '/' },
  { name: 'login', as: 'visitor', path: '/login' },
  {
    name: 'login-code',
    as: 'visitor',
    path: '/login',
    async act(page) {
      await page.getByRole('textbox', { name: 'E-mail' }).fill('somebody@people.example')
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.getByRole('textbox', { name: 'Code' }).waitFor()
    },
  },
  { name: 'login-limited', as: 'visitor', path: '/login', act: (page) => askTooOften(page) },
  {
    name: 'login-earlier-code',
    as: 'visitor',
    path: '/login',
    async act(page) {
      await askTooOften(page)
      await page.getByRole('link', { name: 'I have a code' }).click()
      await page.getByRole('textbox', { name: 'Code' }).waitFor()
    },
  },
  { name: 'positions', as: 'follower', path: '/' },
  {
    name: 'position-dialog',
    as: 'follower',
    path: '/',
    act: (page) => page.getByRole('row').nth(1).getByRole('button').click(),
  },
  {
    name: 'close-position',
    as: 'trader',
    path: '/?tab=personal',
    async act(page) {
      await page.getByRole('row').nth(1).getByRole('button').click()
      await page.getByRole('button', { name: 'Close Position' }).click()
      await page.getByRole('button', { name: 'Check Price' }).click()
      await page.getByRole('textbox', { name: 'Profit' }).and(page.locator('[value*="%"]')).waitFor()
    },
  },
  {
    name: 'trade',
    as: 'trader',
    path: '/trade',
    async act(page) {
      await page.getByRole('textbox', { name: 'Ticker' }).fill('MSFT')
      await page.getByRole('button', { name: 'Check Price' }).click()
      await page.locator('input[value*="."]').first().waitFor()
    },
  },
  { name: 'your-positions', as: 'trader', path: '/?tab=personal' },
  { name: 'leaderboard', as: 'follower', path: '/leaderboard' },
  {
    name: 'search',
    as: 'follower',
    path: '/search',
    async act(page) {
      await page.getByPlaceholder('Search by username').fill('maria')
      await page.getByRole('button', { name: 'Search' }).click()
      await page.getByRole('link', { name: 'View Profile' }).waitFor()
    },
  },
  { name: 'trader', as: 'follower', path: '/trader/maria' },
  { name: 'subscribe', as: 'newcomer', path: webPaths.subscribe('maria') },
  { name: 'payment-success', as: 'follower', path: `${webPaths.paymentSuccess}?trader=maria` },
  { name: 'account', as: 'trader', path: '/account' },
  { name: 'account-follower', as: 'follower', path: '/account' },
  { name: 'account-newcomer', as: 'newcomer', path: '/account' },
  { name: 'unsubscribe', as: 'visitor', path: '/mail/unsubscribe/{token}' },
  { name: 'not-found', as: 'follower', path: '/nowhere' },
]

async function take(
  browser: Browser,
  product: Product,
  shot: Shot,
  session: Session | null,
  width: number,
  colorScheme: (typeof THEMES)[number],
) {
  const localStorage: { name: string; value: string }[] = [{ name: THEME_STORAGE_KEY, value: colorScheme }]
  if (session) localStorage.push({ name: AUTH_STORAGE_KEY, value: JSON.stringify(session) })
  const context = await browser.newContext({
    viewport: { width, height: width < 700 ? 844 : 800 },
    reducedMotion: 'reduce',
    colorScheme,
    storageState: { cookies: [], origins: [{ origin: product.url, localStorage }] },
  })
  const page = await context.newPage()
  await page.clock.install({ time: product.now() })
  await page.goto(product.url + shot.path.replace('{token}', await aToken(product)), {
    waitUntil: 'networkidle',
  })
  await shot.act?.(page)
  await page.screenshot({
    path: join(folder, `${shot.name}-${width}-${colorScheme}.png`),
    fullPage: !shot.name.includes('dialog') && shot.name !== 'close-position',
  })
  await context.close()
}

/** As it stands in the mails of somebody who follows somebody. */
async function aToken({ database }: Product): Promise<string> {
  const { token } = await database.db
    .selectFrom('unsubscribe_tokens')
    .select('token')
    .orderBy('token')
    .limit(1)
    .executeTakeFirstOrThrow()
  return token
}

mkdirSync(folder, { recursive: true })
const product = await startSeededProduct()
const sessions = {
  visitor: null,
  trader: await signInByCode(product, 'maria@people.example'),
  follower: await signInByCode(product, 'fan@people.example'),
  newcomer: await signInByCode(product, 'newcomer@people.example'),
}
const executablePath = findChromium()
const browser = await chromium.launch({
  ...(executablePath && { executablePath }),
  args: chromiumArguments(),
})
for (const shot of shots) {
  for (const width of WIDTHS) {
    for (const theme of THEMES) await take(browser, product, shot, sessions[shot.as], width, theme)
  }
}
await browser.close()
await product.stop()
console.log(`${shots.length * WIDTHS.length * THEMES.length} pictures in ${folder}`)
