/**
 * `node scripts/screenshots.ts [folder] [name …]`: pictures of every screen of a seeded product in its states, of the documents
 * beside it and of every mail, at 390 and 1280 px, in both themes, for people to look at; with names, of these alone.
 * docs/pictures holds the ones that the README shows.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, type BrowserContext, chromium } from '@playwright/test'
import type { Session } from '@supabase/auth-js'
import { AUTH_STORAGE_KEY, THEME_STORAGE_KEY } from '../contract/src/settings.ts'
import { type Product, startSeededProduct } from '../e2e/product.ts'
import { signInByCode } from '../e2e/sign-in-by-code.ts'
import { chromiumArguments, findChromium } from './chromium.ts'
import { notificationShots } from './pictures/notification-shots.ts'
import { priceShots } from './pictures/price-shots.ts'
import { readSampleMails } from './pictures/sample-mails.ts'
import { type Shot, shots } from './pictures/shots.ts'

const [folder = join(import.meta.dirname, '../.cache/screenshots'), ...names] = process.argv.slice(2)

/** A size and a theme, and how files of it are called. */
type Look = { width: number; theme: 'dark' | 'light'; ending: string }
const looks: readonly Look[] = [390, 1280].flatMap((width) =>
  (['dark', 'light'] as const).map((theme) => ({ width, theme, ending: `${width}-${theme}.png` })),
)

const isWanted = (name: string) => names.length === 0 || names.includes(name)

function open(
  browser: Browser,
  { width, theme }: Look,
  origin: string,
  session: Session | null,
): Promise<BrowserContext> {
  const localStorage = [{ name: THEME_STORAGE_KEY, value: theme as string }]
  if (session) localStorage.push({ name: AUTH_STORAGE_KEY, value: JSON.stringify(session) })
  return browser.newContext({
    viewport: { width, height: width < 700 ? 844 : 800 },
    reducedMotion: 'reduce',
    colorScheme: theme,
    storageState: { cookies: [], origins: [{ origin, localStorage }] },
  })
}

async function takeScreen(
  browser: Browser,
  product: Product,
  shot: Shot,
  session: Session | null,
  look: Look,
): Promise<void> {
  const context = await open(browser, look, product.url, session)
  const page = await context.newPage()
  await page.clock.install({ time: product.now() })
  // An open feed would never let the network be idle.
  await page.route('**/v1/feed', (route) => route.abort())
  const { token, followed } = await whatFanFollows(product)
  const path = shot.path.replace('{token}', token).replace('{followed}', followed)
  await page.goto(product.url + path, { waitUntil: 'networkidle' })
  await shot.act?.(page)
  await page.screenshot({ path: join(folder, `${shot.name}-${look.ending}`), fullPage: !shot.window })
  await context.close()
}

/** A mail as a reader shows it that knows the theme. */
async function takeMail(browser: Browser, name: string, html: string, look: Look): Promise<void> {
  const context = await open(browser, look, 'http://localhost', null)
  const page = await context.newPage()
  await page.setContent(html)
  await page.screenshot({ path: join(folder, `${name}-${look.ending}`), fullPage: true })
  await context.close()
}

/** A trader whom the follower of the demo world follows, and the token that stands in the mails about that trader. */
async function whatFanFollows({ database }: Product): Promise<{ token: string; followed: string }> {
  const { token, followed } = await database.db
    .selectFrom('unsubscribe_tokens as link')
    .innerJoin('subscriptions as subscription', 'subscription.id', 'link.subscription_id')
    .innerJoin('users as fan', 'fan.id', 'subscription.subscriber_id')
    .innerJoin('accounts as trader', 'trader.user_id', 'subscription.trader_id')
    .select(['link.token', 'trader.username as followed'])
    .where('fan.email', '=', 'fan@people.example')
    .orderBy('trader.username')
    .limit(1)
    .executeTakeFirstOrThrow()
  return { token, followed: followed ?? '' }
}

mkdirSync(folder, { recursive: true })
const executablePath = findChromium()
const browser = await chromium.launch({
  ...(executablePath && { executablePath }),
  args: chromiumArguments(),
})
const mails = Object.entries(await readSampleMails())
  .flatMap(([name, { html }]) => (html === null ? [] : [{ name: `mail-${name}`, html }]))
  .filter(({ name }) => isWanted(name))
for (const { name, html } of mails) for (const look of looks) await takeMail(browser, name, html, look)
const screens = [...shots, ...priceShots, ...notificationShots].filter(({ name }) => isWanted(name))
if (screens.length > 0) {
  const product = await startSeededProduct()
  const sessions = {
    visitor: null,
    trader: await signInByCode(product, 'maria@people.example'),
    follower: await signInByCode(product, 'fan@people.example'),
    newcomer: await signInByCode(product, 'newcomer@people.example'),
  }
  for (const shot of screens)
    for (const look of looks) await takeScreen(browser, product, shot, sessions[shot.as], look)
  await product.stop()
}
await browser.close()
console.log(`${(mails.length + screens.length) * looks.length} pictures in ${folder}`)
