import { expect } from 'vitest'
import type { AskDeps } from '../../src/marks/ask-next.ts'
import { sweepCloses } from '../../src/marks/record-closes.ts'
import type { Settings } from '../../src/platform/settings.ts'
import { settleCloses } from '../../src/positions/publish/settle-closes.ts'
import { scoreAllTraders } from '../../src/proven/score-traders.ts'
import { buildTestApp, makeTestClock, TEST_NOW, type TestApp, type TestClock } from '../build-test-app.ts'
import { silentLog } from '../database/database.ts'
import { call, completePayouts, makeTrader, setMark, subscribe, type Trader } from '../factories.ts'
import { putDiscountCode } from '../money/discount-code.ts'
import { type Feed, openFeed } from '../open-feed.ts'
import { askDepsOf, askOne } from '../prices/marks-scenario.ts'
import { type QuoteServer, startQuoteServer } from '../prices/quote-server.ts'
import { servePublicPages } from '../public-pages.ts'
import { type SignedIn, signIn } from '../sign-in/sign-in.ts'

/** The tickers of these worlds; somebody who looks on holds the first three, whom they follow the next, and nobody the last. */
export const HELD = ['OWNA', 'OWNB', 'OWNC']
export const FOLLOWED = 'FOLA'
export const FREE = ['FREA', 'FREB', 'FREC', 'FRED']
const SYMBOLS = [...HELD, FOLLOWED, ...FREE, 'SPY']

type PublicPages = Awaited<ReturnType<typeof servePublicPages>>

/**
 * One of two worlds. In both the same people do the same at the same instants; in the second one somebody acts.
 * @property stranger who looks on: a trader who holds, follows, is followed, and has nothing to do with the actor
 * @property trader whom the stranger follows
 * @property actor who acts: a trader with followers, who follows the same trader
 */
export type World = {
  testApp: TestApp
  quotes: QuoteServer
  asking: AskDeps
  stranger: Trader
  trader: Trader
  actor: Trader
  fan: SignedIn
  /** Public pages of this world; all three traders have theirs on. */
  pages: PublicPages
  feed: Feed
  received: string[]
  close(): Promise<void>
}

/** @param changed settings of both worlds */
export async function makeTwoWorlds(
  changed: Partial<Settings> = {},
): Promise<{ clock: TestClock; worlds: [quiet: World, acting: World] }> {
  const clock = makeTestClock(TEST_NOW)
  const made = [await makeWorld(clock, changed), await makeWorld(clock, changed)] as const
  await turnRound(clock, made)
  await turnRound(clock, made)
  // Only then: messages for a feed are gathered by the machine's clock.
  return { clock, worlds: [await openTheirFeed(made[0]), await openTheirFeed(made[1])] }
}

type WithoutFeed = Omit<World, 'feed' | 'received'>

async function makeWorld(clock: TestClock, changed: Partial<Settings>): Promise<WithoutFeed> {
  const quotes = await startQuoteServer()
  const testApp = await buildTestApp({ quotes, clock, settings: { limitsOn: false, ...changed } })
  const [stranger, trader, actor] = [
    await makeTrader(testApp, 'stella'),
    await makeTrader(testApp, 'tobias'),
    await makeTrader(testApp, 'anton'),
  ]
  const fan = await signIn(testApp)
  for (const one of [stranger, trader, actor]) {
    await completePayouts(testApp, one)
    await putDiscountCode(testApp, one, 'SPRING')
  }
  for (const one of [stranger, actor]) await subscribe(testApp, one, trader)
  await subscribe(testApp, fan, stranger)
  await subscribe(testApp, fan, actor)
  publishPrices(quotes, clock, 100)
  for (const symbol of SYMBOLS) await setMark(testApp, symbol, 100)
  const world = { testApp, quotes, stranger, trader, actor, fan }
  await act(world, actor, 'POST', '/v1/accounts/about', { about: 'Words of theirs.' })
  for (const one of [stranger, trader, actor])
    await act(world, one, 'POST', '/v1/accounts/public-page', { enabled: true })
  const pages = await servePublicPages(testApp)
  for (const symbol of HELD) await openIn(world, stranger, symbol)
  await openIn(world, trader, FOLLOWED)
  const close = async () => {
    await pages[Symbol.asyncDispose]()
    await testApp.close()
    await quotes.close()
  }
  return { ...world, pages, asking: askDepsOf(testApp, quotes.provider, 60_000), close }
}

async function openTheirFeed(world: WithoutFeed): Promise<World> {
  const feed = await openFeed(world.testApp, world.stranger)
  const received: string[] = []
  void listenTo(feed, received)
  const close = async () => {
    feed.close()
    await world.close()
  }
  return { ...world, feed, received, close }
}

async function listenTo(feed: Feed, received: string[]): Promise<void> {
  try {
    for (;;) {
      const message = await feed.next()
      if (message.type !== 'marks') received.push(JSON.stringify(message))
      else received.push(...message.marks.map((mark) => JSON.stringify(mark)))
    }
  } catch {
    // The test has closed it.
  }
}

/** The market moves, for both worlds alike. */
export function publishPrices(quotes: QuoteServer, clock: TestClock, price: number): void {
  for (const symbol of SYMBOLS) quotes.set(symbol, { price, at: clock.now() })
}

type Of = Pick<World, 'testApp'>

/** A call as somebody, with a token that is good now. @throws when it is refused */
export async function act(
  world: Of,
  who: SignedIn,
  method: 'GET' | 'POST',
  url: string,
  body?: object,
): Promise<Record<string, unknown>> {
  const answer = await call(world.testApp, who, method, url, body)
  expect(answer.status, `${method} ${url} ${JSON.stringify(answer.body)}`).toBeLessThan(300)
  return answer.body
}

export async function checkIn(world: Of, who: SignedIn, symbol: string): Promise<string> {
  return String((await act(world, who, 'POST', '/v1/positions/preview', { symbol })).key)
}

export async function openIn(world: Of, who: SignedIn, symbol: string): Promise<void> {
  const order = { symbol, openNotes: `Why ${symbol} is opened.`, positionLength: 'one_to_three_weeks' }
  await act(world, who, 'POST', '/v1/positions/open', { ...order, key: await checkIn(world, who, symbol) })
}

export async function closeIn(world: Of, who: SignedIn, symbol: string): Promise<void> {
  const order = { symbol, closeNotes: `Why ${symbol} is closed.` }
  await act(world, who, 'POST', '/v1/positions/close', { ...order, key: await checkIn(world, who, symbol) })
}

/** Of each pair of worlds, by its clock: several test files may be run in one process. */
const rounds = new WeakMap<TestClock, number>()

/** The price of the last round. */
const priceOf = (clock: TestClock) => 100 + (rounds.get(clock) ?? 0)

/**
 * A round of marks in both worlds, at new prices, and the sweep of unsettled closes.
 * @param midway done when the first turn of the round has been taken
 */
export async function turnRound(
  clock: TestClock,
  worlds: readonly WithoutFeed[],
  midway?: () => Promise<void>,
): Promise<void> {
  rounds.set(clock, (rounds.get(clock) ?? 0) + 1)
  await turnRoundAt(
    clock,
    worlds.map((world) => [world, priceOf(clock)]),
    midway,
  )
}

/** A round of marks as of `turnRound`, at a price in each world. */
export async function turnRoundAt(
  clock: TestClock,
  priced: readonly (readonly [world: WithoutFeed, price: number])[],
  midway?: () => Promise<void>,
): Promise<void> {
  const worlds = priced.map(([world]) => world)
  // From the beginning of a half minute, so that no instant falls into another one in one of them.
  clock.set(new Date(Math.ceil((clock.now().getTime() + 31_000) / 30_000) * 30_000))
  for (const [{ quotes }, price] of priced) publishPrices(quotes, clock, price)
  await takeTurns(clock, worlds, 1)
  await midway?.()
  await takeTurns(clock, worlds, 3 * SYMBOLS.length)
  for (const { testApp } of worlds) await settleCloses({ ...testApp, log: silentLog }).run(clock.now())
}

async function takeTurns(clock: TestClock, worlds: readonly WithoutFeed[], turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) {
    clock.advance(1)
    for (const { asking, testApp } of worlds) await askOne(testApp, asking)
  }
}

/** Waits until each stranger has received the last round of their symbols. */
export async function receiveRound(clock: TestClock, worlds: readonly World[]): Promise<void> {
  await receive(worlds, `"price":"${priceOf(clock)}"`)
}

/** Waits until each stranger has received this of each of their symbols. */
async function receive(worlds: readonly World[], part: string): Promise<void> {
  for (const { received } of worlds) {
    await expect
      .poll(() =>
        HELD.filter((symbol) => received.some((text) => text.includes(symbol) && text.includes(part))),
      )
      .toEqual(HELD)
  }
}

/** The evening's closes, and the night's scores, in both worlds; then it is three in the afternoon of the next day. */
export async function passNight(clock: TestClock, worlds: readonly World[], nextDay: string): Promise<void> {
  const day = clock.now().toISOString().slice(0, 10)
  clock.set(new Date(`${day}T21:10:00.000Z`))
  for (const { quotes } of worlds)
    publishPrices(quotes, makeTestClock(new Date(`${day}T20:59:50.000Z`)), priceOf(clock))
  for (const { testApp } of worlds) await sweepCloses(testApp.db, 'SPY', clock.now())
  await takeTurns(clock, worlds, 3 * SYMBOLS.length)
  // A mark that is still on its way would be sent by the morning's clock, as an old one.
  await receive(worlds, `"at":"${day}T20:59:30.000Z"`)
  clock.set(new Date(`${nextDay}T04:41:00.000Z`))
  for (const { testApp } of worlds) await scoreAllTraders({ db: testApp.db, indexSymbol: 'SPY' }, clock.now())
  clock.set(new Date(`${nextDay}T15:00:00.000Z`))
  for (const { quotes } of worlds) publishPrices(quotes, clock, priceOf(clock))
}
