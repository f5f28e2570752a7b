import { type BrowserContext, test as base, expect, type Page, type Request } from '@playwright/test'
import type { Session } from '@supabase/auth-js'
import { ACCOUNT_FRESH_MS } from '../contract/src/limits.ts'
import { AUTH_STORAGE_KEY } from '../contract/src/settings.ts'
import { recordSubscription } from '../server/src/billing/entitlements/entitlement.ts'
import { withTransaction } from '../server/src/platform/database/queryable.ts'
import { makeWorld, type Screen } from './every-screen.ts'
import { KeptContexts } from './kept-contexts.ts'
import { MARKET_OPEN_AT, type Product, startProduct } from './product.ts'
import { codeIn, type Mail, mailsTo, signInByCode } from './sign-in-by-code.ts'
import { type StylesServer, startStylesServer } from './styles-server.ts'
import { noteToasts } from './toasts.ts'
import { NEUTRAL } from './visiting-steps.ts'

export { codeIn, expect, MARKET_OPEN_AT, type Mail }

/** A person with a separate address, signed in with the code that was mailed to it. */
export type Person = { email: string; username: string; session: Session; id: string }

export type Fixtures = {
  product: Product
  /** Makes people as they would join: code by mail, then username. */
  people: { join(options?: { username?: string | null }): Promise<Person> }
  /** Opens a page as a person, or as a visitor, at the width of the test; closed with the test. */
  openAs(person: Person | null, path: string): Promise<Page>
  /** Opens /styles of the development server, every primitive on one page, as a visitor. */
  openStyles(): Promise<Page>
  /** Calls the product API as a person. */
  call(
    person: Person,
    method: 'GET' | 'POST',
    path: string,
    body?: unknown,
  ): Promise<{ status: number; body: unknown }>
  mailbox: {
    latest(to: string, subject?: string): Promise<Mail>
    all(to: string): Promise<Mail[]>
    /** Waits until no event has a mail left to send: who has none now gets none. */
    untilNothingIsLeft(): Promise<void>
  }
  market: { setPrice(symbol: string, price: number): Promise<void> }
  /** Opens a position as a person through the API, at a given price. */
  publish(person: Person, symbol: string, price: number, notes?: string): Promise<void>
  follow(subscriber: Person, trader: { id: string }): Promise<void>
  /**
   * Gives a person closed positions of one gain, straight into the statistics, for as long as the test lasts: the next one finds nobody above
   * its own traders.
   */
  rank(person: Person, gain: number, counts?: { closed: number; wins: number }): Promise<void>
  /** Moves the clock of the product and of every open page, once no call of a page is on its way. */
  setTime(instant: Date): Promise<void>
  /** Every screen with something to show, for one reader (every-screen.ts). */
  everyScreen: { reader: Person; screens: Screen[] }
  /** An option: pages of the test have a browser that has never loaded the app, and its network for themselves. */
  coldBrowser: boolean
}

let serial = 0
let started = 0

type OfWorker = { workerProduct: Product; stylesServer: StylesServer; keptContexts: KeptContexts }

export const test = base.extend<Fixtures, OfWorker>({
  workerProduct: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern to know what a fixture needs
    async ({}, use) => {
      const product = await startProduct()
      await use(product)
      await product.stop()
    },
    { scope: 'worker', timeout: 600_000 },
  ],
  stylesServer: [
    async ({ workerProduct }, use) => {
      const server = await startStylesServer(workerProduct)
      await use(server)
      await server.stop()
    },
    { scope: 'worker', timeout: 600_000 },
  ],
  keptContexts: [
    async ({ browser, workerProduct }, use) => {
      await use(new KeptContexts(browser, [workerProduct.url, workerProduct.sandboxUrl]))
    },
    { scope: 'worker' },
  ],
  coldBrowser: [false, { option: true }],
  // By tag instead of by project: a project has workers of its own, and each starts another product.
  viewport: async ({ viewport }, use, { tags }) => {
    await use(onPhone(tags) ? { width: 390, height: 844 } : viewport)
  },
  hasTouch: async ({ hasTouch }, use, { tags }) => {
    await use(onPhone(tags) || hasTouch)
  },
  isMobile: async ({ isMobile }, use, { tags }) => {
    await use(onPhone(tags) || isMobile)
  },
  openStyles: async ({ stylesServer, openAs }, use) => {
    await use(async () => {
      const page = await openAs(null, NEUTRAL)
      await page.goto(stylesServer.url)
      await expect(page.getByRole('heading', { level: 1, name: 'Styles' })).toBeVisible()
      return page
    })
  },
  product: async ({ workerProduct }, use) => {
    // Each test begins a minute after the last: nothing that is kept for seconds reaches from one into the next.
    started += 1
    workerProduct.setTime(new Date(MARKET_OPEN_AT.getTime() + started * 60_000))
    await use(workerProduct)
  },
  people: async ({ product }, use) => {
    await use({
      async join({ username } = {}) {
        serial += 1
        const name = username === undefined ? `user-${process.pid % 100_000}-${serial}` : username
        const email = `person-${process.pid}-${serial}-${Date.now()}@people.example`
        const session = await signInByCode(product, email)
        if (name !== null)
          await request(product, session, 'POST', '/v1/accounts/username', { username: name })
        return { email, username: name ?? '', session, id: session.user.id }
      },
    })
  },
  openAs: async (
    {
      keptContexts,
      coldBrowser,
      product,
      contextOptions,
      viewport,
      colorScheme,
      hasTouch,
      isMobile,
      locale,
      timezoneId,
      serviceWorkers,
    },
    use,
    test,
  ) => {
    const options = {
      ...contextOptions,
      serviceWorkers,
      viewport,
      colorScheme,
      hasTouch,
      isMobile,
      ...(locale && { locale }),
      ...(timezoneId && { timezoneId }),
    }
    const contexts: BrowserContext[] = []
    const prepare = async (context: BrowserContext) => {
      watchCalls(context)
      await noteToasts(context)
    }
    await use(async (person, path) => {
      const stored: Record<string, string> = person
        ? { [AUTH_STORAGE_KEY]: JSON.stringify(person.session) }
        : {}
      const take = coldBrowser ? keptContexts.takeCold : keptContexts.take
      const context = await take.call(keptContexts, { options, stored }, prepare)
      contexts.push(context)
      const page = await context.newPage()
      await page.clock.install({ time: product.now() })
      // The test before may have stopped it.
      await page.clock.resume()
      openPages.add(page)
      page.on('close', () => openPages.delete(page))
      await page.goto(product.url + path)
      return page
    })
    const keep = !coldBrowser && test.status === test.expectedStatus
    for (const context of contexts) await (keep ? keptContexts.giveBack(context) : keptContexts.end(context))
    callsOnTheWay.clear()
  },
  call: async ({ product }, use) => {
    await use((person, method, path, body) => request(product, person.session, method, path, body))
  },
  mailbox: async ({ product }, use) => {
    const all = (to: string) => mailsTo(product, to)
    await use({
      all,
      async untilNothingIsLeft() {
        const left = () =>
          product.database.pool.query(
            `select from event_work
             union all select from delivery_ranges where done_at is null
             union all select from delivery_exceptions where state = 'retry'`,
          )
        await expect.poll(async () => (await left()).rowCount).toBe(0)
      },
      async latest(to, subject) {
        let found: Mail | undefined
        await expect
          .poll(
            async () => {
              found = (await all(to)).find((mail) => !subject || mail.subject === subject)
              return found !== undefined
            },
            { intervals: [25, 50, 100] },
          )
          .toBe(true)
        return found as Mail
      },
    })
  },
  market: async ({ product }, use) => {
    await use({
      async setPrice(symbol, price) {
        const answer = await fetch(`${product.sandboxUrl}/api/v1/sandbox/quote`, {
          method: 'PUT',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ symbol, price }),
        })
        expect(answer.ok).toBe(true)
        // A price that was checked before is asked about when it is used, five seconds later (ADR 0075).
        product.setTime(new Date(product.now().getTime() + 6000))
        // Accepts the price as an operator would: the share of a journey jumps farther than a real one (ADR 0076). It is newer than every
        // mark that counts, also where the journey before has moved the clock.
        await product.database.pool.query(
          `insert into suspect_prices (symbol, price, since, accepted_price, accepted_at) values ($1, $2, $3, $2, $3)
           on conflict (symbol) do update set accepted_price = excluded.accepted_price, accepted_at = excluded.accepted_at`,
          [symbol, price, new Date(product.now().getTime() + 59_000)],
        )
      },
    })
  },
  publish: async ({ product, market }, use) => {
    await use(async (person, symbol, price, notes = 'Earnings look better than the price says.') => {
      await market.setPrice(symbol, price)
      const preview = await request(product, person.session, 'POST', '/v1/positions/preview', { symbol })
      const { key } = preview.body as { key: string }
      const opened = await request(product, person.session, 'POST', '/v1/positions/open', {
        symbol,
        key,
        openNotes: notes,
        positionLength: 'one_to_three_weeks',
      })
      expect({ preview: preview.body, status: opened.status }).toMatchObject({ status: 201 })
    })
  },
  follow: async ({ product }, use) => {
    await use(async (subscriber, trader) => {
      await withTransaction(product.database.db, (tx) =>
        recordSubscription(
          tx,
          {
            traderId: trader.id,
            subscriberId: subscriber.id,
            status: 'active',
            priceCents: 1000,
            currency: 'usd',
            currentPeriodEnd: null,
            cancelAt: null,
            stripeSubscriptionId: null,
          },
          product.now(),
        ),
      )
    })
  },
  rank: async ({ product }, use) => {
    const { pool } = product.database
    const ranked: string[] = []
    await use(async ({ id }, gain, { closed, wins } = { closed: 1, wins: 0 }) => {
      ranked.push(id)
      await pool.query(
        'insert into trader_stats (trader_id, closed_count, gain_sum, win_count) values ($1, $2::int, $2 * $3::numeric, $4)',
        [id, closed, gain, wins],
      )
    })
    for (const table of ['trader_sparklines', 'trader_stats'])
      await pool.query(`delete from ${table} where trader_id = any ($1)`, [ranked])
  },
  everyScreen: async ({ people, publish, follow, call, market, setTime, product }, use) => {
    await use(await makeWorld({ people, publish, follow, call, market, setTime, product }))
  },
  setTime: async ({ product }, use) => {
    await use(async (instant) => {
      // A call that is on its way now would arrive hours after it was sent, with a token that has run out by then.
      await callsAnswered()
      product.setTime(instant)
      await Promise.all([...openPages].map((page) => page.clock.setSystemTime(instant)))
    })
  },
})

const onPhone = (tags: string[]) => tags.includes('@phone')

const openPages = new Set<Page>()
const callsOnTheWay = new Set<Request>()

function watchCalls(context: BrowserContext): void {
  const pathOf = (request: Request) => new URL(request.url()).pathname
  context.on('request', (request) => /^\/(v1|auth)\//.test(pathOf(request)) && callsOnTheWay.add(request))
  // The live feed has been answered once it is open; it goes on for as long as the page.
  context.on('response', (response) => {
    if (pathOf(response.request()) === '/v1/feed') callsOnTheWay.delete(response.request())
  })
  context.on('requestfinished', (request) => callsOnTheWay.delete(request))
  context.on('requestfailed', (request) => callsOnTheWay.delete(request))
}

/** Waits until no call of an open page is on its way, and none follows the last answer, as the list follows a renewed token. */
export async function callsAnswered(): Promise<void> {
  do {
    await expect.poll(() => [...callsOnTheWay].map((request) => request.url())).toEqual([])
    for (let turn = 0; turn < TURNS_TO_FOLLOW; turn += 1) {
      await Promise.all([...openPages].map((page) => page.evaluate(() => undefined).catch(() => undefined)))
    }
  } while (callsOnTheWay.size > 0)
}

/** Turns of a page's event loop after the last answer: the answer is read, promises resolve, and code that waited for a lock goes on. */
const TURNS_TO_FOLLOW = 3

/** Longer than any list stays fresh: moving the clock by it makes the next visit ask again. */
export const STALE_MS = ACCOUNT_FRESH_MS + 1000

async function request(
  product: Product,
  session: Session,
  method: 'GET' | 'POST',
  path: string,
  body?: unknown,
): Promise<{ status: number; body: unknown }> {
  const answer = await fetch(product.url + path, {
    method,
    headers: { authorization: `Bearer ${session.access_token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: answer.status, body: await answer.json() }
}
