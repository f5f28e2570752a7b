import type { Page } from '@playwright/test'
import { AUTH_STORAGE_KEY, SEEN_STORAGE_KEY } from '../contract/src/storage-keys.ts'
import { test as base, expect, type Person } from './fixtures.ts'
import { landing, stored } from './visiting-steps.ts'

const OFFLINE = 'You are offline. What you see is kept, and refreshed once you are back.'

/** Somebody else's position, as their page would have kept it. */
const LEFT_BEHIND = JSON.stringify({
  person: 'another',
  answers: { positions: { at: 0, answer: { positions: [{ stock: 'AAPL' }] } } },
})

const row = (page: Page, ticker: string) => page.getByRole('row').filter({ hasText: ticker })

/** The worker has kept the whole app, and the page what it shows. */
async function untilKept(page: Page, shown: string): Promise<void> {
  await expect.poll(() => page.evaluate(async () => Boolean(await caches.match('/search')))).toBe(true)
  await expect.poll(async () => (await stored(page))[SEEN_STORAGE_KEY]).toContain(shown)
}

type Visited = { maria: Person; page: Page; passHours(hours: number): Promise<void> }

const test = base.extend<{ visited: Visited }>({
  /** Somebody who follows a trader of one position: their page, which has seen positions and activity. */
  visited: async ({ people, openAs, follow, publish, product, setTime }, use) => {
    const [maria, fan] = [await people.join(), await people.join()]
    await follow(fan, maria)
    const page = await openAs(fan, '/')
    await publish(maria, 'AAPL', 187.52)
    await expect(row(page, 'AAPL')).toBeVisible()
    await page.goto(`${product.url}/activity`)
    await expect(page.getByText('AAPL').first()).toBeVisible()
    await untilKept(page, '"activity"')
    await use({
      maria,
      page,
      passHours: (hours) => setTime(new Date(product.now().getTime() + hours * 3_600_000)),
    })
  },
})

test.use({ serviceWorkers: 'allow' })

/** Paths of the calls that a page tries from now on. */
function watchCalls(page: Page): string[] {
  const calls: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (request.method() !== 'GET' || pathname.startsWith('/auth/'))
      calls.push(`${request.method()} ${pathname}`)
  })
  return calls
}

for (const [token, secondsLater] of [
  ['a live token', 120],
  ['a token that has run out', 2 * 3600],
] as const) {
  test(`a start without a network, with ${token}, shows positions and activity as last seen with their age, and sends nothing`, async ({
    visited,
    product,
  }) => {
    const { page, passHours } = visited
    await page.context().setOffline(true)
    await passHours(secondsLater / 3600)
    const calls = watchCalls(page)
    await page.goto(product.url)
    await expect(row(page, 'AAPL')).toContainText('187.52')
    await expect(page.getByText(OFFLINE)).toBeVisible()
    await expect(
      page.getByText(secondsLater === 120 ? /^Last loaded 2 min ago/ : /^Last loaded 2 h ago/),
    ).toBeVisible()
    await page.goto(`${product.url}/activity`)
    await expect(page.getByText('AAPL').first()).toBeVisible()
    await expect(page.getByText(/^Last loaded 2 (min|h) ago/)).toBeVisible()
    expect(calls).toEqual([])

    await page.context().setOffline(false)
    await expect(page.getByText(OFFLINE)).toHaveCount(0)
    await expect(page.getByText(/^Last loaded/)).toHaveCount(0)
    await page.getByRole('link', { name: 'Home' }).click()
    await expect(row(page, 'AAPL')).toContainText('187.52')
    await expect(page.getByText(/^Last loaded/)).toHaveCount(0)
  })
}

test('Back and Forward without a network show what is kept, also with a token that has run out', async ({
  visited,
  product,
}) => {
  const { page, passHours } = visited
  await page.context().setOffline(true)
  await passHours(2)
  await page.goto(`${product.url}/search`)
  await expect(page.getByRole('searchbox')).toBeVisible()
  await page.goBack()
  await expect(page).toHaveURL(`${product.url}/activity`)
  await expect(page.getByText(/^Last loaded 2 h ago/)).toBeVisible()
  await expect(page.getByText('AAPL').first()).toBeVisible()
  await page.goBack()
  await expect(page).toHaveURL(`${product.url}/`)
  await expect(row(page, 'AAPL')).toContainText('187.52')
  await page.goForward()
  await expect(page.getByText(/^Last loaded 2 h ago/)).toBeVisible()
})

test('a list that was looked at without a network and left is new once there is one', async ({
  visited,
  publish,
  product,
}) => {
  const { maria, page } = visited
  await page.context().setOffline(true)
  await publish(maria, 'MSFT', 300)
  await page.goto(product.url)
  await expect(page.getByText(/^Last loaded/)).toBeVisible()
  await page.getByRole('link', { name: 'Search' }).click()
  await page.context().setOffline(false)
  await expect(page.getByText(OFFLINE)).toHaveCount(0)
  await page.getByRole('link', { name: 'Home' }).click()
  await expect(row(page, 'MSFT')).toBeVisible()
  await expect(page.getByText(/^Last loaded/)).toHaveCount(0)
})

test('an Activity in which nothing had happened shows its age too', async ({
  people,
  openAs,
  product,
  setTime,
}) => {
  const page = await openAs(await people.join(), '/activity')
  await expect(page.getByText('Nothing has happened yet.')).toBeVisible()
  await untilKept(page, '"activity"')
  await page.context().setOffline(true)
  await setTime(new Date(product.now().getTime() + 2 * 3_600_000))
  await page.goto(`${product.url}/activity`)
  await expect(page.getByText('Nothing has happened yet.')).toBeVisible()
  await expect(page.getByText(/^Last loaded 2 h ago/)).toBeVisible()
})

test('the item that a mail leads to is shown without a network where it was seen', async ({
  visited,
  product,
}) => {
  const { maria, page } = visited
  await page.context().setOffline(true)
  await page.goto(`${product.url}/activity?item=${maria.username}.1`)
  await expect(page.getByText('AAPL').first()).toBeVisible()
  await expect(page.getByText(/^Last loaded/)).toBeVisible()
})

test('a check that was pressed without a network is not sent once there is one', async ({
  visited,
  product,
}) => {
  const { page } = visited
  await page.context().setOffline(true)
  await page.goto(`${product.url}/trade`)
  await page.getByRole('textbox', { name: 'Ticker' }).fill('AAPL')
  await page.getByRole('button', { name: 'Check Price' }).click()
  await expect(page.getByRole('textbox', { name: 'Price', exact: true })).toHaveValue(
    'Something went wrong, please try again.',
  )
  const calls = watchCalls(page)
  await page.context().setOffline(false)
  await expect(page.getByText(OFFLINE)).toHaveCount(0)
  await page.getByRole('link', { name: 'Home' }).click()
  await expect(row(page, 'AAPL')).toBeVisible()
  expect(calls).toEqual([])
})

test('after signing out, without a network too, a start shows nothing of the person, nor do the lists of the next one', async ({
  visited,
  people,
  product,
}) => {
  const { page, passHours } = visited
  const next = await people.join()
  await page.context().setOffline(true)
  await passHours(2)
  await page.goto(product.url)
  await page.getByRole('link', { name: 'Logout' }).click()
  await expect(landing(page)).toBeVisible()
  expect(await stored(page)).not.toHaveProperty(SEEN_STORAGE_KEY)
  await page.goto(`${product.url}/activity`)
  await expect(page.getByRole('textbox', { name: 'E-mail' })).toBeVisible()
  await expect(page.getByText('AAPL')).toHaveCount(0)
  // Entries left by a browser that ended before it could delete them are not shown either.
  const entries = { [AUTH_STORAGE_KEY]: JSON.stringify(next.session), [SEEN_STORAGE_KEY]: LEFT_BEHIND }
  await page.evaluate((values) => Object.assign(localStorage, values), entries)
  await page.goto(product.url)
  await expect(page.getByText('Something went wrong, please try again.')).toBeVisible()
  await expect(page.getByText('AAPL')).toHaveCount(0)
})
