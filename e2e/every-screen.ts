import type { Locator, Page } from '@playwright/test'
import type { Person } from './fixtures.ts'
import { completePayouts } from './paying-steps.ts'
import type { Product } from './product.ts'
import { signInByCode } from './sign-in-by-code.ts'
import { NOTES, nextMarketDay } from './trading-steps.ts'

/** The product API; the sign-in wire is at /auth/v1. */
export const CALLS = (url: URL) => /^\/v1\/(?!feed)/.test(url.pathname)

export type Screen = {
  path: string
  /** An element that is there once the screen has its answers. */
  loaded: (page: Page) => Locator
  /** The message of a failed answer; the fallback with `Try again` unless given. */
  failed?: (page: Page) => Locator
  /** The way on from there. */
  goOn?: (page: Page) => Promise<void>
}

/** The fixtures of e2e/fixtures.ts that make a world. */
type Fixtures = {
  people: { join(): Promise<Person> }
  publish: (person: Person, symbol: string, price: number) => Promise<void>
  follow: (subscriber: Person, trader: Person) => Promise<void>
  call: (person: Person, method: 'GET' | 'POST', path: string, body?: unknown) => Promise<{ body: unknown }>
  setTime: (instant: Date) => Promise<void>
  market: { setPrice(symbol: string, price: number): Promise<void> }
  product: Product
}

/** Every screen that asks the product API for something, with something to show, for one reader. */
export async function makeWorld(fixtures: Fixtures): Promise<{ reader: Person; screens: Screen[] }> {
  const { people, publish, follow, call, market, setTime, product } = fixtures
  const [reader, trader, followed] = [await people.join(), await people.join(), await people.join()]
  await completePayouts(product, trader)
  await follow(reader, followed)
  await publish(trader, 'MSFT', 100)
  await publish(reader, 'AAPL', 187.5)
  await setTime(nextMarketDay(product))
  // The token of the day before has run out; a page renews its own.
  const closing = { ...trader, session: await signInByCode(product, trader.email) }
  // Another journey may have moved it since.
  await market.setPrice('MSFT', 100)
  const { key } = (await call(closing, 'POST', '/v1/positions/preview', { symbol: 'MSFT' })).body as {
    key: string
  }
  const closed = await call(closing, 'POST', '/v1/positions/close', {
    symbol: 'MSFT',
    key,
    closeNotes: NOTES,
  })
  if (!('position' in (closed.body as object))) throw new Error(`not closed: ${JSON.stringify(closed.body)}`)
  const { username } = trader
  const screens: Screen[] = [
    { path: '/', loaded: (page) => page.getByRole('button', { name: 'AAPL' }) },
    { path: '/leaderboard', loaded: (page) => page.getByRole('link', { name: username }) },
    {
      path: `/search?username=${username}`,
      loaded: (page) => page.getByRole('link', { name: 'View Profile' }),
      failed: (page) => page.getByText("That user doesn't seem to exist..."),
      goOn: (page) => page.getByRole('button', { name: 'Search' }).press('Enter'),
    },
    { path: '/activity', loaded: (page) => page.getByRole('article') },
    { path: '/trade', loaded: (page) => page.getByRole('textbox', { name: 'Ticker' }) },
    {
      path: `/trader/${username}`,
      loaded: (page) => page.getByRole('group', { name: 'Closed positions' }),
    },
    {
      path: `/trader/${username}/subscribe`,
      loaded: (page) => page.getByRole('button', { name: 'Continue on Stripe' }),
    },
    {
      path: `/payment/success?trader=${followed.username}`,
      loaded: (page) => page.getByText('Confirmed.'),
      failed: (page) => page.getByText('Confirming your payment…'),
      // It asks again automatically.
      goOn: (page) => page.clock.runFor(10_000),
    },
    { path: '/account', loaded: (page) => page.getByRole('region', { name: 'Feedback' }) },
  ]
  return { reader, screens }
}
