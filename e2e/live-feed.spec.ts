import type { BrowserContext, Page, Request } from '@playwright/test'
import { changeStatus } from '../server/src/billing/entitlements/entitlement.ts'
import { withTransaction } from '../server/src/platform/database/queryable.ts'
import { callsAnswered, expect, type Fixtures, type Person, test } from './fixtures.ts'
import type { Product } from './product.ts'
import { signInByCode } from './sign-in-by-code.ts'
import { expectToast, toastsOf } from './toasts.ts'
import { NOTES, nextMarketDay, startClosing } from './trading-steps.ts'
import { keepFeedAway, NEUTRAL } from './visiting-steps.ts'

const FEED = '**/v1/feed'

/** The row of a position in the list. */
const rowOf = (page: Page, symbol: string) => page.getByRole('row', { name: new RegExp(symbol) })

/** Feeds of a browser that are open now. */
function watchFeeds(context: BrowserContext): { open(): number; asked: Request[] } {
  const open = new Set<Request>()
  const asked: Request[] = []
  const isFeed = (request: Request) => new URL(request.url()).pathname === '/v1/feed'
  context.on('request', (request) => {
    if (isFeed(request)) asked.push(request)
  })
  context.on('response', (response) => {
    if (isFeed(response.request()) && response.ok()) open.add(response.request())
  })
  context.on('requestfinished', (request) => open.delete(request))
  context.on('requestfailed', (request) => open.delete(request))
  // The browser does not report the end of a closed tab's feed.
  const isThere = (request: Request) => !request.frame().page().isClosed()
  return { open: () => [...open].filter(isThere).length, asked }
}

type OpenAs = (person: Person, path: string) => Promise<Page>

/** A person's list of positions with a feed that is open. */
async function openWithFeed(openAs: OpenAs, person: Person, product: Product) {
  const page = await openAs(person, NEUTRAL)
  const feeds = watchFeeds(page.context())
  await page.goto(`${product.url}/?tab=all`)
  await expect(page.getByRole('heading', { name: 'Positions' })).toBeVisible()
  await expect.poll(feeds.open).toBe(1)
  return { page, feeds }
}

/** Signs a person in again, for a token that is still good a day later. */
async function signedInAgain(product: Product, person: Person): Promise<Person> {
  return { ...person, session: await signInByCode(product, person.email) }
}

/** Closes a position of a trader through the API. */
async function closeAs(
  { call, market }: Pick<Fixtures, 'call' | 'market'>,
  trader: Person,
  symbol: string,
  price: number,
) {
  await market.setPrice(symbol, price)
  const { body } = await call(trader, 'POST', '/v1/positions/preview', { symbol })
  const { key } = body as { key: string }
  const closed = await call(trader, 'POST', '/v1/positions/close', { symbol, key, closeNotes: NOTES })
  expect(closed.status).toBe(200)
}

/** Ends a paid subscription, as the payment provider reports it. */
async function endFollowing({ database, now }: Product, subscriber: Person, trader: Person) {
  const { id } = await database.db
    .selectFrom('subscriptions')
    .select('id')
    .where('trader_id', '=', trader.id)
    .where('subscriber_id', '=', subscriber.id)
    .executeTakeFirstOrThrow()
  const facts = { status: 'canceled' as const, currentPeriodEnd: null, cancelAt: null }
  await withTransaction(database.db, (tx) => changeStatus(tx, { traderId: trader.id, id }, facts, now()))
}

test('an open page shows what a trader opens and closes, announces it politely, and asks for no list', async ({
  people,
  openAs,
  follow,
  publish,
  product,
  call,
  market,
  setTime,
}) => {
  const [trader, follower] = [await people.join(), await people.join()]
  await follow(follower, trader)
  // A list that is loaded right after a change is asked for again once the feed is open.
  product.setTime(new Date(product.now().getTime() + 60_000))
  const { page } = await openWithFeed(openAs, follower, product)
  await expect(page.getByText('No positions available.')).toBeVisible()
  const lists: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/v1/positions')) lists.push(request.url())
  })

  await publish(trader, 'AAPL', 187.52)
  await expect(rowOf(page, 'AAPL')).toContainText(trader.username)
  await expectToast(page, `@${trader.username} opened AAPL at $187.52`)
  await expect(page.locator('[data-slot=toast]').first()).toHaveAttribute('aria-live', 'polite')
  expect(lists).toEqual([])

  await setTime(nextMarketDay(product))
  await closeAs({ call, market }, await signedInAgain(product, trader), 'AAPL', 201.1)
  await expect(rowOf(page, 'AAPL')).toHaveCount(0)
  await expect(page.getByText('No positions available.')).toBeVisible()
  await expectToast(page, `@${trader.username} closed AAPL at $201.10 (+7.24%)`)
})

test('a position that is closed while one looks at it is shown as closed in its window, to a follower and to its trader elsewhere', async ({
  people,
  openAs,
  follow,
  publish,
  product,
  call,
  market,
  setTime,
}) => {
  const [trader, follower] = [await people.join(), await people.join()]
  await follow(follower, trader)
  const { page } = await openWithFeed(openAs, follower, product)
  await publish(trader, 'AAPL', 187.52)
  await setTime(nextMarketDay(product))
  const again = await signedInAgain(product, trader)
  await page.getByRole('button', { name: 'AAPL', exact: true }).click()
  const seen = page.getByRole('dialog')
  await expect(seen.getByRole('heading', { name: 'So far' })).toBeVisible()
  const { page: own } = await openWithFeed(openAs, again, product)
  const closing = await startClosing(own, 'AAPL')
  await closing.getByRole('textbox', { name: 'Close notes' }).fill(NOTES)

  await closeAs({ call, market }, again, 'AAPL', 201.1)
  await expect(seen.getByRole('alert')).toContainText('This position is not in your list any more')
  await expect(seen.getByRole('heading', { name: 'So far' })).toHaveCount(0)
  await expect(seen.getByRole('link', { name: 'Activity' })).toHaveAttribute('href', '/activity')
  await page.keyboard.press('Escape')
  await expect(seen).toBeHidden()
  await expect(page.locator('main :focus')).toHaveCount(1)

  await expect(closing.getByRole('alert')).toBeFocused()
  await expect(closing.getByRole('alert')).toContainText('This position has been closed')
  await expect(closing.getByRole('button', { name: 'Submit' })).toHaveCount(0)
  await closing.getByRole('link', { name: 'your profile' }).click()
  await expect(own).toHaveURL(new RegExp(`/trader/${trader.username}$`))
})

test('a position published while one looks at a profile and the leaderboard is on both', async ({
  people,
  openAs,
  follow,
  publish,
  product,
  call,
  market,
  setTime,
}) => {
  const [trader, follower] = [await people.join(), await people.join()]
  await follow(follower, trader)
  await publish(trader, 'MSFT', 400)
  await setTime(nextMarketDay(product))
  const { page } = await openWithFeed(openAs, follower, product)
  await page.goto(`${product.url}/trader/${trader.username}`)
  const leaderboard = await page.context().newPage()
  await leaderboard.goto(`${product.url}/leaderboard`)
  await expect(leaderboard.getByRole('heading', { name: 'Leaderboard' })).toBeVisible()
  await expect(page.getByRole('heading', { level: 1, name: trader.username })).toBeVisible()
  await callsAnswered()

  await closeAs({ call, market }, await signedInAgain(product, trader), 'MSFT', 440)
  await expect(page.getByRole('row', { name: /MSFT.*10\.00/ })).toBeVisible()
  await expect(
    leaderboard.getByRole('row', { name: new RegExp(`${trader.username}.*10\\.00`) }),
  ).toBeVisible()
})

test('six tabs share one stream, and another goes on when the one that reads it is closed', async ({
  people,
  openAs,
  follow,
  publish,
  product,
}) => {
  const [trader, follower] = [await people.join(), await people.join()]
  await follow(follower, trader)
  const { page, feeds } = await openWithFeed(openAs, follower, product)
  const tabs = [page]
  for (let nth = 1; nth < 6; nth += 1) {
    const tab = await page.context().newPage()
    await tab.goto(`${product.url}/?tab=all`)
    await expect(tab.getByText('No positions available.')).toBeVisible()
    tabs.push(tab)
  }
  await publish(trader, 'AAPL', 180)
  for (const tab of tabs) await expect(rowOf(tab, 'AAPL')).toBeVisible()
  expect(feeds.asked).toHaveLength(1)

  await page.close()
  await expect.poll(() => feeds.asked.length).toBe(2)
  expect(feeds.asked[1]?.headers()['last-event-id']).toMatch(/^[\w-]{20,}$/)
  await expect.poll(feeds.open).toBe(1)
  await publish(trader, 'NVDA', 900)
  for (const tab of tabs.slice(1)) {
    await expect(rowOf(tab, 'NVDA')).toBeVisible()
    expect(await toastsOf(tab)).not.toContain('2 new signals')
  }
})

test('a page without a network shows what it missed once it is back', async ({
  people,
  openAs,
  follow,
  publish,
  product,
}) => {
  const [trader, follower] = [await people.join(), await people.join()]
  await follow(follower, trader)
  const { page, feeds } = await openWithFeed(openAs, follower, product)
  await keepFeedAway(page)
  // The server ends the stream, as at a restart.
  await product.database.pool.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen %' or query = 'select'",
  )
  await expect.poll(feeds.open).toBe(0)
  await publish(trader, 'AAPL', 180)
  await publish(trader, 'MSFT', 400)
  await page.unroute(FEED)
  await page.evaluate(() => dispatchEvent(new Event('online')))
  for (const symbol of ['AAPL', 'MSFT']) await expect(rowOf(page, symbol)).toBeVisible()
  await expect.poll(feeds.open).toBe(1)
})

test('a position published between the load of a list and the opening of the stream is not missed', async ({
  people,
  openAs,
  follow,
  publish,
  product,
}) => {
  const [trader, follower] = [await people.join(), await people.join()]
  await follow(follower, trader)
  const page = await openAs(follower, NEUTRAL)
  const held = Promise.withResolvers<void>()
  await page.route(FEED, async (route) => {
    await held.promise
    await route.continue()
  })
  await page.goto(`${product.url}/?tab=all`)
  await expect(page.getByText('No positions available.')).toBeVisible()
  await publish(trader, 'AAPL', 180)
  held.resolve()
  await expect(rowOf(page, 'AAPL')).toBeVisible()
})

test('a page that no stream reaches asks for a version when somebody comes back to it', async ({
  people,
  openAs,
  follow,
  publish,
  product,
}) => {
  const [trader, follower] = [await people.join(), await people.join()]
  await follow(follower, trader)
  const page = await openAs(follower, NEUTRAL)
  await keepFeedAway(page)
  await page.goto(`${product.url}/?tab=all`)
  await expect(page.getByText('No positions available.')).toBeVisible()
  const comeBack = () => page.evaluate(() => dispatchEvent(new Event('focus')))
  const versions: string[] = []
  page.on('response', async (response) => {
    if (response.url().endsWith('/v1/feed/version')) versions.push(await response.text())
  })
  await expect
    .poll(async () => {
      await comeBack()
      return versions.length
    })
    .toBeGreaterThan(0)
  await publish(trader, 'AAPL', 180)
  await comeBack()
  await expect(rowOf(page, 'AAPL')).toBeVisible()
})

test('a reader who is not entitled any more loses the positions at once, and receives no further one', async ({
  people,
  openAs,
  follow,
  publish,
  product,
}) => {
  const [trader, other, follower] = [await people.join(), await people.join(), await people.join()]
  await follow(follower, trader)
  await follow(follower, other)
  await publish(trader, 'AAPL', 180)
  const { page } = await openWithFeed(openAs, follower, product)
  await expect(rowOf(page, 'AAPL')).toBeVisible()
  await endFollowing(product, follower, trader)
  await expect(rowOf(page, 'AAPL')).toHaveCount(0)
  await publish(trader, 'NVDA', 900)
  await publish(other, 'MSFT', 400)
  await expect(rowOf(page, 'MSFT')).toBeVisible()
  await expect(rowOf(page, 'NVDA')).toHaveCount(0)
})

test('a page whose session has been ended elsewhere signs out without a click', async ({
  people,
  openAs,
  product,
}) => {
  const person = await people.join()
  const { page } = await openWithFeed(openAs, person, product)
  await product.database.pool.query('update sessions set revoked_at = now() where user_id = $1', [person.id])
  await expect(page.getByRole('link', { name: 'Get started' }).first()).toBeVisible()
  expect(new URL(page.url()).pathname).toBe('/')
})

test('a renewed access token opens the stream again where it was', async ({ people, openAs, product }) => {
  const person = await people.join()
  const { page, feeds } = await openWithFeed(openAs, person, product)
  const [first] = feeds.asked
  // The client renews a token in the last minutes of its hour.
  await page.clock.fastForward(3_590_000)
  await expect.poll(() => feeds.asked.length).toBe(2)
  const [, second] = feeds.asked
  expect(second?.headers().authorization).not.toBe(first?.headers().authorization)
  expect(second?.headers()['last-event-id']).toMatch(/^[\w-]{20,}$/)
  await expect.poll(feeds.open).toBe(1)
  await expect(page.getByRole('heading', { name: 'Positions' })).toBeVisible()
})

test('on a phone a new position comes in too, without a sideways scroll', { tag: ['@phone'] }, async ({
  people,
  openAs,
  follow,
  publish,
  product,
}) => {
  const [trader, follower] = [await people.join(), await people.join()]
  await follow(follower, trader)
  const { page } = await openWithFeed(openAs, follower, product)
  await publish(trader, 'AAPL', 187.52)
  await expect(page.getByRole('button', { name: /AAPL/ }).first()).toBeVisible()
  await expectToast(page, `@${trader.username} opened AAPL at $187.52`)
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
})

test('the feed begins after the load of its page, which it would keep from ending in WebKit', async ({
  people,
  openAs,
  product,
}) => {
  const page = await openAs(await people.join(), NEUTRAL)
  const feeds = watchFeeds(page.context())
  const picture = Promise.withResolvers<void>()
  await page.route(`${product.url}/`, async (route) => {
    const response = await route.fetch()
    const body = (await response.text()).replace('</body>', '<img src="/late.png" alt=""></body>')
    await route.fulfill({ response, body })
  })
  await page.route('**/late.png', async (route) => {
    await picture.promise
    await route.abort()
  })
  await page.goto(product.url, { waitUntil: 'domcontentloaded' })
  await expect(page.getByRole('heading', { name: 'Positions' })).toBeVisible()
  // This page is the one that keeps the feed for all of the browser.
  const locksHeld = () => page.evaluate(async () => (await navigator.locks.query()).held?.length ?? 0)
  await expect.poll(locksHeld).toBeGreaterThan(0)
  expect(await page.evaluate(() => document.readyState)).toBe('interactive')
  expect(feeds.asked).toEqual([])
  picture.resolve()
  await expect.poll(feeds.open).toBe(1)
})
