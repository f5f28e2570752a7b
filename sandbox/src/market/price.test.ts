import { expect, test } from 'vitest'
import { DAY_S, priceAt, roundPrice } from './price.ts'
import { quoteAt } from './quote.ts'
import { TICKERS, type Ticker } from './tickers.ts'

const FIRST = Date.UTC(2024, 0, 1) / 1000
const LAST = Date.UTC(2030, 11, 31) / 1000

function tickerOf(symbol: string): Ticker {
  const ticker = TICKERS.find((one) => one.symbol === symbol)
  if (!ticker) throw new Error(`no ticker ${symbol}`)
  return ticker
}

test('symbols are known once each, in the form that exchanges write', () => {
  expect(new Set(TICKERS.map(({ symbol }) => symbol)).size).toBe(TICKERS.length)
  expect(TICKERS.filter(({ symbol }) => !/^[A-Z]{1,5}(\.[A-Z])?$/.test(symbol))).toEqual([])
})

test('every price from 2024 to 2030 is positive, rounded as quoted and within bounds of its level', () => {
  for (const ticker of TICKERS) {
    for (let second = FIRST; second <= LAST; second += 17 * DAY_S + 4321) {
      const price = priceAt(ticker, second)
      expect(price).toBe(roundPrice(price))
      expect(price).toBeGreaterThan(ticker.level / 4)
      expect(price).toBeLessThan(ticker.level * 4)
    }
  }
})

test('a price is the same however often it is asked, and differs between shares, seconds and days', () => {
  const apple = tickerOf('AAPL')
  const noon = Date.UTC(2026, 5, 3, 12) / 1000
  // A literal: a change here changes every price that anybody has seen.
  expect(priceAt(apple, noon)).toBe(252.69)
  const seconds = Array.from({ length: 60 }, (_, n) => priceAt(apple, noon + n))
  expect(seconds.filter((price, n) => n > 0 && price !== seconds[n - 1]).length).toBeGreaterThan(30)
  expect(Math.max(...seconds) / Math.min(...seconds)).toBeLessThan(1.005)
  const days = Array.from({ length: 60 }, (_, n) => priceAt(apple, noon + n * DAY_S))
  expect(Math.max(...days) / Math.min(...days)).toBeGreaterThan(1.03)
  expect(priceAt({ ...apple, seed: 'MSFT' }, noon)).not.toBe(priceAt(apple, noon))
})

test('a share moves about as far in a day as its volatility', () => {
  for (const symbol of ['KO', 'AAPL', 'TSLA']) {
    const ticker = tickerOf(symbol)
    let squares = 0
    for (let day = 0; day < 2000; day += 1) {
      const second = FIRST + day * DAY_S
      squares += Math.log(priceAt(ticker, second + DAY_S) / priceAt(ticker, second)) ** 2
    }
    const daily = Math.sqrt(squares / 2000)
    expect(daily / ticker.volatility).toBeGreaterThan(0.7)
    expect(daily / ticker.volatility).toBeLessThan(1.3)
  }
})

test('an index goes sideways: in eight months it goes no farther than a share does in weeks', () => {
  const index = tickerOf('SPY')
  for (let second = FIRST; second <= LAST; second += 40 * DAY_S) {
    const part = priceAt(index, second + 240 * DAY_S) / priceAt(index, second)
    expect(part).toBeGreaterThan(0.87)
    expect(part).toBeLessThan(1.15)
  }
})

test('a quote agrees with itself', () => {
  for (const ticker of TICKERS) {
    const { c, d, dp, h, l, o, pc, t } = quoteAt(ticker, new Date('2026-11-18T15:00:00.999Z'))
    expect(t).toBe(Date.UTC(2026, 10, 18, 15) / 1000)
    expect(pc).toBe(priceAt(ticker, Date.UTC(2026, 10, 18) / 1000 - 1))
    expect(h).toBeGreaterThanOrEqual(Math.max(c, o))
    expect(l).toBeLessThanOrEqual(Math.min(c, o))
    expect(d).toBeCloseTo(c - pc, 4)
    expect(dp).toBeCloseTo((c / pc - 1) * 100, 3)
  }
})

test('prices are quoted with two decimals, under a dollar with four, and are never zero', () => {
  expect([12.345678, 1, 0.123456, 0.00001].map(roundPrice)).toEqual([12.35, 1, 0.1235, 0.0001])
})
