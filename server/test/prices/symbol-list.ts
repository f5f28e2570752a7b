import { expect } from 'vitest'
import type { Log } from '../../src/platform/log.ts'
import { readDirectory } from '../../src/quotes/symbols/read-directory.ts'
import type { TestApp } from '../build-test-app.ts'
import { silentLog } from '../database/database.ts'
import type { QuoteServer } from './quote-server.ts'

/** As the provider lists it; without a FIGI it does not know whose a ticker is. */
export type Listed = [symbol: string, description: string, figi?: string]

/** The provider's list from now on. */
export function setList(quotes: QuoteServer, rows: readonly Listed[]): void {
  const list = rows.map(([symbol, description, figi = '']) => ({
    symbol,
    description,
    figi,
    currency: 'USD',
  }))
  quotes.setList((response) => void response.end(JSON.stringify(list)))
}

/** As a worker does on the day of the clock; the app knows of it when this returns. @returns how often the provider was asked */
export async function readListOfToday(
  testApp: TestApp,
  quotes: QuoteServer,
  log: Log = silentLog,
): Promise<number> {
  const before = quotes.listed
  await readDirectory({ ...testApp, log }, testApp.clock.now())
  testApp.clock.advance(60_000)
  return quotes.listed - before
}

/** The list of a day that has begun. */
export async function listOn(
  testApp: TestApp,
  quotes: QuoteServer,
  instant: string,
  rows: readonly Listed[],
): Promise<void> {
  testApp.clock.set(new Date(instant))
  setList(quotes, rows)
  expect(await readListOfToday(testApp, quotes)).toBe(1)
}

/** Subjects of the mails to the operator, in order. */
export async function operatorNotices(testApp: TestApp): Promise<string[]> {
  const { rows } = await testApp.pool.query<{ subject: string }>(
    `select facts ->> 'subject' as subject from outbox where kind = 'operator_notice' order by created_at, id`,
  )
  return rows.map(({ subject }) => subject)
}
