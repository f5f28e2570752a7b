import { expect } from 'vitest'
import type { TestApp } from '../build-test-app.ts'
import { type Answer, call, makeTrader, NOTES, type Trader } from '../factories.ts'
import type { Desk, End, Key, Walk } from './price-walk.ts'

/** The app and the market that it asks. `symbols` of nobody else, since what others do with a share reveals prices of it. */
type Floor = { testApp: TestApp; sandboxUrl: string; symbols: readonly string[] }

const FIRST_DAY = Date.parse('2026-03-04T15:00:00.000Z')
const NEXT_DAY = Date.parse('2026-03-05T15:00:00.000Z')

/** A trader at the public API. At the closing end the positions are those of the day before. */
export async function makeRealDesk(floor: Floor, walks: readonly Walk[], end: End): Promise<Desk> {
  const { testApp, symbols } = floor
  const moveTo = async (ticker: number, instant: number, second: number) => {
    testApp.clock.set(new Date(instant))
    await setPrice(floor, { symbol: symbols[ticker] ?? '', price: walks[ticker]?.(second) ?? 0 })
  }
  testApp.clock.set(new Date(FIRST_DAY))
  const trader = await makeTrader(testApp)
  const texts = new Map<Key, string>()
  const keep = (body: Answer['body'], ticker: number, second: number) => {
    const key = { ticker, price: Number(body.price), second }
    texts.set(key, String(body.key))
    return key
  }
  const checkAt = async (ticker: number, instant: number, second: number) => {
    await moveTo(ticker, instant, second)
    const { status, body } = await preview(testApp, trader, symbols[ticker] ?? '')
    expect({ status, ...body }).toMatchObject({ status: 200 })
    return keep(body, ticker, second)
  }
  if (end === 'close')
    for (const ticker of walks.keys()) {
      const key = await checkAt(ticker, FIRST_DAY, 0)
      const { status } = await press(testApp, trader, 'open', symbols[ticker] ?? '', texts.get(key))
      expect(status).toBe(201)
    }
  const begins = end === 'open' ? FIRST_DAY : NEXT_DAY
  return {
    check: (ticker, second) => checkAt(ticker, begins + second * 1000, second),
    async press(key, second) {
      const { ticker } = key
      await moveTo(ticker, begins + second * 1000, second)
      const before = await timesAsked(floor)
      const { body, status } = await press(testApp, trader, end, symbols[ticker] ?? '', texts.get(key))
      const asked = (await timesAsked(floor)) > before
      if (body.code === 'preview_expired') return { outcome: 'ended' }
      if (body.code === 'price_moved') return { outcome: 'moved', asked, key: keep(body, ticker, second) }
      expect({ status, ...body }).toMatchObject({ status: end === 'open' ? 201 : 200 })
      const { closePrice, openPrice } = body.position as { openPrice: number; closePrice?: number }
      return { outcome: 'recorded', asked, price: closePrice ?? openPrice }
    },
  }
}

function preview(testApp: TestApp, trader: Trader, symbol: string): Promise<Answer> {
  return call(testApp, trader, 'POST', '/v1/positions/preview', { symbol })
}

function press(testApp: TestApp, trader: Trader, end: End, symbol: string, key: unknown): Promise<Answer> {
  const notes =
    end === 'open' ? { openNotes: NOTES, positionLength: 'one_to_three_weeks' } : { closeNotes: NOTES }
  return call(testApp, trader, 'POST', `/v1/positions/${end}`, { symbol, key, ...notes })
}

async function setPrice(
  { sandboxUrl, testApp }: Floor,
  quote: { symbol: string; price: number },
): Promise<void> {
  const answer = await fetch(`${sandboxUrl}/api/v1/sandbox/quote`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...quote, at: testApp.clock.now() }),
  })
  expect(answer.ok).toBe(true)
}

async function timesAsked({ sandboxUrl }: Floor): Promise<number> {
  const answer = await fetch(`${sandboxUrl}/api/v1/sandbox/asked`)
  return ((await answer.json()) as { quote: number }).quote
}
