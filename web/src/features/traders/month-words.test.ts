import { expect, test } from 'vitest'
import { monthLabel, monthText, pointsOf, yearsOf } from './month-words.ts'

test('a month reads with its own gain, that of the index and the difference', () => {
  const month = { month: '2026-11', level: 3.2, index: -1.1 }
  expect(monthText(month, 'SPY', false)).toBe('November 2026: +3.20%, SPY -1.10%, 4.3 points better')
  expect(monthText({ ...month, level: -2 }, 'SPY', true)).toBe(
    'November 2026 so far: -2.00%, SPY -1.10%, 0.9 points worse',
  )
  expect(monthText({ ...month, level: null }, 'SPY', false)).toBe('November 2026: no position')
  expect(monthLabel(month, 'SPY', true)).toBe('Nov +4.3 points, 2026 so far: +3.20%, SPY -1.10%')
  expect(monthLabel({ ...month, level: null }, 'SPY', true)).toBe('November 2026 so far: no position')
})

test('the difference of a month is exact', () => {
  expect(pointsOf({ month: '2026-11', level: 0.3, index: 0.1 })).toBe(0.2)
  expect(pointsOf({ month: '2026-11', level: 1.15, index: 1.05 })).toBe(0.1)
  expect(pointsOf({ month: '2026-11', level: null, index: 1 })).toBeNull()
})

test('years come newest first with twelve places, empty where the record has no month', () => {
  const monthOf = (month: string) => ({ month, level: 1, index: 0 })
  const years = yearsOf(['2025-11', '2025-12', '2026-01'].map(monthOf))
  expect(
    years.map(({ year, places }) => [year, places.map(({ month }) => month?.month.slice(5) ?? '')]),
  ).toEqual([
    ['2026', ['01', '', '', '', '', '', '', '', '', '', '', '']],
    ['2025', ['', '', '', '', '', '', '', '', '', '', '11', '12']],
  ])
})
