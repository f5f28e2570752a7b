/** Strategies with price keys. Each of them ends with one recorded price, whatever the market does. */
import type { Visit } from './price-walk.ts'

/** `tickers`: how many walks it chooses among. */
export type Taker = { tickers: number; take(visit: Visit): Promise<void> }

/** For how long somebody tries before the press that takes what there is, in seconds. */
const PATIENCE = 300
/** Before a key ends. */
const LAST_CALL = 115

async function pressUntilRecorded(visit: Visit, ticker: number): Promise<void> {
  while ((await visit.press(ticker)) !== 'recorded');
}

async function checkAll(visit: Visit, tickers: number): Promise<void> {
  for (let ticker = 0; ticker < tickers; ticker += 1) await visit.check(ticker)
}

function mostAhead(visit: Visit, tickers: number): number {
  const all = Array.from({ length: tickers }, (_, ticker) => ticker)
  return all.reduce((best, ticker) => (visit.ahead(ticker) > visit.ahead(best) ? ticker : best), 0)
}

/** Checks again where the market has become better than the key, or the key is about to end. */
async function renew(visit: Visit, tickers: number): Promise<void> {
  for (let ticker = 0; ticker < tickers; ticker += 1) if (visit.ahead(ticker) < 0) await visit.check(ticker)
}

/** Reads for a moment, and presses. */
export function thinks(seconds: number): Taker {
  return {
    tickers: 1,
    async take(visit) {
      await visit.check(0)
      visit.wait(seconds)
      await pressUntilRecorded(visit, 0)
    },
  }
}

/** Checks once, and presses when the market turns. */
const waitsWhileItRuns: Taker = {
  tickers: 1,
  async take(visit) {
    await visit.check(0)
    for (let before = -1; visit.ahead(0) > before && visit.second() < LAST_CALL; visit.wait(1))
      before = visit.ahead(0)
    await pressUntilRecorded(visit, 0)
  },
}

/** Checks every few seconds, keeps the best price, and takes it at the end. */
function checksManyTimes(everySeconds: number): Taker {
  return {
    tickers: 1,
    async take(visit) {
      await visit.check(0)
      while (visit.second() < LAST_CALL - everySeconds) {
        visit.wait(everySeconds)
        await renew(visit, 1)
      }
      await pressUntilRecorded(visit, 0)
    },
  }
}

/** Checks all tickers every ten seconds for two minutes, and tries all the keys, the best first. */
function triesEveryKey(tickers: number): Taker {
  return {
    tickers,
    async take(visit) {
      for (; visit.second() < LAST_CALL; visit.wait(10)) await checkAll(visit, tickers)
      for (const key of visit.keys()) {
        const outcome = await visit.press(key)
        if (outcome === 'recorded') return
        if (outcome === 'moved') return pressUntilRecorded(visit, key.ticker)
      }
    },
  }
}

/** Keeps good keys, and presses at once when one of them is ahead by `goal` or more; without such luck, at the end. */
function waitsForALead(tickers: number, goal: number): Taker {
  return {
    tickers,
    async take(visit) {
      await checkAll(visit, tickers)
      while (visit.ahead(mostAhead(visit, tickers)) < goal && visit.second() < PATIENCE) {
        visit.wait(1)
        await renew(visit, tickers)
      }
      await pressUntilRecorded(visit, mostAhead(visit, tickers))
    },
  }
}

/** Checks, and presses for the one that is most ahead after so many seconds. */
function choosesAfter(seconds: number, tickers: number): Taker {
  return {
    tickers,
    async take(visit) {
      await checkAll(visit, tickers)
      visit.wait(seconds)
      await pressUntilRecorded(visit, mostAhead(visit, tickers))
    },
  }
}

/** Presses at `firstGoal` in the first five seconds, which nobody asks about, and after them at what is just tolerated. */
function knowsTheRule(tickers: number, { firstGoal, goal }: { firstGoal: number; goal: number }): Taker {
  const tolerated = 0.0005
  return {
    tickers,
    async take(visit) {
      await checkAll(visit, tickers)
      while (visit.second() < PATIENCE) {
        const ticker = mostAhead(visit, tickers)
        const ahead = visit.ahead(ticker)
        if (visit.second() <= 5 ? ahead >= firstGoal : ahead >= goal && ahead <= tolerated) break
        visit.wait(1)
        if (visit.second() > 5) await renew(visit, tickers)
      }
      await pressUntilRecorded(visit, mostAhead(visit, tickers))
    },
  }
}

/**
 * Looks at a ticker for five seconds, after a first check nobody asks about them, and goes on to another one where it has not run by
 * then; `pause` seconds later.
 */
function movesOn(tickers: number, goal: number, pause = 0): Taker {
  return {
    tickers,
    async take(visit) {
      for (let ticker = 0; ticker < tickers; ticker += 1) {
        if (ticker > 0) visit.wait(pause)
        const until = visit.second() + 5
        for (await visit.check(ticker); visit.second() < until; ) {
          visit.wait(1)
          if (visit.ahead(ticker) >= goal) return pressUntilRecorded(visit, ticker)
        }
      }
      await pressUntilRecorded(visit, tickers - 1)
    },
  }
}

export const TAKERS: readonly (readonly [string, Taker])[] = [
  ['thinks for three seconds', thinks(3)],
  ['thinks for a minute', thinks(60)],
  ['waits while it runs', waitsWhileItRuns],
  ['checks every two seconds', checksManyTimes(2)],
  ['checks every ten seconds', checksManyTimes(10)],
  ['tries every key, of one ticker', triesEveryKey(1)],
  ['tries every key, of four tickers', triesEveryKey(4)],
  ['waits for news, in one ticker', waitsForALead(1, 0.01)],
  ['waits for news, in three tickers', waitsForALead(3, 0.01)],
  ['waits for a small lead, in one ticker', waitsForALead(1, 0.0004)],
  ['waits for a small lead, in three tickers', waitsForALead(3, 0.0004)],
  ['chooses among three tickers after five seconds', choosesAfter(5, 3)],
  ['chooses among three tickers after a minute', choosesAfter(60, 3)],
  ['goes on to another ticker until one runs', movesOn(20, 0.0006)],
  ['does so each ten minutes', movesOn(6, 0.0006, 600)],
  ['knows the rule, in one ticker', knowsTheRule(1, { firstGoal: 0.0005, goal: 0.00045 })],
  ['knows the rule, in three tickers', knowsTheRule(3, { firstGoal: 0.0006, goal: 0.00045 })],
]
