import { act, renderHook } from '@testing-library/react'
import type { PricePreview } from '@tradepost/contract/quotes'
import { afterEach, expect, test, vi } from 'vitest'
import { usePriceCheck } from './use-price-check.ts'

type Question = { answer: (price: string) => Promise<void>; fail: (message: string) => Promise<void> }

const priced = (symbol: string, price: string): PricePreview => ({
  price,
  key: `${symbol}-key`,
  symbol,
  expiresInSeconds: 120,
})

/** The hook over a server that answers when the test calls for it. */
function checkPrices() {
  const questions: Question[] = []
  function ask(symbol: string): Promise<PricePreview> {
    return new Promise((resolve, reject) => {
      questions.push({
        answer: (price) => act(async () => resolve(priced(symbol, price))),
        fail: (message) => act(async () => reject(new Error(message))),
      })
    })
  }
  const { result } = renderHook(() => usePriceCheck(ask, (error) => (error as Error).message))
  return {
    state: () => result.current,
    check: (symbol: string) => act(async () => void result.current.check(symbol)),
    move: (used: PricePreview, now: PricePreview, askedAt: number) =>
      act(async () => result.current.move(used, now, askedAt)),
    reset: () => act(async () => result.current.reset()),
    question: (index: number) => questions[index] as Question,
  }
}

afterEach(() => vi.useRealTimers())

test('a price is shown as being checked, then as checked', async () => {
  const prices = checkPrices()
  await prices.check('AAPL')
  expect(prices.state()).toMatchObject({ checking: true, preview: null, error: null })
  await prices.question(0).answer('187.52')
  expect(prices.state()).toMatchObject({ checking: false, error: null })
  expect(prices.state().preview).toMatchObject({ price: '187.52', key: 'AAPL-key' })
})

test('a price is held from the question on, whatever the browser takes for the time', async () => {
  for (const time of ['2026-11-18T15:00:00.000Z', '2019-01-01T00:00:00.000Z']) {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date(time) })
    const asked = Date.now()
    const prices = checkPrices()
    await prices.check('AAPL')
    vi.setSystemTime(asked + 3000)
    await prices.question(0).answer('187.52')
    expect(prices.state().heldUntil).toBe(asked + 120_000)
  }
})

test('a failure is its sentence, and the next check forgets it', async () => {
  const prices = checkPrices()
  await prices.check('ZZZZ')
  await prices.question(0).fail("We couldn't find a price for ZZZZ.")
  expect(prices.state()).toMatchObject({ checking: false, error: "We couldn't find a price for ZZZZ." })
  await prices.check('AAPL')
  expect(prices.state()).toMatchObject({ checking: true, error: null })
})

test('a reset forgets price and error', async () => {
  const prices = checkPrices()
  await prices.check('AAPL')
  await prices.question(0).answer('187.52')
  await prices.reset()
  expect(prices.state()).toMatchObject({ preview: null, error: null, checking: false })
})

test('an answer that comes after a reset is dropped, good or bad', async () => {
  const prices = checkPrices()
  await prices.check('AAPL')
  await prices.reset()
  await prices.question(0).answer('187.52')
  expect(prices.state()).toMatchObject({ preview: null, error: null, checking: false })
  await prices.check('AAPL')
  await prices.reset()
  await prices.question(1).fail('too late')
  expect(prices.state()).toMatchObject({ preview: null, error: null, checking: false })
})

test('of two questions the newer counts, whichever answer comes last', async () => {
  const prices = checkPrices()
  await prices.check('AAPL')
  await prices.check('MSFT')
  await prices.question(1).answer('421.90')
  await prices.question(0).answer('187.52')
  expect(prices.state().preview).toMatchObject({ symbol: 'MSFT', price: '421.90' })
})

test('a moved price takes the place of the used one, which stays known until the next check', async () => {
  const prices = checkPrices()
  await prices.check('AAPL')
  await prices.question(0).answer('187.52')
  const [used, now] = [prices.state().preview as PricePreview, priced('AAPL', '188.02')]
  await prices.move(used, now, 1000)
  expect(prices.state()).toMatchObject({ preview: now, was: '187.52', heldUntil: 121_000, checking: false })
  await prices.check('AAPL')
  expect(prices.state()).toMatchObject({ preview: null, was: null, checking: true })
})

test('the place of a price that has been given up meanwhile is not taken', async () => {
  const prices = checkPrices()
  await prices.check('AAPL')
  await prices.question(0).answer('187.52')
  const used = prices.state().preview as PricePreview
  await prices.reset()
  await prices.move(used, priced('AAPL', '188.02'), 1000)
  expect(prices.state()).toMatchObject({ preview: null, was: null })
  await prices.check('MSFT')
  await prices.move(used, priced('AAPL', '188.02'), 1000)
  expect(prices.state()).toMatchObject({ preview: null, checking: true })
  await prices.question(1).answer('421.90')
  expect(prices.state().preview).toMatchObject({ symbol: 'MSFT' })
})
