/**
 * `node scripts/screenshots.ts [folder] [name …]`: pictures of every screen of a seeded product in its states, of the documents
 * beside it and of every mail, at 390 and 1280 px, in both themes, for people to look at; with names, of these alone.
 * `node scripts/screenshots.ts --readme`: those of the README again (docs/pictures), and which of them have changed since.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, type BrowserContext, chromium, type Page } from '@playwright/test'
import type { Session } from '@supabase/auth-js'
import { AUTH_STORAGE_KEY, THEME_STORAGE_KEY } from '../contract/src/settings.ts'
import { type Product, startSeededProduct } from '../e2e/product.ts'
import { signInByCode } from '../e2e/sign-in-by-code.ts'
import { chromiumArguments, findChromium } from './chromium.ts'
import { changedPart } from './pictures/changed-part.ts'
import { leavingShots } from './pictures/leaving-shots.ts'
import { notificationShots } from './pictures/notification-shots.ts'
import { priceShots } from './pictures/price-shots.ts'
import { type ReadmePicture, readmePictures } from './pictures/readme-pictures.ts'
import { readSampleMails } from './pictures/sample-mails.ts'
import { type Shot, shots } from './pictures/shots.ts'

const PICTURES = join(import.meta.dirname, '../docs/pictures')
const [folder = join(import.meta.dirname, '../.cache/screenshots'), ...names] = process.argv.slice(2)
const isReadme = folder === '--readme'

/** A size and a theme, and how files of it are called. */
type Look = { width: number; theme: 'dark' | 'light'; ending: string }
type Wanted = { name: string; look: Look; readme?: ReadmePicture }
const looks: readonly Look[] = [390, 1280].flatMap((width) =>
  (['dark', 'light'] as const).map((theme) => ({ width, theme, ending: `${width}-${theme}.png` })),
)

/** In which looks a screen or a mail is wanted. */
function wanted(name: string): Wanted[] {
  if (!isReadme)
    return names.length === 0 || names.includes(name) ? looks.map((look) => ({ name, look })) : []
  return readmePictures
    .filter(({ of }) => of === name)
    .map((readme) => ({ name, look: { width: readme.width, theme: readme.theme, ending: '' }, readme }))
}

/** Writes a picture; one of the README with how much of it is another than before. */
async function take(page: Page, { look, name, readme }: Wanted, isWindow: boolean): Promise<void> {
  if (!readme) {
    await page.screenshot({ path: join(folder, `${name}-${look.ending}`), fullPage: !isWindow })
    return
  }
  const { file, from } = readme
  if (from)
    await page
      .getByText(from)
      .first()
      .evaluate((top) => top.scrollIntoView({ block: 'start' }))
  const path = join(PICTURES, file)
  const after = await page.screenshot()
  const part = await changedPart(browser, existsSync(path) ? readFileSync(path) : null, after)
  if (part > 0) writeFileSync(path, after)
  console.log(`${file}: ${part === 0 ? 'as before' : `${part.toFixed(1)} % of it have changed`}`)
}

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
    // A phone's scroll bars take no room.
    isMobile: width < 700,
    hasTouch: width < 700,
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
  one: Wanted,
): Promise<void> {
  const context = await open(browser, one.look, product.url, session)
  const page = await context.newPage()
  await page.clock.install({ time: product.now() })
  // An open feed would never let the network be idle.
  await page.route('**/v1/feed', (route) => route.abort())
  const { token, followed, newest } = await whatFanFollows(product)
  const item = `${followed}.${newest}`
  const path = shot.path.replace('{token}', token).replace('{followed}', followed).replace('{item}', item)
  await page.goto(product.url + path, { waitUntil: 'networkidle' })
  await shot.act?.(page)
  await take(page, one, shot.window === true)
  await context.close()
}

/** A mail as a reader shows it that knows the theme. */
async function takeMail(browser: Browser, html: string, one: Wanted): Promise<void> {
  const context = await open(browser, one.look, 'http://localhost', null)
  const page = await context.newPage()
  await page.setContent(html)
  await take(page, one, false)
  await context.close()
}

/** A link that stops mails, and the newest event, of a trader whom the follower follows. */
async function whatFanFollows({
  database,
}: Product): Promise<{ token: string; followed: string; newest: number }> {
  const { token, followed, newest } = await database.db
    .selectFrom('unsubscribe_tokens as link')
    .innerJoin('subscriptions as subscription', 'subscription.id', 'link.subscription_id')
    .innerJoin('users as fan', 'fan.id', 'subscription.subscriber_id')
    .innerJoin('accounts as trader', 'trader.user_id', 'subscription.trader_id')
    .innerJoin('position_events as event', 'event.trader_id', 'subscription.trader_id')
    .select((eb) => ['link.token', 'trader.username as followed', eb.fn.max('event.event_no').as('newest')])
    .where('fan.email', '=', 'fan@people.example')
    .groupBy(['link.token', 'trader.username'])
    .orderBy('trader.username')
    .limit(1)
    .executeTakeFirstOrThrow()
  return { token, followed: followed ?? '', newest }
}

if (!isReadme) mkdirSync(folder, { recursive: true })
const executablePath = findChromium()
const browser = await chromium.launch({
  ...(executablePath && { executablePath }),
  args: chromiumArguments(),
})
let count = 0
for (const [name, { html }] of Object.entries(await readSampleMails()))
  for (const one of html === null ? [] : wanted(`mail-${name}`)) {
    await takeMail(browser, html ?? '', one)
    count += 1
  }
const screens = [...shots, ...leavingShots, ...priceShots, ...notificationShots].flatMap((shot) =>
  wanted(shot.name).map((one) => ({ shot, one })),
)
if (screens.length > 0) {
  const product = await startSeededProduct()
  const sessions = {
    visitor: null,
    trader: await signInByCode(product, 'maria@people.example'),
    follower: await signInByCode(product, 'fan@people.example'),
    newcomer: await signInByCode(product, 'newcomer@people.example'),
  }
  for (const { one, shot } of screens) await takeScreen(browser, product, shot, sessions[shot.as], one)
  await product.stop()
}
await browser.close()
console.log(`${count + screens.length} pictures in ${isReadme ? PICTURES : folder}`)
