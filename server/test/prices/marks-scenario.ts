import { expect } from 'vitest'
import { type AskDeps, askAbout, takeDue } from '../../src/marks/ask-next.ts'
import { makeFinnhub } from '../../src/quotes/adapters/finnhub.ts'
import type { TestApp } from '../build-test-app.ts'
import { silentLog } from '../database/database.ts'
import { call } from '../factories.ts'
import type { SignedIn } from '../sign-in/sign-in.ts'

export type MarkSeen = { symbol: string; price: string | null; at: string | null; state: string }

/** The answer of `/v1/marks` to somebody. */
export async function marksOf(testApp: TestApp, who: SignedIn): Promise<MarkSeen[]> {
  const { status, body } = await call(testApp, who, 'GET', '/v1/marks')
  expect(status).toBe(200)
  return body.marks as MarkSeen[]
}

/** The dependencies with which a worker asks for prices, at the test's time: 30 calls a minute unless given. */
export function askDepsOf(
  testApp: TestApp,
  provider: { base: string; key: string },
  perMinute = 30,
): AskDeps {
  const { signal } = new AbortController()
  return {
    db: testApp.db,
    calls: testApp.calls,
    ask: (symbol) => makeFinnhub({ ...provider, clock: testApp.clock }).quote(symbol, signal),
    perMinute,
    marketOverride: testApp.settings.marketOverride,
    priceRights: testApp.settings.priceRights,
    ending: signal,
    log: silentLog,
  }
}

/** One turn of a worker. @returns the symbol that it asked about, null when it asked nothing */
export async function askOne(testApp: TestApp, deps: AskDeps): Promise<string | null> {
  const due = await takeDue(deps, testApp.clock.now())
  if (!due) return null
  await askAbout(deps, due, testApp.clock)
  return due.symbol
}

/** Turns of a worker, a minute's share of time apart, until nothing is due. @returns the symbols, in order */
export async function askAll(testApp: TestApp, deps: AskDeps, atMost = 20): Promise<string[]> {
  const asked: string[] = []
  for (let turn = 0; turn < atMost; turn += 1) {
    const symbol = await askOne(testApp, deps)
    if (symbol === null) break
    asked.push(symbol)
    testApp.clock.advance(60_000 / deps.perMinute)
  }
  return asked
}

/** Active positions of somebody, opened at $1 an hour ago without the way through the API; a round of marks began half a minute ago. */
export async function holdSymbols(testApp: TestApp, who: SignedIn, symbols: string[]): Promise<void> {
  const now = testApp.clock.now()
  await testApp.pool.query(
    `insert into positions (trader_id, id, symbol, hold_length, open_price, open_notes, opened_at, open_preview_id)
     select $1, gen_random_uuid(), symbol, 'less_than_one_week', 1, 'ten or more', $3, gen_random_uuid()
     from unnest($2::text[]) symbol`,
    [who.userId, symbols, new Date(now.getTime() - 3_600_000)],
  )
  await testApp.pool.query('update mark_pace set round_at = $1 where round_at is null', [
    new Date(now.getTime() - 30_000),
  ])
}

/** Makes the round that begins next show what it finds to everybody who sees a position by now. */
export async function letRoundGoBy(testApp: TestApp): Promise<void> {
  testApp.clock.advance(60_000)
  await testApp.pool.query('update mark_pace set round_at = $1', [
    new Date(testApp.clock.now().getTime() - 30_000),
  ])
}
