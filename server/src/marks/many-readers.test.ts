import { MARK_FRESH_MS, MARKS_ASKED_EVERY_MS } from '@tradepost/contract/marks'
import { expect, test } from 'vitest'
import { buildTestApp, TEST_NOW, type TestApp } from '../../test/build-test-app.ts'
import { makeTrader, subscribe } from '../../test/factories.ts'
import { askDepsOf, askOne, holdSymbols, type MarkSeen, marksOf } from '../../test/prices/marks-scenario.ts'
import { type QuoteServer, startQuoteServer } from '../../test/prices/quote-server.ts'
import { type SignedIn, signIn } from '../../test/sign-in/sign-in.ts'
import { readEnv } from '../platform/env.ts'
import { makeSettings } from '../platform/make-settings.ts'
import type { AskDeps } from './ask-next.ts'

/** A thousand at full size. */
const READERS = Number(process.env.MARK_READERS ?? 15)
const SYMBOLS = Array.from({ length: 500 }, (_, nth) => `S${nth}`)
/** So many people are signed in, or look, at the same time. */
const AT_ONCE = 20
const PAUSES = MARKS_ASKED_EVERY_MS / 1000

/** People who follow one trader; the trader holds all symbols. */
async function makeReaders(testApp: TestApp): Promise<SignedIn[]> {
  const trader = await makeTrader(testApp)
  await holdSymbols(testApp, trader, SYMBOLS)
  return inGroups(Array.from({ length: READERS }), async () => {
    const reader = await signIn(testApp)
    await subscribe(testApp, reader, trader)
    return reader
  })
}

async function inGroups<T, R>(all: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> {
  const done: R[] = []
  for (let at = 0; at < all.length; at += AT_ONCE)
    done.push(...(await Promise.all(all.slice(at, at + AT_ONCE).map(work))))
  return done
}

/** The price that the provider last answered for each symbol, and when, by the clock of the test: a price that is never the same twice. */
type PricesGiven = Map<string, { price: string; at: number }>

function publishPrices(quotes: QuoteServer, testApp: TestApp): PricesGiven {
  const given: PricesGiven = new Map()
  let thousandths = 100_000
  for (const symbol of SYMBOLS)
    quotes.set(symbol, (response) => {
      const at = testApp.clock.now().getTime()
      thousandths += 1
      const price = thousandths / 1000
      given.set(symbol, { price: String(price), at })
      response.end(JSON.stringify({ c: price, t: Math.floor(at / 1000) }))
    })
  return given
}

/** Whether a mark shows the last answered price, before the first answer the price of the opening, and how old that is. */
function isHonest({ symbol, price, state }: MarkSeen, given: PricesGiven, now: number): boolean {
  const last = given.get(symbol)
  if (!last) return price === '1' && state === 'aged'
  return price === last.price && state === (now - last.at <= MARK_FRESH_MS ? 'current' : 'aged')
}

/** A second of three workers, whose turns are all that the budget allows and one more. @returns when they asked, in ms */
async function workForASecond(
  testApp: TestApp,
  workers: readonly AskDeps[],
  began: number,
): Promise<number[]> {
  const [{ perMinute } = { perMinute: 1 }] = workers
  const share = Math.min(60_000 / perMinute, 1000)
  const asked: number[] = []
  for (let ms = 0; ms < 1000; ms += share) {
    testApp.clock.set(new Date(began + ms))
    const symbols = await Promise.all(workers.map((worker) => askOne(testApp, worker)))
    const taken = symbols.filter((symbol) => symbol !== null)
    asked.push(...taken.map(() => began + ms))
    // Nothing is due, and nothing becomes due within the second.
    if (taken.length === 0 && share < 1000) break
  }
  return asked
}

/** The marks that all readers are shown in 90 s of a page that asks every half minute, and the calls that were made for it. */
async function watch(testApp: TestApp, quotes: QuoteServer, perMinute: number) {
  const readers = await makeReaders(testApp)
  const given = publishPrices(quotes, testApp)
  const workers = Array.from({ length: 3 }, () => askDepsOf(testApp, quotes.provider, perMinute))
  const asked: number[] = []
  /** Marks shown by half minute and state. */
  const shown = [0, 1, 2].map((): Record<string, number> => ({}))
  for (let second = 0; second < 3 * PAUSES; second += 1) {
    const now = TEST_NOW.getTime() + second * 1000
    testApp.clock.set(new Date(now))
    const looking = readers.filter((_, nth) => nth % PAUSES === second % PAUSES)
    const counts = shown[Math.floor(second / PAUSES)] ?? {}
    for (const marks of await inGroups(looking, (reader) => marksOf(testApp, reader))) {
      expect(marks.length).toBe(500)
      expect(marks.filter((mark) => !isHonest(mark, given, now))).toEqual([])
      for (const { state } of marks) counts[state] = (counts[state] ?? 0) + 1
    }
    asked.push(...(await workForASecond(testApp, workers, now)))
  }
  return { asked, shown }
}

test.each([
  [60, 30],
  [6000, 3000],
])(
  '500 symbols stay within half of a provider’s %s calls a minute, however many read them, and no mark looks younger than it is',
  async (calls, budget) => {
    await using quotes = await startQuoteServer()
    await using testApp = await buildTestApp({ quotes, settings: { limitsOn: false } })
    const { marksPerMinute } = makeSettings(readEnv({ QUOTES_PER_MINUTE: String(calls) }))
    expect(marksPerMinute).toBe(budget)
    const { asked, shown } = await watch(testApp, quotes, marksPerMinute)
    // Counted where the calls arrive.
    expect(quotes.asked.length).toBe(asked.length)
    for (const from of asked)
      expect(asked.filter((at) => at >= from && at < from + 60_000).length).toBeLessThanOrEqual(budget)
    const [, , last = {}] = shown
    if (calls === 60) {
      // All that the budget allows: every symbol is asked less often than each minute, and is marked as old.
      expect(asked.length).toBe(45)
      expect(new Set(quotes.asked.map(({ symbol }) => symbol)).size).toBe(45)
      expect(Object.keys(last).toSorted()).toEqual(['aged', 'current'])
    } else {
      // Every symbol each half minute, however many look: no mark is older than a minute.
      expect(asked.length).toBe(1500)
      expect(last).toEqual({ current: READERS * SYMBOLS.length })
    }
  },
  600_000,
)
