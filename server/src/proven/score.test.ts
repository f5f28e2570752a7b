import { expect, test } from 'vitest'
import { type DaySums, isProvisional, scoreTraders } from './score.ts'

/** Sums over days of this excess, in percent, on which the index stood still. */
function onQuietDays(traderId: string, excess: number[], meanHold = 10): DaySums {
  const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)
  return {
    traderId,
    days: excess.length,
    excess: sum(excess),
    excessSquares: sum(excess.map((value) => value * value)),
    market: 0,
    marketSquares: 0,
    excessByMarket: 0,
    meanHold,
  }
}

function repeated(values: number[], times: number): number[] {
  return Array.from({ length: times }, () => values).flat()
}

test('a score is computed by the formula, by hand for two traders', () => {
  // Ada: 40 days of +1 and -0.5, mean 0.25; Bo: 10 of +0.5 and -1. Squares 22.5 and 5.625; pooled 28.125 / 48 = 0.585938.
  const scores = scoreTraders([
    onQuietDays('ada', repeated([1, -0.5], 20)),
    onQuietDays('bo', repeated([0.5, -1], 5)),
  ])
  // Ada: s2 = (20 x 0.585938 + 22.5) / 59 = 0.579979, v = 100 s2 / 40 = 1.449947, y = 2.5; Bo: v = 5.980603, y = -2.5.
  // DerSimonian and Laird: tau2 = 8.784725, and all together g = 0.453066.
  // Ada: B = 8.784725 / (8.784725 + 1.449947) = 0.858330; middle g + B (y - g); from it 1.2816 sqrt(B v) to both sides.
  expect(scores.map(({ traderId }) => traderId)).toEqual(['ada', 'bo'])
  const [ada, bo] = scores
  expect(ada?.reliability).toBeCloseTo(0.85833, 5)
  expect(ada?.low).toBeCloseTo(0.780275, 5)
  expect(ada?.middle).toBeCloseTo(2.210011, 5)
  expect(ada?.high).toBeCloseTo(3.639746, 5)
  expect(bo?.reliability).toBeCloseTo(0.594956, 5)
  expect(bo?.low).toBeCloseTo(-3.721385, 5)
  expect(bo?.middle).toBeCloseTo(-1.303879, 5)
})

test('who leans on the market is not praised for its rise', () => {
  const market = repeated([1.5, -0.5], 100)
  const leaning: DaySums = {
    traderId: 'leaning',
    days: 200,
    // Twice the index: its excess is the index's own return.
    excess: 100,
    excessSquares: market.reduce((sum, value) => sum + value * value, 0),
    market: 100,
    marketSquares: market.reduce((sum, value) => sum + value * value, 0),
    excessByMarket: market.reduce((sum, value) => sum + value * value, 0),
    meanHold: 40,
  }
  const [score] = scoreTraders([leaning, onQuietDays('other', repeated([0.3, -0.3], 100), 40)])
  // Without the correction 20 % a position; 60 / 260 of it is left, since one year cannot prove a lean.
  expect(score?.middle).toBeLessThan(5)
})

test('few days make a wide interval and a provisional score, more of the same make it narrow', () => {
  const crowd = Array.from({ length: 30 }, (_, nth) =>
    onQuietDays(`crowd${nth}`, repeated([1 + nth / 20, -1], 60)),
  )
  const scores = scoreTraders([
    onQuietDays('newcomer', [2, 2]),
    onQuietDays('proven', repeated([2, -1], 120)),
    ...crowd,
  ])
  const [newcomer, proven] = scores
  if (!newcomer || !proven) throw new Error('no score')
  expect(newcomer.high - newcomer.low).toBeGreaterThan(proven.high - proven.low)
  expect(isProvisional(newcomer.reliability)).toBe(true)
  expect(isProvisional(proven.reliability)).toBe(false)
  expect(proven.low).toBeGreaterThan(newcomer.low)
  expect([0.49, 0.5].map(isProvisional)).toEqual([true, false])
})

test('nobody, one trader, no days, and prices that never move are no broken numbers', () => {
  expect(scoreTraders([])).toEqual([])
  expect(scoreTraders([onQuietDays('none', [])])).toEqual([])
  for (const days of [[1], [0], repeated([0], 252)]) {
    const [score] = scoreTraders([onQuietDays('one', days)])
    expect(
      Object.values(score ?? {}).every((value) => typeof value === 'string' || Number.isFinite(value)),
    ).toBe(true)
    expect(score?.low).toBeLessThanOrEqual(score?.middle ?? Number.NaN)
  }
})
