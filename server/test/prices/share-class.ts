import { expect } from 'vitest'
import type { TestApp } from '../build-test-app.ts'
import { type Answer, call, NOTES, open, raiseEventNumber, setMark, type Trader } from '../factories.ts'
import type { QuoteServer } from './quote-server.ts'

/** A price of the share in the spelling that the provider knows, which is no surprise. */
export async function setPrice(
  testApp: TestApp,
  quotes: QuoteServer,
  symbol: string,
  price: number,
): Promise<void> {
  quotes.set(symbol, { price, at: testApp.clock.now() })
  await setMark(testApp, symbol, price)
}

/** An open position with a hyphen in its ticker, as the version before leaves one. @returns its id */
export async function haveDashed(
  testApp: TestApp,
  quotes: QuoteServer,
  trader: Trader,
  symbol: string,
  price: number,
): Promise<string> {
  // Opened under a ticker that nobody else has, so that its event and the trader's counts are there.
  const { status, body } = await open(testApp, quotes, trader, symbol.replace('-', 'X'), price)
  expect({ status, ...body }).toMatchObject({ status: 201 })
  const { id } = body.position as { id: string }
  await testApp.pool.query('update positions set symbol = $3 where trader_id = $1 and id = $2', [
    trader.userId,
    id,
    symbol,
  ])
  await raiseEventNumber(testApp, trader)
  return id
}

/** Checks the price of what somebody types, and closes at it. */
export async function closeTyped(testApp: TestApp, trader: Trader, typed: string): Promise<Answer> {
  const preview = await call(testApp, trader, 'POST', '/v1/positions/preview', { symbol: typed })
  const order = { symbol: typed, key: preview.body.key, closeNotes: NOTES }
  return call(testApp, trader, 'POST', '/v1/positions/close', order)
}

/** Of the positions that a list shows, their tickers, the newest first. */
export async function listedTo(testApp: TestApp, who: Trader): Promise<string[]> {
  const { body } = await call(testApp, who, 'GET', '/v1/positions')
  return (body.positions as { stock: string }[]).map(({ stock }) => stock)
}

/** As they are stored, in the order of their openings. */
export async function storedOf({ pool }: TestApp, trader: Trader): Promise<string[]> {
  const { rows } = await pool.query(
    `select symbol || case when closed_at is null then '' when unsettled then ' unsettled' else ' closed' end as stored
     from positions where trader_id = $1 order by opened_at, id`,
    [trader.userId],
  )
  return rows.map(({ stored }) => stored)
}
